import { type Static, Type } from 'typebox';

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
  not_configured: 409,
  not_reviewable: 409,
  claimed: 409,
  already_decided: 409,
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
  not_configured: 'The installation has no settings for this. `message` names them.',
  not_reviewable: 'Only a completed or failed verification can be reviewed.',
  claimed: 'Another person has claimed the case. Claim another one.',
  already_decided: 'The case is decided. Read its reviews.',
  own_photo: 'The reviewer sent a photo of this verification. Another person must review it.',
  undo_expired: 'A review can be undone for 10 minutes. Ask for another review instead.',
  expired: 'The verification or the link has expired. Create a new verification.',
  redacted: 'The photos and personal data were erased. They cannot be read again.',
  idempotency_conflict: 'The `Idempotency-Key` was used with another request. Use a new key.',
  too_many_requests: 'A rate limit is exceeded. Wait for the seconds in `Retry-After`, then repeat the request.',
  internal_error: 'The service failed. Repeat the request; if it fails again, report its `Request-Id`.',
  storage_unavailable: 'The database or the photo store cannot be reached. Repeat the request after `Retry-After`.',
};

/** One fault of a request: where (dotted path, `steps.0.max`) and what. */
export const Fault = Type.Object(
  { path: Type.String(), message: Type.String() },
  { additionalProperties: false, title: 'Fault' },
);
export type Fault = Static<typeof Fault>;

export const ErrorResponse = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Enum(Object.keys(ERROR_STATUS) as ErrorCode[], { title: 'ErrorCode' }),
        message: Type.String({ description: 'what went wrong, in English' }),
        fields: Type.Optional(
          Type.Array(Fault, {
            description:
              'on `invalid_request`, and on `forbidden` where a key for apps sent members that it may not send',
          }),
        ),
      },
      { additionalProperties: false, title: 'ErrorDetail' },
    ),
  },
  { additionalProperties: false, title: 'ErrorResponse' },
);
export type ErrorResponse = Static<typeof ErrorResponse>;
