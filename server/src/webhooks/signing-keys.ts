import type { KeyObject } from 'node:crypto';
import type { Deps } from '../deps.ts';
import { keyOf } from './sign.ts';

const WARN_EVERY_MS = 60_000;
/** Accounts that are remembered as told of. */
const MAX_TOLD = 10_000;

/**
 * Opens an account's sealed secrets. Those that no key opens are left out and logged, at most once a minute for each account: whatever is
 * wrong with one account's secrets, the others' webhooks go on.
 */
export function createSigningKeys({ keyring, log }: Pick<Deps, 'keyring' | 'log'>) {
  const toldAt = new Map<string, number>();
  const tell = (tenantId: string, error: unknown) => {
    const now = performance.now();
    if (now - (toldAt.get(tenantId) ?? Number.NEGATIVE_INFINITY) < WARN_EVERY_MS) return;
    if (toldAt.size >= MAX_TOLD) toldAt.clear();
    toldAt.set(tenantId, now);
    log.error({ err: error, tenant: tenantId }, 'a webhook secret cannot be decrypted; see ENCRYPTION_KEYS');
  };
  return (tenantId: string, sealed: readonly string[]): KeyObject[] =>
    sealed.flatMap(text => {
      try {
        return [keyOf(keyring.decrypt(text))];
      } catch (error) {
        tell(tenantId, error);
        return [];
      }
    });
}
