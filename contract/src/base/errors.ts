import { type Static, Type } from 'typebox';
import type { FaultCode, FaultParams } from './fault.ts';
import { MapOf } from './map.ts';

/** Stable codes that clients branch on, each with its HTTP status. */
export const ERROR_STATUS = {
  invalid_request: 400,
  unknown_step: 400,
  unauthorized: 401,
  forbidden: 403,
  reauthentication_required: 403,
  not_found: 404,
  idempotency_in_progress: 409,
  idempotency_key_used: 409,
  step_full: 409,
  steps_incomplete: 409,
  already_finalized: 409,
  verification_closed: 409,
  template_revoked: 409,
  not_completed: 409,
  on_hold: 409,
  last_owner: 409,
  already_member: 409,
  mode_changed: 409,
  not_configured: 409,
  not_reviewable: 409,
  claimed: 409,
  already_decided: 409,
  review_changed: 409,
  own_photo: 409,
  undo_expired: 409,
  expired: 410,
  redacted: 410,
  idempotency_conflict: 422,
  too_many_requests: 429,
  internal_error: 500,
  storage_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** What each code means and what the caller can do. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, string>> = {
  invalid_request:
    'The request breaks a rule. `fields` names each fault. Correct the request; the same one fails again.',
  unknown_step: 'The verification has no image or upload step with this `step_key`. Use a key of `config.steps`.',
  unauthorized: 'The request has no valid credential. Check the key and the `Authorization` header.',
  forbidden:
    'The credential is valid and does not open this. Use a secret key, or ask an owner for the role. `fields` names members that a key for apps may not send.',
  reauthentication_required:
    'The person signed in more than 15 minutes ago. Let them sign in again, then repeat the request.',
  not_found: 'The id is unknown or belongs to another account.',
  idempotency_in_progress:
    'The first request with this `Idempotency-Key` still runs. Repeat the request after a second.',
  idempotency_key_used:
    'A key for apps was used with this `Idempotency-Key` before. Send the next request with a new random UUID.',
  step_full: 'The step holds its maximum of photos. Drop the photo.',
  steps_incomplete: 'Required photos or answers are missing. Wait for the claimant, then finalize.',
  already_finalized: 'The case was finalized before with another narrative.',
  verification_closed: 'The verification has ended and takes no photos, answers or changes.',
  template_revoked: 'The link template was revoked. Create a new template.',
  not_completed: 'The verification has not ended, or it holds no photo. Wait for its verdict.',
  on_hold: 'A legal hold keeps the verification. Lift the hold before you redact it.',
  last_owner: 'The account would be left without an owner. Make another person an owner first.',
  already_member: 'The person is already a member of the account.',
  mode_changed:
    'The session was switched to the other mode after `Firsthand-Mode` was set, as in another tab. Nothing was changed. Read `GET /v1/me` again.',
  not_configured: 'The installation has no settings for this. `message` names them.',
  not_reviewable: 'Only a completed or failed verification can be reviewed.',
  claimed: 'Another person has claimed the case. Claim another one.',
  already_decided: 'The case is decided. Read its reviews.',
  review_changed:
    'Somebody else worked on the case since you read it. `params` say where it stands. Read it again, then decide.',
  own_photo: 'The reviewer sent a photo of this verification. Another person must review it.',
  undo_expired: 'A review can be undone for 10 minutes. Ask for another review instead.',
  expired: 'The verification or the link has expired. Create a new verification.',
  redacted: 'The photos and personal data were erased. They cannot be read again.',
  idempotency_conflict: 'The `Idempotency-Key` was used with another request. Use a new key.',
  too_many_requests: 'A rate limit is exceeded. Wait for the seconds in `Retry-After`, then repeat the request.',
  internal_error: 'The service failed. Repeat the request; if it fails again, report its `Request-Id`.',
  storage_unavailable: 'The database or the photo store cannot be reached. Repeat the request after `Retry-After`.',
};

type Described = { [C in FaultCode]: { meaning: string; params: Record<keyof Required<FaultParams[C]>, string> } };

/** What each code of a fault means, and each of its parameters. Clients branch on these; a code keeps its meaning. */
export const FAULT_CODES: Readonly<Described> = {
  required: {
    meaning: 'The member is missing.',
    params: { unless: 'members that would do instead', with: 'members that it goes with' },
  },
  unknown_property: { meaning: 'The request has no such member, or the list no such column.', params: {} },
  type: { meaning: 'The value has another JSON type.', params: { expected: 'types of JSON Schema' } },
  enum: { meaning: 'The value is not one of the list.', params: { allowed: 'the list' } },
  pattern: { meaning: 'The text does not match.', params: { pattern: 'a regular expression' } },
  format: {
    meaning: 'The value is not in its format. A date that no calendar holds is not either.',
    params: { format: 'such as `date-time`, `idn-email`, `iri`, `base64`, `json`, `numeric_id`' },
  },
  too_short: { meaning: 'The text is too short.', params: { min: 'characters' } },
  too_long: { meaning: 'The text is too long.', params: { max: 'characters' } },
  too_few: { meaning: 'The list or map holds too little.', params: { min: 'items' } },
  too_many: { meaning: 'The list, map or body holds too much.', params: { max: 'items' } },
  too_small: { meaning: 'The number is too small.', params: { min: 'the least' } },
  too_large: { meaning: 'The number is too large.', params: { max: 'the most' } },
  too_many_bytes: { meaning: 'The body, file or text is too long.', params: { max: 'bytes' } },
  wrong_size: {
    meaning: 'The upload has another length than was announced.',
    params: { bytes: 'the announced length' },
  },
  too_deep: { meaning: 'The JSON is nested too deeply.', params: { max: 'levels' } },
  invalid_name: {
    meaning: 'The name of the member is empty, too long, or cannot be stored.',
    params: { min: 'characters', max: 'characters' },
  },
  unusable_text: { meaning: 'The text holds characters that cannot be stored, or that were lost before.', params: {} },
  duplicate: { meaning: 'The value must be unique and is there already.', params: {} },
  conflict: {
    meaning: 'The value contradicts another one of the request, or of an earlier request.',
    params: { with: 'the members that it contradicts', max: 'the most that may lie between the two' },
  },
  not_allowed: {
    meaning: 'The value is known, but not for this credential, account, link template or installation.',
    params: { missing: 'what the list must hold too' },
  },
  read_only: { meaning: 'The member cannot be set.', params: {} },
  masked: { meaning: 'The URL has `***` in place of its secret. Send the whole URL.', params: {} },
  unknown_reference: { meaning: 'The value names nothing here that the caller may use.', params: {} },
  revoked: { meaning: 'The value names a link template that was revoked.', params: {} },
  not_configured: {
    meaning: 'The installation lacks what the value asks for.',
    params: { settings: 'any one of these enables it' },
  },
  incomplete: { meaning: 'The body ended before it was complete. Send it again.', params: {} },
  unsupported_type: { meaning: 'The media type is not accepted.', params: { accepted: 'media types' } },
  truncated: { meaning: 'The picture file has no end: part of it is missing.', params: {} },
  undecodable: { meaning: 'The picture cannot be decoded.', params: {} },
  too_many_pixels: { meaning: 'The picture has too many pixels.', params: { max: 'megapixels' } },
  too_few_pixels: {
    meaning: 'The picture is too small for its step.',
    params: { min: 'pixels on the long side', width: 'pixels it has', height: 'pixels it has' },
  },
  not_uploaded: { meaning: 'Nothing was uploaded under this key. Upload the bytes again.', params: {} },
  hash_mismatch: { meaning: 'The uploaded bytes have another SHA-256. Upload them again.', params: {} },
  cell_count: {
    meaning: 'The row of a CSV has more cells than the header.',
    params: { cells: 'cells of the row', columns: 'cells of the header' },
  },
  no_heading: { meaning: 'The row of a CSV has a cell under no heading.', params: { column: 'its number, from 1' } },
  invalid: { meaning: 'The value breaks another rule. `message` says which.', params: {} },
};

const FaultCodes = Type.Enum(Object.keys(FAULT_CODES) as FaultCode[], {
  title: 'FaultCode',
  description: 'what is wrong; docs/errors.md has the meanings',
});

/**
 * A value in `params`. The OpenAPI document leaves its type open: for a union with a list, generators of Java and Go write
 * code that does not compile. Our own clients get this union.
 */
export const FaultParam = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())]);
const Params = MapOf(
  Type.Unsafe<Static<typeof FaultParam>>({
    title: 'FaultParam',
    description: 'a string, a number, a boolean or a list of strings',
  }),
);

