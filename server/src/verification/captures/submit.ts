import type { IncomingHttpHeaders } from 'node:http';
import { instantOf } from '@firsthand/contract/base/ids.ts';
import { INLINE_MAX_BYTES } from '@firsthand/contract/base/limits.ts';
import { CaptureRequest, captureFaults } from '@firsthand/contract/capture/capture-flow.ts';
import { acceptedBy, maxBytesOf } from '@firsthand/contract/capture/pictures.ts';
import { longSideOf, minLongSideOf } from '@firsthand/contract/capture/sizes.ts';
import type { PictureStep } from '@firsthand/contract/capture/steps.ts';
import { EndUserView } from '@firsthand/contract/verification/verification.ts';
import type { FastifyRequest } from 'fastify';
import { one, type Queryable, type Tx, transaction } from '../../platform/db/sql.ts';
import { storable } from '../../platform/db/storable.ts';
import type { Deps } from '../../platform/deps.ts';
import { type Answer, created, openEndpoint } from '../../platform/http/endpoint.ts';
import { invalid, Problem, storageUnavailable } from '../../platform/http/problem.ts';
import { newId } from '../../platform/lib/ids.ts';
import { captureStored, lockKept, readCurrent, readKept } from '../verifications/advance.ts';
import { type CaptureRow, capturesOf, heldBy, type VerificationRow } from '../verifications/row.ts';
import { pickSlot } from '../verifications/steps.ts';
import { CAPTURE_ROUTE, openSlot, unknownStep } from './accepting.ts';
import { CAPTURES } from './analysis-queue.ts';
import { type Attesting, attest } from './attestation/attest.ts';
import { deletePictures } from './erase.ts';
import { imageKeyOf, motionKeyOf, parseImageKey } from './image-key.ts';
import { locationSourceOf } from './location-source.ts';
import { inlineSha256, type Picture, readMotionFrame, readPicture } from './picture.ts';
import { exampleItself, otherBytes, tooLarge, tooSmall, wrongType } from './picture-faults.ts';
import { endUserView } from './session.ts';
import { checkTraceKey, takeTrace } from './trace.ts';
import { useAddresses } from './upload-addresses.ts';
import { uploadPermits } from './upload-budget.ts';

/** Two pictures in base64, and room for the other fields. */
const BODY_LIMIT = 2 * Math.ceil((INLINE_MAX_BYTES * 4) / 3) + 1_048_576;

export const submitCapture = openEndpoint({
  operationId: 'submitCapture',
  summary: 'Submit a photo',
  description: 'Send the picture inline as base64 (up to 6 MB), or name a finished upload by its `image_key`.',
  ...CAPTURE_ROUTE,
  bodyLimitBytes: BODY_LIMIT,
  imageFields: ['image_base64', 'motion_frame_base64'],
  body: CaptureRequest,
  faults: captureFaults,
  responses: { 201: EndUserView },
  errors: ['unknown_step', 'step_full', 'verification_closed', 'expired', 'redacted', 'idempotency_conflict'],
  async handler({ deps, params, body, images, ip, idempotencyKey, request, spendBytes }): Promise<Answer> {
    const row = await readKept(deps, params.token!);
    const before = await findRetry(deps.db, row.id, body, idempotencyKey);
    if (before) {
      assertSame(before, body, body.image_sha256 ?? (await inlineSha256(images)));
      // Reads the row again: the first submission may have finished in the meantime.
      return created(await endUserView(deps, await readCurrent(deps, row.id)));
    }

    const held = heldBy(await capturesOf(deps.db, row.id));
    const likely = likelyStep(row, held, body.step_key);
    const picture = await readPicture(deps, row.id, body, images);
    if (likely) checkAgainstStep(row, likely, picture);
    const motion = await readMotionFrame(deps, row.id, body, images);
    checkTraceKey(row.id, body);
    openSlot(row, held, body.step_key, deps.clock.now());
    const inlineBytes = [picture, motion].reduce((sum, one) => sum + (one && !one.stored ? one.bytes.length : 0), 0);
    if (inlineBytes > 0) await spendBytes(await uploadPermits(deps.db, row, ip), inlineBytes);
    const subject = { verificationId: row.id, sha256: picture.sha256, ip };
    const attested = await attest(deps, body.attestation_token, subject);

    const captureId = picture.stored?.captureId ?? newId('cap', deps.clock.now().getTime());
    const blobs = await storeBytes(deps, row.id, captureId, picture, motion);
    const after = await transaction(deps.db, tx =>
      persist(tx, deps, {
        verificationId: row.id,
        captureId,
        body,
        picture,
        motion,
        blobs,
        attested,
        idempotencyKey,
        sentBy: senderOf(request.principal),
        headers: request.headers,
      }),
    ).catch(async error => {
      // An erasure came between: these bytes go as well.
      if (error instanceof Problem && error.code === 'redacted') await deletePictures(deps.blobs, row.id);
      throw error;
    });
    return created(await endUserView(deps, after));
  },
});

