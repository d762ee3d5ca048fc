// Written by scripts/generate-sdk.ts from the OpenAPI document; do not edit.

import { ApiError } from './errors.ts';

/** 400 `invalid_request`. The request breaks a rule. `fields` names each fault. Correct the request; the same one fails again. */
export class InvalidRequestError extends ApiError {}

/** 400 `unknown_step`. The verification has no image or upload step with this `step_key`. Use a key of `config.steps`. */
export class UnknownStepError extends ApiError {}

/** 401 `unauthorized`. The request has no valid credential. Check the key and the `Authorization` header. */
export class UnauthorizedError extends ApiError {}

/** 403 `forbidden`. The credential is valid and does not open this. Use a secret key, or ask an owner for the role. `fields` names members that a key for apps may not send. */
export class ForbiddenError extends ApiError {}

/** 403 `reauthentication_required`. The person signed in more than 15 minutes ago. Let them sign in again, then repeat the request. */
export class ReauthenticationRequiredError extends ApiError {}

/** 404 `not_found`. The id is unknown or belongs to another account. */
export class NotFoundError extends ApiError {}

/** 409 `idempotency_in_progress`. The first request with this `Idempotency-Key` still runs. Repeat the request after a second. */
export class IdempotencyInProgressError extends ApiError {}

/** 409 `idempotency_key_used`. A key for apps was used with this `Idempotency-Key` before. Send the next request with a new random UUID. */
export class IdempotencyKeyUsedError extends ApiError {}

/** 409 `step_full`. The step holds its maximum of photos. Drop the photo. */
export class StepFullError extends ApiError {}

/** 409 `steps_incomplete`. Required photos or answers are missing. Wait for the claimant, then finalize. */
export class StepsIncompleteError extends ApiError {}

/** 409 `already_finalized`. The case was finalized before with another narrative. */
export class AlreadyFinalizedError extends ApiError {}

/** 409 `verification_closed`. The verification has ended and takes no photos, answers or changes. */
export class VerificationClosedError extends ApiError {}

/** 409 `template_revoked`. The link template was revoked. Create a new template. */
export class TemplateRevokedError extends ApiError {}

/** 409 `not_completed`. The verification has not ended, or it holds no photo. Wait for its verdict. */
export class NotCompletedError extends ApiError {}

/** 409 `on_hold`. A legal hold keeps the verification. Lift the hold before you redact it. */
export class OnHoldError extends ApiError {}

/** 409 `last_owner`. The account would be left without an owner. Make another person an owner first. */
export class LastOwnerError extends ApiError {}

/** 409 `already_member`. The person is already a member of the account. */
export class AlreadyMemberError extends ApiError {}

/** 409 `not_configured`. The installation has no settings for this. `message` names them. */
export class NotConfiguredError extends ApiError {}

/** 409 `not_reviewable`. Only a completed or failed verification can be reviewed. */
export class NotReviewableError extends ApiError {}

/** 409 `claimed`. Another person has claimed the case. Claim another one. */
export class ClaimedError extends ApiError {}

/** 409 `already_decided`. The case is decided. Read its reviews. */
export class AlreadyDecidedError extends ApiError {}

/** 409 `own_photo`. The reviewer sent a photo of this verification. Another person must review it. */
export class OwnPhotoError extends ApiError {}

/** 409 `undo_expired`. A review can be undone for 10 minutes. Ask for another review instead. */
export class UndoExpiredError extends ApiError {}

/** 410 `expired`. The verification or the link has expired. Create a new verification. */
export class ExpiredError extends ApiError {}

/** 410 `redacted`. The photos and personal data were erased. They cannot be read again. */
export class RedactedError extends ApiError {}

/** 422 `idempotency_conflict`. The `Idempotency-Key` was used with another request. Use a new key. */
export class IdempotencyConflictError extends ApiError {}

/** 429 `too_many_requests`. A rate limit is exceeded. Wait for the seconds in `Retry-After`, then repeat the request. */
export class TooManyRequestsError extends ApiError {}

/** 500 `internal_error`. The service failed. Repeat the request; if it fails again, report its `Request-Id`. */
export class InternalError extends ApiError {}

/** 503 `storage_unavailable`. The database or the photo store cannot be reached. Repeat the request after `Retry-After`. */
export class StorageUnavailableError extends ApiError {}

export const ERRORS: Readonly<Record<string, typeof ApiError>> = {
  invalid_request: InvalidRequestError,
  unknown_step: UnknownStepError,
  unauthorized: UnauthorizedError,
  forbidden: ForbiddenError,
  reauthentication_required: ReauthenticationRequiredError,
  not_found: NotFoundError,
  idempotency_in_progress: IdempotencyInProgressError,
  idempotency_key_used: IdempotencyKeyUsedError,
  step_full: StepFullError,
  steps_incomplete: StepsIncompleteError,
  already_finalized: AlreadyFinalizedError,
  verification_closed: VerificationClosedError,
  template_revoked: TemplateRevokedError,
  not_completed: NotCompletedError,
  on_hold: OnHoldError,
  last_owner: LastOwnerError,
  already_member: AlreadyMemberError,
  not_configured: NotConfiguredError,
  not_reviewable: NotReviewableError,
  claimed: ClaimedError,
  already_decided: AlreadyDecidedError,
  own_photo: OwnPhotoError,
  undo_expired: UndoExpiredError,
  expired: ExpiredError,
  redacted: RedactedError,
  idempotency_conflict: IdempotencyConflictError,
  too_many_requests: TooManyRequestsError,
  internal_error: InternalError,
  storage_unavailable: StorageUnavailableError,
};
