import { UPLOAD_URL_TTL_SECONDS } from '@firsthand/contract/base/limits.ts';
import { isPictureStep } from '@firsthand/contract/capture/steps.ts';
import { many, one, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { invalid, notFound, Problem } from '../../platform/http/problem.ts';
import { lockVerification, type VerificationRow } from '../verifications/row.ts';
import { imageKeyOf } from './image-key.ts';
import { neverUploaded } from './picture-faults.ts';

const HOUR_MS = 3_600_000;
/** The sweep deletes bytes that nobody submitted this long after their address expired. */
const SWEEP_AFTER_MS = HOUR_MS;
/** The sweep runs once more after a day, because an upload in progress may have finished late. */
const SWEEP_AGAIN_AFTER_MS = 25 * HOUR_MS;
/** The limit on unused addresses of a verification, live or expired, as a multiple of its limit on live ones. */
const UNSWEPT = 4;
const BATCH = 100;

/** The limit on live addresses of a verification: three tries for each picture it takes, plus five. */
function liveAddressesOf({ config }: Pick<VerificationRow, 'config'>): number {
  const capacity = config.steps.reduce((sum, step) => sum + (isPictureStep(step) ? step.max : 0), 0);
  return 3 * capacity + 5;
}

/**
 * Records an address before the service gives it out. Throws 429 when the verification has too many addresses that no
 * capture has used.
 */
export async function openAddress(
  deps: Pick<Deps, 'db' | 'clock'>,
  verificationId: string,
  captureId: string,
): Promise<void> {
  await transaction(deps.db, async tx => {
    const row = await lockVerification(tx, verificationId);
    if (!row) throw notFound();
    const now = deps.clock.now();
    const found = await one<{ live: number; unswept: number; first_end: Date | null }>(
      tx,
      `select count(*) filter (where ends_at > $2)::int as live, count(*) filter (where swept_at is null)::int as unswept,
         min(ends_at) filter (where ends_at > $2) as first_end
       from upload_addresses where verification_id = $1`,
      [row.id, now],
    );
    const limit = liveAddressesOf(row);
    if (found!.live >= limit || found!.unswept >= UNSWEPT * limit) {
      const waitMs = (found!.first_end?.getTime() ?? now.getTime() + 60_000) - now.getTime();
      throw new Problem(
        'too_many_requests',
        'Too many upload URLs of this verification are unused. Use one, or try again later.',
        {
          retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
        },
      );
    }
    const endsAt = new Date(now.getTime() + UPLOAD_URL_TTL_SECONDS * 1_000);
    await tx.query('insert into upload_addresses (capture_id, verification_id, ends_at) values ($1, $2, $3)', [
      captureId,
      row.id,
      endsAt,
    ]);
  });
}

/**
 * Marks uploads as used by a capture, so the sweep skips them. Throws when the sweep took one after it was read.
 */
export async function useAddresses(tx: Tx, captureIds: readonly string[]): Promise<void> {
  if (captureIds.length === 0) return;
  const used = await many<{ swept_at: Date | null }>(
    tx,
    'delete from upload_addresses where capture_id = any($1) returning swept_at',
    [captureIds],
  );
  if (used.some(({ swept_at }) => swept_at !== null)) throw invalid([neverUploaded('image_key')]);
}

/** Marks the upload of a trace as used. A trace that the sweep took is gone: the analysis says so. */
export async function useTraceAddress(tx: Tx, captureId: string): Promise<void> {
  await tx.query('delete from upload_addresses where capture_id = $1 and swept_at is null', [captureId]);
}

/**
 * Sweep: deletes the bytes of uploads that no capture has used. Several sweeps may run at once, and a crash at any
 * point is safe.
 */
export async function sweepUploads(deps: Pick<Deps, 'db' | 'blobs' | 'clock'>): Promise<void> {
  for (let full = true; full; ) {
    const now = deps.clock.now();
    const before = (ms: number) => new Date(now.getTime() - ms);
    // Marks them first: a capture cannot use an upload after this.
    const swept = await many<{ capture_id: string; verification_id: string; again: boolean }>(
      deps.db,
      `update upload_addresses set swept_at = $3 where capture_id in (
         select capture_id from upload_addresses
         where ends_at < $2 or (ends_at < $1 and swept_at is null) order by ends_at limit ${BATCH} for update skip locked
       ) returning capture_id, verification_id, ends_at < $2 as again`,
      [before(SWEEP_AFTER_MS), before(SWEEP_AGAIN_AFTER_MS), now],
    );
    for (const { capture_id, verification_id } of swept)
      await deps.blobs.delete(imageKeyOf(verification_id, capture_id));
    const done = swept.filter(({ again }) => again).map(({ capture_id }) => capture_id);
    await deps.db.query('delete from upload_addresses where capture_id = any($1)', [done]);
    full = swept.length === BATCH;
  }
}
