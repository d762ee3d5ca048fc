import { isId } from '@firsthand/contract/ids.ts';
import { one } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { type CapturePrincipal, servedModes } from '../http/principal.ts';

/**
 * Authenticates a capture token, which is the verification id. Null when it is malformed, unknown, or of a mode that this deployment does
 * not serve.
 */
export async function fromCaptureToken(deps: Deps, token: string): Promise<CapturePrincipal | null> {
  if (!isId('vfy', token)) return null;
  const row = await one<{ tenant_id: string }>(
    deps.db,
    'select tenant_id from verifications where id = $1 and livemode = any($2)',
    [token, servedModes(deps.config.mode)],
  );
  return row ? { kind: 'capture', tenantId: row.tenant_id, verificationId: token } : null;
}