type Stored = Pick<CaptureRow, 'id' | 'step_key' | 'sha256'>;

/** Refuses a used key with another picture. Taking the request for a retry would lose that picture. */
function assertSame(stored: Stored, body: CaptureRequest, sha256: string): void {
  const samePicture = sha256.toLowerCase() === stored.sha256;
  if (captureIdIn(body) === stored.id) {
    if (!samePicture) throw invalid([otherBytes()]);
  } else if (!samePicture || (body.step_key !== undefined && body.step_key !== stored.step_key)) {
    throw new Problem('idempotency_conflict', 'This Idempotency-Key was already used with a different request.');
  }
}

const captureIdIn = ({ image_key }: CaptureRequest): string | null =>
  image_key === undefined ? null : (parseImageKey(image_key)?.captureId ?? null);

/** Finds the capture that this request repeats, by the capture id in its image_key or by its Idempotency-Key. */
function findRetry(
  db: Queryable,
  verificationId: string,
  body: CaptureRequest,
  idempotencyKey: string | undefined,
): Promise<Stored | undefined> {
  return one<Stored>(
    db,
    'select id, step_key, sha256 from captures where verification_id = $1 and (id = $2 or idempotency_key = $3)',
    [verificationId, captureIdIn(body), idempotencyKey ?? null],
  );
}

/** Returns the step whose limits apply to the bytes; null when no step has room. Throws `unknown_step`. */
function likelyStep(row: VerificationRow, held: Record<string, number>, stepKey: string | undefined) {
  const slot = pickSlot(row.config.steps, held, stepKey);
  if ('step' in slot) return slot.step;
  if (slot.fault === 'unknown_step') throw unknownStep(stepKey);
  return null;
}

function checkAgainstStep({ config }: VerificationRow, step: PictureStep, picture: Picture): void {
  const accepted = acceptedBy(step);
  if (!accepted.includes(picture.info.contentType)) {
    throw invalid([wrongType(picture.field, picture.info.contentType, accepted)]);
  }
  if (config.steps.some(asked => asked.type !== 'text' && asked.example_picture === picture.sha256))
    throw invalid([exampleItself(picture.field)]);
  if (picture.bytes.length > maxBytesOf(step)) throw invalid([tooLarge(picture.field, maxBytesOf(step))]);
  const least = minLongSideOf(config.context?.attributes, step.key);
  if (least !== undefined && longSideOf(picture.info) < least) {
    throw invalid([tooSmall(picture.field, picture.info, least)]);
  }
}

interface StoredBlobs {
  image: string;
  motion: string | null;
}

