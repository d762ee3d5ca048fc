import type { KeyScope } from '@firsthand/contract/account/key-scopes.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { modesOfAll, type Principal } from '../../platform/http/principal.ts';
import { sha256 } from '../../platform/lib/keyring.ts';
import { noteKeyUse } from '../tenants/keys.ts';

interface KeyRow {
  id: string;
  tenant_id: string;
  kind: 'publishable' | 'secret';
  livemode: boolean | null;
  scopes: KeyScope[] | null;
  template_id: string | null;
  rate_limit_per_minute: number | null;
  stale: boolean;
}

/** The recorded last use of a key may lag by this much. */
const LAST_USED_RESOLUTION_MS = 60_000;

/** Returns the token of an `Authorization: Bearer` header: empty when the header is malformed, null when it is absent. */
export function bearerOf(authorization: string | undefined): string | null {
  if (authorization === undefined) return null;
  return /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? '';
}

/**
 * Returns the principal of an API key, publishable (`pk_live_…`, `pk_test_…`) or secret (`rk_secret_…`), or null. Hashes the key and looks
 * it up on every request, so a revocation takes effect on every node at once. Malformed, unknown and revoked keys take the same path and
 * get the same answer, and the lookup's timing reveals only the hash.
 */
export async function fromBearer(
  deps: Pick<Deps, 'config' | 'db' | 'clock'>,
  token: string,
): Promise<Principal | null> {
  const now = deps.clock.now();
  const usedBefore = new Date(now.getTime() - LAST_USED_RESOLUTION_MS);
  const key = await one<KeyRow>(
    deps.db,
    `select k.id, k.tenant_id, k.kind, k.livemode, k.scopes, k.template_id, t.rate_limit_per_minute,
       k.last_used_at is null or k.last_used_at < $2 as stale
     from api_keys k join tenants t on t.id = k.tenant_id where k.hash = $1 and k.revoked_at is null`,
    [sha256(token), usedBefore],
  );
  if (!key) return null;
  const all = modesOfAll(deps.config.mode);
  // A deployment limited to one mode rejects the other mode's keys.
  if (key.livemode !== null && !all.reads.includes(key.livemode)) return null;
  if (key.stale) await noteKeyUse(deps.db, key.id, { now, usedBefore });
  const common = { tenantId: key.tenant_id, keyId: key.id, requestsPerMinute: key.rate_limit_per_minute };
  return key.livemode === null
    ? { kind: 'secret', ...common, ...all }
    : {
        kind: 'key',
        ...common,
        scopes: key.scopes,
        templateId: key.template_id,
        livemode: key.livemode,
        reads: [key.livemode],
      };
}

/** True while the key is not revoked. Long-running responses (event streams) ask this repeatedly. */
export async function isInForce(db: Queryable, keyId: string): Promise<boolean> {
  return (await one(db, 'select 1 from api_keys where id = $1 and revoked_at is null', [keyId])) !== undefined;
}
