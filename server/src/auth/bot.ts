import { createHmac } from 'node:crypto';
import type { Deps } from '../deps.ts';
import type { Principal } from '../http/principal.ts';
import { equalSecrets } from '../lib/keyring.ts';
import { tenantExists } from '../tenants/create.ts';

const MAX_AGE_MS = 5 * 60_000;

export interface BotCredential {
  signature: string;
  timestamp: string;
}

/**
 * The messaging bot: hex HMAC-SHA256 over `<timestamp>.<raw body>`, at most five minutes old, under any of the accepted
 * secrets. The tenant travels in the body. Null when anything does not hold.
 */
export async function fromBot(deps: Deps, credential: BotCredential, raw: Buffer): Promise<Principal | null> {
  const { signature, timestamp } = credential;
  const age = Math.abs(deps.clock.now().getTime() - Number(timestamp));
  if (!/^\d{1,16}$/.test(timestamp) || !(age <= MAX_AGE_MS)) return null;
  const matches = deps.config.botSecrets
    .map(secret => createHmac('sha256', secret).update(`${timestamp}.`).update(raw).digest('hex'))
    .filter(expected => equalSecrets(expected, signature.toLowerCase()));
  if (matches.length === 0) return null;
  const tenantId = tenantOf(raw);
  return tenantId !== null && (await tenantExists(deps.db, tenantId)) ? { kind: 'bot', tenantId } : null;
}

function tenantOf(raw: Buffer): string | null {
  try {
    const body: unknown = JSON.parse(raw.toString('utf8'));
    const id = (body as { tenant_id?: unknown } | null)?.tenant_id;
    return typeof id === 'string' && !id.includes('\0') ? id : null;
  } catch {
    return null;
  }
}
