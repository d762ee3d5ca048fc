import { isId } from '@firsthand/contract/ids.ts';
import { one } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { type CapturePrincipal, servedModes } from '../http/principal.ts';

/**
 * Authenticates a capture token, which is the verification id. Null when it is malformed, unknown, or of a mode that this deployment does
 * not serve; every deployment serves trials.
 */
export async function fromCaptureToken(deps: Deps, token: string): Promise<CapturePrincipal | null> {
  if (!isId('vfy', token)) return null;
  const row = await one<{ tenant_id: string }>(
    deps.db,
    `select tenant_id from verifications v where id = $1 and (livemode = any($2)
       or exists (select from tenants t where t.id = v.tenant_id and t.is_trial))`,
    [token, servedModes(deps.config.mode)],
  );
  return row ? { kind: 'capture', tenantId: row.tenant_id, verificationId: token } : null;
}
