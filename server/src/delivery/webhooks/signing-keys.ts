import type { KeyObject } from 'node:crypto';
import type { Deps } from '../../platform/deps.ts';
import { keyOf } from './sign.ts';

const WARN_EVERY_MS = 60_000;
/** The number of accounts whose last log entry is remembered. */
const MAX_TOLD = 10_000;

/**
 * Decrypts an account's secrets. Leaves out secrets that no key opens, and logs them at most once a minute for each
 * account. One account's broken secrets do not stop the others' webhooks.
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
