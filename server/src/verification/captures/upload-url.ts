import { LIVE_IMAGE_TYPES } from '@firsthand/contract/base/enums.ts';
import { fault } from '@firsthand/contract/base/fault.ts';
import { UPLOAD_HARD_CAP_BYTES, UPLOAD_URL_TTL_SECONDS } from '@firsthand/contract/base/limits.ts';
import { UploadUrlRequest, UploadUrlResponse, uploadUrlFaults } from '@firsthand/contract/capture/capture-flow.ts';
import { acceptedBy, maxBytesOf, mediaTypeOf } from '@firsthand/contract/capture/pictures.ts';
import { TRACE, TRACE_CONTENT_TYPE } from '@firsthand/contract/verification/presence.ts';
import { created, openEndpoint } from '../../platform/http/endpoint.ts';
import { invalid } from '../../platform/http/problem.ts';
import { newId } from '../../platform/lib/ids.ts';
import { readKept } from '../verifications/advance.ts';
import { capturesOf, heldBy } from '../verifications/row.ts';
import { pickSlot } from '../verifications/steps.ts';
import { CAPTURE_ROUTE, openSlot, unknownStep } from './accepting.ts';
import { imageKeyOf } from './image-key.ts';
import { openAddress } from './upload-addresses.ts';
import { uploadPermits } from './upload-budget.ts';

export const createUploadUrl = openEndpoint({
  operationId: 'createUploadUrl',
  summary: 'Get an upload URL for one picture or trace',
  description:
    'Send the raw bytes with PUT and the returned headers. The URL works once, for five minutes, and only for this content type. ' +
    `A trace has the content type \`${TRACE_CONTENT_TYPE}\` and at most ${TRACE.maxBytes} bytes.`,
  ...CAPTURE_ROUTE,
  body: UploadUrlRequest,
  faults: uploadUrlFaults,
  responses: { 201: UploadUrlResponse },
  errors: ['unknown_step', 'step_full', 'verification_closed', 'expired', 'redacted'],
  async handler({ deps, params, body, ip, spendBytes }) {
    const row = await readKept(deps, params.token!);
    const held = heldBy(await capturesOf(deps.db, row.id));
    const contentType = mediaTypeOf((body.contentType ?? body.content_type)!);
    const named = row.config.steps.find(step => step.key === body.step_key);
    if (body.step_key !== undefined && (!named || named.type === 'text')) throw unknownStep(body.step_key);
    const slot = pickSlot(row.config.steps, held, body.step_key);
    const step = 'step' in slot ? slot.step : named && named.type !== 'text' ? named : null;
    const types: readonly string[] = step ? acceptedBy(step) : LIVE_IMAGE_TYPES;
    const accept = step?.type === 'upload' ? types : [...types, TRACE_CONTENT_TYPE];
    const isTrace = step?.type !== 'upload' && contentType === TRACE_CONTENT_TYPE;
    const limit = isTrace ? TRACE.maxBytes : step ? maxBytesOf(step) : UPLOAD_HARD_CAP_BYTES;
    const faults = [];
    if (!accept.includes(contentType)) {
      const path = body.contentType === undefined ? 'content_type' : 'contentType';
      faults.push(fault(path, 'unsupported_type', `must be one of ${accept.join(', ')}`, { accepted: [...accept] }));
    }
    if (body.size_bytes !== undefined && body.size_bytes > limit) {
      faults.push(fault('size_bytes', 'too_many_bytes', `must be at most ${limit}`, { max: limit }));
    }
    if (faults.length > 0) throw invalid(faults);
    openSlot(row, held, body.step_key, deps.clock.now());

    const captureId = newId('cap', deps.clock.now().getTime());
    // The store takes a declared size as it is. The service counts any other upload when it arrives.
    if (body.size_bytes !== undefined) await spendBytes(await uploadPermits(deps.db, row, ip), body.size_bytes);
    await openAddress(deps, row.id, captureId);
    const imageKey = imageKeyOf(row.id, captureId);
    const signed = await deps.blobs.presignPut(imageKey, {
      contentType,
      maxBytes: limit,
      ...(body.size_bytes === undefined ? {} : { sizeBytes: body.size_bytes }),
      expiresSeconds: UPLOAD_URL_TTL_SECONDS,
    });
    return created({
      capture_id: captureId,
      image_key: imageKey,
      upload_url: signed.url,
      method: 'PUT',
      headers: signed.headers,
      expires_at: signed.expiresAt.toISOString(),
    });
  },
});
