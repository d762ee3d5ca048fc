import { one, type Queryable } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { modesOfAll, type Principal } from '../http/principal.ts';
import { sha256 } from '../lib/keyring.ts';
import { noteKeyUse } from '../tenants/keys.ts';

interface KeyRow {
  id: string;
  tenant_id: string;
  kind: 'publishable' | 'secret';
  livemode: boolean | null;
  rate_limit_per_minute: number | null;
  stale: boolean;
}

/** How old the note of a key's last use may be. */
const LAST_USED_RESOLUTION_MS = 60_000;

/** The token of an `Authorization: Bearer` header; empty when it has another form, null when there is no such header. */
export function bearerOf(authorization: string | undefined): string | null {
  if (authorization === undefined) return null;
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
}

/**
 * The principal of an API key, publishable (`pk_live_…`, `pk_test_…`) or secret (`rk_secret_…`), or null. The key is
 * hashed and looked up each time: a malformed, an unknown and a revoked one take the same path and say the same, a
 * revocation holds on every node at once, and what a lookup's time could tell is about the hash alone.
 */
export async function fromBearer(deps: Deps, token: string): Promise<Principal | null> {
  const now = deps.clock.now();
  const usedBefore = new Date(now.getTime() - LAST_USED_RESOLUTION_MS);
  const key = await one<KeyRow>(
    deps.db,
    `select k.id, k.tenant_id, k.kind, k.livemode, t.rate_limit_per_minute,
       k.last_used_at is null or k.last_used_at < $2 as stale
     from api_keys k join tenants t on t.id = k.tenant_id where k.hash = $1 and k.revoked_at is null`,
    [sha256(token), usedBefore],
  );
  if (!key) return null;
  const all = modesOfAll(deps.config.mode);
  // A deployment narrowed to one mode does not know the other's keys.
  if (key.livemode !== null && !all.reads.includes(key.livemode)) return null;
  if (key.stale) await noteKeyUse(deps.db, key.id, { now, usedBefore });
  const common = { tenantId: key.tenant_id, keyId: key.id, requestsPerMinute: key.rate_limit_per_minute };
  return key.livemode === null
    ? { kind: 'secret', ...common, ...all }
    : { kind: 'key', ...common, livemode: key.livemode, reads: [key.livemode] };
}

/** Whether a key would open another request now: asked by answers that go on for hours. */
export async function isInForce(db: Queryable, keyId: string): Promise<boolean> {
  return (await one(db, 'select 1 from api_keys where id = $1 and revoked_at is null', [keyId])) !== undefined;
}
