import { EndUserView } from '@firsthand/contract/verification/verification.ts';
import { brandOf } from '../../identity/tenants/brands.ts';
import type { Deps } from '../../platform/deps.ts';
import { ok, openEndpoint } from '../../platform/http/endpoint.ts';
import { readKept } from '../verifications/advance.ts';
import { presentForEndUser } from '../verifications/present.ts';
import { capturesOf, type VerificationRow } from '../verifications/row.ts';
import { CAPTURE_ROUTE } from './accepting.ts';

/** The verification as the claimant sees it. */
export async function endUserView(
  deps: Pick<Deps, 'config' | 'db' | 'origins'>,
  row: VerificationRow,
): Promise<EndUserView> {
  const [captures, brand] = await Promise.all([capturesOf(deps.db, row.id), brandOf(deps, row)]);
  return presentForEndUser(deps, row, captures, brand);
}

export const getSession = openEndpoint({
  operationId: 'getCaptureSession',
  summary: 'Get what the capture page needs',
  description: 'Works for closed verifications too: `status` tells the page which screen to show.',
  ...CAPTURE_ROUTE,
  responses: { 200: EndUserView },
  errors: ['redacted'],
  async handler({ deps, params }) {
    const row = await readKept(deps, params.token!);
    return ok(await endUserView(deps, row));
  },
});