/** Writes to the store before the transaction opens. A crash in between leaves bytes that no row names. */
async function storeBytes(
  deps: Pick<Deps, 'blobs'>,
  verificationId: string,
  captureId: string,
  picture: Picture,
  motion: Picture | null,
): Promise<StoredBlobs> {
  const image = imageKeyOf(verificationId, captureId);
  try {
    if (!picture.stored) await deps.blobs.put(image, picture.bytes, { contentType: picture.info.contentType });
    if (!motion) return { image, motion: null };
    if (motion.stored) return { image, motion: motion.stored.key };
    const key = motionKeyOf(verificationId, captureId);
    await deps.blobs.put(key, motion.bytes, { contentType: motion.info.contentType });
    return { image, motion: key };
  } catch (error) {
    throw storageUnavailable(error);
  }
}

interface Persist {
  verificationId: string;
  captureId: string;
  body: CaptureRequest;
  picture: Picture;
  motion: Picture | null;
  blobs: StoredBlobs;
  attested: Attesting;
  idempotencyKey: string | undefined;
  /** The person of the account whose browser sent it. */
  sentBy: string | null;
  headers: IncomingHttpHeaders;
}

const senderOf = (principal: FastifyRequest['principal']): string | null =>
  principal?.kind === 'capture' ? principal.personId : null;

async function persist(
  tx: Tx,
  deps: Pick<Deps, 'keyring' | 'origins' | 'clock'>,
  o: Persist,
): Promise<VerificationRow> {
  const { body, picture } = o;
  const row = await lockKept(tx, deps, o.verificationId);
  // Looks again under the lock: two equal requests may arrive here at the same time.
  const before = await findRetry(tx, row.id, body, o.idempotencyKey);
  if (before) {
    assertSame(before, body, picture.sha256);
    return row;
  }
  const captures = await capturesOf(tx, row.id);
  const step = openSlot(row, heldBy(captures), body.step_key, deps.clock.now());
  checkAgainstStep(row, step, picture);
  await useAddresses(
    tx,
    [picture, o.motion].flatMap(one => (one?.stored ? [one.stored.captureId] : [])),
  );
  const inserted = await insertCapture(tx, deps, o, row, step);
  const { statements, ...capture } = inserted;
  const after = await captureStored(
    tx,
    deps,
    row,
    { captures: [...captures, capture], statements },
    capture.created_at,
  );
  await CAPTURES.join(tx, row, capture.id);
  return after;
}

/** Inserts the capture. `statements`: how many the log has of its verification. */
async function insertCapture(
  tx: Tx,
  deps: Pick<Deps, 'origins' | 'clock'>,
  o: Persist,
  row: VerificationRow,
  step: PictureStep,
): Promise<CaptureRow & { statements: number }> {
  const { body, picture } = o;
  const now = deps.clock.now();
  const { attestation, proof } = await o.attested(tx);
  const trace = await takeTrace(tx, row, step, o.captureId, body);
  const inserted = await one<CaptureRow & { statements: number }>(
    tx,
    `insert into captures (id, verification_id, tenant_id, step_key, source, surface, content_type, size_bytes, width,
       height, sha256, image_blob, motion_blob, created_at, client_captured_at, idempotency_key, location, attestation,
       challenge_id, trace_blob, trace_sha256, sent_by, location_source,
       attestation_proof)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24)
     returning *, (select coalesce(max(seq), 0) from evidence_statements where verification_id = $2) as statements`,
    [
      o.captureId,
      row.id,
      row.tenant_id,
      step.key,
      step.type === 'upload' || row.config.mode === 'audit' ? 'upload' : 'live',
      body.surface ?? null,
      picture.info.contentType,
      picture.bytes.length,
      picture.info.width,
      picture.info.height,
      picture.sha256,
      o.blobs.image,
      o.blobs.motion,
      now,
      body.client_captured_at === undefined ? null : instantOf(body.client_captured_at),
      o.idempotencyKey ?? null,
      storable(body.location),
      storable(attestation),
      trace.challenge_id,
      trace.trace_blob,
      trace.trace_sha256,
      o.sentBy,
      body.location ? locationSourceOf(o.headers, deps.origins, attestation) : null,
      proof,
    ],
  );
  if (!inserted) throw new Error('insert returned no row');
  return inserted;
}
