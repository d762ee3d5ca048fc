import { one } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import type { Principal } from '../http/principal.ts';
import { sha256 } from '../lib/keyring.ts';

interface KeyRow {
  id: string;
  tenant_id: string;
  kind: 'publishable' | 'secret';
  livemode: boolean | null;
  stale: boolean;
}

/** How old the note of a key's last use may be. */
const LAST_USED_RESOLUTION_MS = 60_000;

/**
 * The principal of an API key, or null. The key is hashed and looked up, so a malformed, an unknown and a revoked one
 * take the same path and say the same.
 */
export async function fromBearer(deps: Deps, token: string): Promise<Principal | null> {
  const now = deps.clock.now();
  const key = await one<KeyRow>(
    deps.db,
    `select id, tenant_id, kind, livemode, last_used_at is null or last_used_at < $2 as stale
     from api_keys where hash = $1 and revoked_at is null`,
    [sha256(token), new Date(now.getTime() - LAST_USED_RESOLUTION_MS)],
  );
  if (!key) return null;
  const { mode } = deps.config;
  if (key.livemode !== null && mode !== 'both' && key.livemode !== (mode === 'live')) return null;
  if (key.stale) await deps.db.query('update api_keys set last_used_at = $2 where id = $1', [key.id, now]);
  return key.kind === 'secret'
    ? { kind: 'secret', tenantId: key.tenant_id, keyId: key.id }
    : { kind: 'key', tenantId: key.tenant_id, keyId: key.id, livemode: key.livemode === true };
}
