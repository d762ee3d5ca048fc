import { type Static, Type } from 'typebox';
import { DateTime, IdSchema } from './ids.ts';
import { GeoPoint, Progress } from './verification.ts';

const closed = { additionalProperties: false } as const;

/** Body of POST …/captures/upload-url. One of the two spellings of the content type is needed. */
export const UploadUrlRequest = Type.Object(
  {
    contentType: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    content_type: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    step_key: Type.Optional(Type.String()),
    size_bytes: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  closed,
);
export type UploadUrlRequest = Static<typeof UploadUrlRequest>;

export const UploadUrlResponse = Type.Object(
  {
    capture_id: IdSchema('cap'),
    image_key: Type.String(),
    upload_url: Type.String(),
    method: Type.Literal('PUT'),
    headers: Type.Record(Type.String(), Type.String(), { description: 'the client must send these' }),
    expires_at: DateTime,
  },
  closed,
);
export type UploadUrlResponse = Static<typeof UploadUrlResponse>;

/** Body of POST …/captures: `image_base64`, or `image_key` with `image_sha256`; the rest goes with both. */
export const CaptureRequest = Type.Object(
  {
    image_base64: Type.Optional(Type.String({ minLength: 1 })),
    image_key: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    image_sha256: Type.Optional(Type.String({ pattern: '^[0-9a-fA-F]{64}$' })),
    step_key: Type.Optional(Type.String()),
    surface: Type.Optional(Type.String({ maxLength: 40 })),
    client_captured_at: Type.Optional(DateTime),
    location: Type.Optional(GeoPoint),
    motion_frame_base64: Type.Optional(Type.String({ minLength: 1 })),
    motion_frame_key: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
    attestation_token: Type.Optional(Type.String({ minLength: 1, maxLength: 20_000 })),
  },
  closed,
);
export type CaptureRequest = Static<typeof CaptureRequest>;

export const AnswersRequest = Type.Object(
  { answers: Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 2_000 }), { minProperties: 1 }) },
  closed,
);
export type AnswersRequest = Static<typeof AnswersRequest>;

export const ProgressRequest = Type.Object(
  {
    ...Type.Omit(Progress, ['updated_at']).properties,
    updated_at: Type.Optional(DateTime),
    abandoned: Type.Optional(Type.Boolean({ description: 'the person left before finishing' })),
  },
  closed,
);
export type ProgressRequest = Static<typeof ProgressRequest>;