export const faultMembers = {
  code: Type.Union([FaultCodes, Type.String()], {
    description: 'Branch on it. Later versions may add codes: treat an unknown one as `invalid`.',
  }),
  params: Type.Optional(
    Type.Unsafe<Static<typeof Params>>({
      ...Params,
      description: 'what the code needs to be told in words, such as the bound that was broken',
    }),
  ),
};

/** The {@link Fault} of an answer. */
const FaultSchema = Type.Object(
  {
    path: Type.String(),
    message: Type.String({ description: 'in English, for people; it may change' }),
    ...faultMembers,
  },
  { additionalProperties: false, title: 'Fault' },
);

export const ErrorResponse = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Enum(Object.keys(ERROR_STATUS) as ErrorCode[], { title: 'ErrorCode' }),
        message: Type.String({ description: 'what went wrong, in English' }),
        doc_url: Type.String({ format: 'uri', description: 'the page of this service that explains the code' }),
        fields: Type.Optional(
          Type.Array(FaultSchema, {
            description:
              'on `invalid_request`, and on `forbidden` where a key for apps sent members that it may not send',
          }),
        ),
        params: Type.Optional(
          Type.Unsafe<Static<typeof Params>>({
            ...Params,
            description:
              'on a refused credential: `sent`, its kind; `accepted`, the kinds that open this; `role` or `scope`, what it lacks. On `review_changed`: `version`, `state`, `decision` and `assigned_to` of the review now',
          }),
        ),
      },
      { additionalProperties: false, title: 'ErrorDetail' },
    ),
  },
  { additionalProperties: false, title: 'ErrorResponse' },
);
export type ErrorResponse = Static<typeof ErrorResponse>;
