import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { maxBytesOf } from '@firsthand/contract/capture/pictures.ts';
import { isPictureStep } from '@firsthand/contract/capture/steps.ts';
import { TRACE_CONTENT_TYPE } from '@firsthand/contract/verification/presence.ts';
import { SIGNATURE_BYTES, startsLikePicture } from '@firsthand/forensics/files/inspect.ts';
import { addressBytes, spendBytes, verificationBytes } from '../../identity/auth/limits.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import type { UploadRules } from '../../platform/http/blob-routes.ts';
import { invalid, notFound } from '../../platform/http/problem.ts';
import type { Limiter, Permit } from '../../platform/limits/limiter.ts';
import { findVerification, type VerificationRow } from '../verifications/row.ts';
import { parseImageKey } from './image-key.ts';
import { notAPicture } from './picture-faults.ts';

/** Twenty photos of a phone, 3 MB each. */
const TRIAL_BYTES = 64 * 1_048_576;

/** Every picture at its largest, as often again for second frames and retries, and one more. */
const fullBytesOf = ({ config }: Pick<VerificationRow, 'config'>): number =>
  config.steps.reduce(
    (sum, step) => sum + (isPictureStep(step) ? 2 * step.max * maxBytesOf(step) : 0),
    UPLOAD_HARD_CAP_BYTES,
  );

/** The windows in which an upload's bytes count. Only whoever anyone may become is counted by address. */
export async function uploadPermits(db: Queryable, row: VerificationRow, ip: string): Promise<Permit[]> {
  const trial = await one(db, 'select 1 from tenants where id = $1 and is_trial', [row.tenant_id]);
  if (trial) return [verificationBytes(row.id, TRIAL_BYTES), addressBytes('trial', ip)];
  const own = verificationBytes(row.id, fullBytesOf(row));
  return row.private.template ? [own, addressBytes('link', ip)] : [own];
}

/** What the service asks of an upload that it receives itself. */
export const uploadRules = (deps: Pick<Deps, 'db'>, limiter: Limiter): UploadRules => ({
  startBytes: SIGNATURE_BYTES,
  checkStart(contentType, first) {
    // A trace is small, and the analysis says what is wrong with it.
    if (contentType === TRACE_CONTENT_TYPE || startsLikePicture(first)) return;
    throw invalid([notAPicture('body')]);
  },
  async count({ ip }, key, bytes) {
    const parsed = parseImageKey(key);
    const row = parsed && (await findVerification(deps.db, parsed.verificationId));
    if (!row) throw notFound();
    await spendBytes(limiter, await uploadPermits(deps.db, row, ip), bytes);
  },
});
