# Written by scripts/generate-python.ts from the OpenAPI document; do not edit.

"""A class for each error code of the service."""

from ._errors import ApiError


class InvalidRequestError(ApiError):
    """400 `invalid_request`. The request breaks a rule. `fields` names each fault. Correct the request; the same one fails again."""


class UnknownStepError(ApiError):
    """400 `unknown_step`. The verification has no image or upload step with this `step_key`. Use a key of `config.steps`."""


class UnauthorizedError(ApiError):
    """401 `unauthorized`. The request has no valid credential. Check the key and the `Authorization` header."""


class ForbiddenError(ApiError):
    """403 `forbidden`. The credential is valid and does not open this. Use a secret key, or ask an owner for the role. `fields` names members that a key for apps may not send."""


class ReauthenticationRequiredError(ApiError):
    """403 `reauthentication_required`. The person signed in more than 15 minutes ago. Let them sign in again, then repeat the request."""


class NotFoundError(ApiError):
    """404 `not_found`. The id is unknown or belongs to another account."""


class IdempotencyInProgressError(ApiError):
    """409 `idempotency_in_progress`. The first request with this `Idempotency-Key` still runs. Repeat the request after a second."""


class IdempotencyKeyUsedError(ApiError):
    """409 `idempotency_key_used`. A key for apps was used with this `Idempotency-Key` before. Send the next request with a new random UUID."""


class StepFullError(ApiError):
    """409 `step_full`. The step holds its maximum of photos. Drop the photo."""


class StepsIncompleteError(ApiError):
    """409 `steps_incomplete`. Required photos or answers are missing. Wait for the claimant, then finalize."""


class AlreadyFinalizedError(ApiError):
    """409 `already_finalized`. The case was finalized before with another narrative."""


class VerificationClosedError(ApiError):
    """409 `verification_closed`. The verification has ended and takes no photos, answers or changes."""


class TemplateRevokedError(ApiError):
    """409 `template_revoked`. The link template was revoked. Create a new template."""


class NotCompletedError(ApiError):
    """409 `not_completed`. The verification has not ended, or it holds no photo. Wait for its verdict."""


class OnHoldError(ApiError):
    """409 `on_hold`. A legal hold keeps the verification. Lift the hold before you redact it."""


class LastOwnerError(ApiError):
    """409 `last_owner`. The account would be left without an owner. Make another person an owner first."""


class AlreadyMemberError(ApiError):
    """409 `already_member`. The person is already a member of the account."""


class NotConfiguredError(ApiError):
    """409 `not_configured`. The installation has no settings for this. `message` names them."""


class NotReviewableError(ApiError):
    """409 `not_reviewable`. Only a completed or failed verification can be reviewed."""


class ClaimedError(ApiError):
    """409 `claimed`. Another person has claimed the case. Claim another one."""


class AlreadyDecidedError(ApiError):
    """409 `already_decided`. The case is decided. Read its reviews."""


class OwnPhotoError(ApiError):
    """409 `own_photo`. The reviewer sent a photo of this verification. Another person must review it."""


class UndoExpiredError(ApiError):
    """409 `undo_expired`. A review can be undone for 10 minutes. Ask for another review instead."""


class ExpiredError(ApiError):
    """410 `expired`. The verification or the link has expired. Create a new verification."""


class RedactedError(ApiError):
    """410 `redacted`. The photos and personal data were erased. They cannot be read again."""


class IdempotencyConflictError(ApiError):
    """422 `idempotency_conflict`. The `Idempotency-Key` was used with another request. Use a new key."""


class TooManyRequestsError(ApiError):
    """429 `too_many_requests`. A rate limit is exceeded. Wait for the seconds in `Retry-After`, then repeat the request."""


class InternalError(ApiError):
    """500 `internal_error`. The service failed. Repeat the request; if it fails again, report its `Request-Id`."""


class StorageUnavailableError(ApiError):
    """503 `storage_unavailable`. The database or the photo store cannot be reached. Repeat the request after `Retry-After`."""


ERRORS: dict[str, type[ApiError]] = {
    "invalid_request": InvalidRequestError,
    "unknown_step": UnknownStepError,
    "unauthorized": UnauthorizedError,
    "forbidden": ForbiddenError,
    "reauthentication_required": ReauthenticationRequiredError,
    "not_found": NotFoundError,
    "idempotency_in_progress": IdempotencyInProgressError,
    "idempotency_key_used": IdempotencyKeyUsedError,
    "step_full": StepFullError,
    "steps_incomplete": StepsIncompleteError,
    "already_finalized": AlreadyFinalizedError,
    "verification_closed": VerificationClosedError,
    "template_revoked": TemplateRevokedError,
    "not_completed": NotCompletedError,
    "on_hold": OnHoldError,
    "last_owner": LastOwnerError,
    "already_member": AlreadyMemberError,
    "not_configured": NotConfiguredError,
    "not_reviewable": NotReviewableError,
    "claimed": ClaimedError,
    "already_decided": AlreadyDecidedError,
    "own_photo": OwnPhotoError,
    "undo_expired": UndoExpiredError,
    "expired": ExpiredError,
    "redacted": RedactedError,
    "idempotency_conflict": IdempotencyConflictError,
    "too_many_requests": TooManyRequestsError,
    "internal_error": InternalError,
    "storage_unavailable": StorageUnavailableError,
}

__all__ = [
    "InvalidRequestError",
    "UnknownStepError",
    "UnauthorizedError",
    "ForbiddenError",
    "ReauthenticationRequiredError",
    "NotFoundError",
    "IdempotencyInProgressError",
    "IdempotencyKeyUsedError",
    "StepFullError",
    "StepsIncompleteError",
    "AlreadyFinalizedError",
    "VerificationClosedError",
    "TemplateRevokedError",
    "NotCompletedError",
    "OnHoldError",
    "LastOwnerError",
    "AlreadyMemberError",
    "NotConfiguredError",
    "NotReviewableError",
    "ClaimedError",
    "AlreadyDecidedError",
    "OwnPhotoError",
    "UndoExpiredError",
    "ExpiredError",
    "RedactedError",
    "IdempotencyConflictError",
    "TooManyRequestsError",
    "InternalError",
    "StorageUnavailableError",
]
