import { type Static, Type } from 'typebox';
import { conflict, type Fault, noSuchDate, required } from '../base/fault.ts';
import { DateTime, IdSchema, instantOf } from '../base/ids.ts';
import { isRecord } from '../base/is-record.ts';
import { MapOf } from '../base/map.ts';
import { SHA256_HEX } from '../base/patterns.ts';
import { GeoPoint, Progress } from '../verification/verification.ts';

const closed = { additionalProperties: false } as const;

/**
 * Body of POST …/captures/upload-url. Either spelling of the content type is required. The OpenAPI document shows one: in
 * Java and Go both would have the same name.
 */
export const UploadUrlRequest = Type.Object(
  {
    contentType: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'of the picture; `content_type` is accepted in its place',
      }),
    ),
    content_type: Type.Optional(Type.String({ minLength: 1, maxLength: 100, aliasOf: 'contentType' })),
    step_key: Type.Optional(Type.String()),
    size_bytes: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { ...closed, title: 'UploadUrlRequest' },
);
export type UploadUrlRequest = Static<typeof UploadUrlRequest>;

export const UploadUrlResponse = Type.Object(
  {
    capture_id: IdSchema('cap'),
    image_key: Type.String(),
    upload_url: Type.String(),
    method: Type.Literal('PUT'),
    headers: MapOf(Type.String(), { description: 'send these headers with the upload' }),
    expires_at: DateTime,
  },
  { ...closed, title: 'UploadUrlResponse' },
);
export type UploadUrlResponse = Static<typeof UploadUrlResponse>;

/**
 * Body of POST …/captures: either `image_base64`, or `image_key` with `image_sha256`. The other fields go with either
 * form.
 */
export const CaptureRequest = Type.Object(
  {
    image_base64: Type.Optional(Type.String({ minLength: 1 })),
    image_key: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    image_sha256: Type.Optional(Type.String({ pattern: SHA256_HEX })),
    step_key: Type.Optional(Type.String()),
    surface: Type.Optional(Type.String({ maxLength: 40 })),
    client_captured_at: Type.Optional(DateTime),
    location: Type.Optional(GeoPoint),
    motion_frame_base64: Type.Optional(Type.String({ minLength: 1 })),
    motion_frame_key: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    attestation_token: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 20_000,
        description:
          'A Turnstile token as it is, or an envelope as JSON text: {"provider":"app_attest","key_id","attestation"}, ' +
          '{"provider":"app_attest","key_id","assertion"} or {"provider":"play_integrity","token"}, binary members in base64. ' +
          'Apps have the SHA-256 of "<verification id>.<SHA-256 of the picture, lowercase hex>" vouched for: as clientDataHash, ' +
          'or in URL-safe base64 without padding as requestHash or nonce.',
      }),
    ),
    challenge_id: Type.Optional(IdSchema('chl')),
    trace_key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_000,
        description: 'the `image_key` under which the trace was uploaded',
      }),
    ),
    trace_sha256: Type.Optional(Type.String({ pattern: SHA256_HEX })),
  },
  { ...closed, title: 'CaptureRequest' },
);
export type CaptureRequest = Static<typeof CaptureRequest>;

/** Faults of a capture request that span fields. */
export function captureFaults(body: unknown): Fault[] {
  if (!isRecord(body)) return [];
  const faults: Fault[] = [];
  const { image_base64, image_key, image_sha256, motion_frame_base64, motion_frame_key, client_captured_at } = body;
  if (image_base64 === undefined && image_key === undefined) {
    const unless = ['image_key', 'image_sha256'];
    faults.push(required('image_base64', 'is required, unless image_key and image_sha256 are sent', { unless }));
  } else if (image_base64 !== undefined && (image_key !== undefined || image_sha256 !== undefined)) {
    const others = ['image_key', 'image_sha256'];
    faults.push(conflict('image_base64', 'cannot be sent together with image_key or image_sha256', others));
  } else if (image_key !== undefined && image_sha256 === undefined) {
    faults.push(required('image_sha256', 'is required with image_key', { with: ['image_key'] }));
  }
  if (motion_frame_base64 !== undefined && motion_frame_key !== undefined) {
    const others = ['motion_frame_key'];
    faults.push(conflict('motion_frame_base64', 'cannot be sent together with motion_frame_key', others));
  }
  faults.push(...missingOf(body, ['challenge_id', 'trace_key', 'trace_sha256']));
  if (typeof client_captured_at === 'string' && /^\d{4}-/.test(client_captured_at) && !instantOf(client_captured_at)) {
    faults.push(noSuchDate('client_captured_at'));
  }
  return faults;
}

/** Reports those of `names` that are missing when others are there. */
const missingOf = (body: Record<string, unknown>, names: readonly string[]): Fault[] => {
  const missing = names.filter(name => body[name] === undefined);
  if (missing.length === names.length) return [];
  return missing.map(path => {
    const others = names.filter(other => other !== path);
    return required(path, `is required with ${others.join(' and ')}`, { with: others });
  });
};

/** Faults of an upload-url request that span fields. */
export function uploadUrlFaults(body: unknown): Fault[] {
  if (!isRecord(body)) return [];
  const { contentType, content_type } = body;
  if (contentType === undefined && content_type === undefined) return [required('contentType')];
  if (contentType !== undefined && content_type !== undefined && contentType !== content_type) {
    return [conflict('content_type', 'must equal contentType when both are sent', ['contentType'])];
  }
  return [];
}

export const AnswersRequest = Type.Object(
  { answers: MapOf(Type.String({ minLength: 1, maxLength: 2_000 }), { minProperties: 1 }) },
  { ...closed, title: 'AnswersRequest' },
);
export type AnswersRequest = Static<typeof AnswersRequest>;

export const ProgressRequest = Type.Object(
  {
    ...Type.Omit(Progress, ['updated_at']).properties,
    updated_at: Type.Optional(DateTime),
    abandoned: Type.Optional(Type.Boolean({ description: 'the person left before finishing' })),
  },
  { ...closed, title: 'ProgressRequest' },
);
export type ProgressRequest = Static<typeof ProgressRequest>;
