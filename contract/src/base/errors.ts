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
        fields: Type.Optional(Type.Array(Fault, { description: 'only on invalid_request' })),
      },
      { additionalProperties: false, title: 'ErrorDetail' },
    ),
  },
  { additionalProperties: false, title: 'ErrorResponse' },
);
export type ErrorResponse = Static<typeof ErrorResponse>;
