import { ERROR_STATUS, type ErrorCode, type ErrorResponse } from '@firsthand/contract/base/errors.ts';
import { type Fault, type FaultArguments, type FaultCode, fault } from '@firsthand/contract/base/fault.ts';

/**
 * An error of the contract. `message` is public; `cause` goes only to the log. Throw it anywhere below a handler; the
 * HTTP layer converts it to the envelope.
 */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ErrorCode;
  readonly fields: Fault[] | undefined;
  readonly params: ErrorResponse['error']['params'];
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    o: {
      fields?: Fault[];
      params?: ErrorResponse['error']['params'];
      retryAfterSeconds?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: o.cause });
    this.code = code;
    this.fields = o.fields;
    this.params = o.params;
    this.retryAfterSeconds = o.retryAfterSeconds;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }

  /** `origin`: the address of this service; its docs explain every code. */
  toBody(origin: string): ErrorResponse {
    const { code, message, fields, params } = this;
    const more = { ...(fields ? { fields } : {}), ...(params ? { params } : {}) };
    return { error: { code, message, doc_url: docUrl(origin, code), ...more } };
  }
}

/** The address that explains an error code. */
export const docUrl = (origin: string, code: ErrorCode): string => `${origin}/docs/errors#${code}`;

export const invalid = (fields: Fault[]): Problem =>
  new Problem('invalid_request', 'The request is not valid. See "fields" for each fault.', { fields });
export const invalidField = <C extends FaultCode>(...said: FaultArguments<C>): Problem => invalid([fault(...said)]);
export const notFound = (): Problem => new Problem('not_found', 'Nothing was found at this address.');
export const unauthorized = (): Problem =>
  new Problem('unauthorized', 'The request has no valid credential. Send "Authorization: Bearer <API key>".');
export const forbidden = (): Problem => new Problem('forbidden', 'This credential does not allow that.');
export const forbiddenMembers = (fields: Fault[]): Problem =>
  new Problem('forbidden', 'This key may not send everything in this request. See "fields".', { fields });
export const reauthenticationRequired = (): Problem =>
  new Problem('reauthentication_required', 'Sign in again. This needs a sign-in within the last 15 minutes.');
export const modeChanged = (livemode: boolean): Problem =>
  new Problem('mode_changed', `This session is in ${livemode ? 'live' : 'test'} mode now. Nothing was changed.`);
/** The one answer to every failed sign-in. It does not distinguish used, expired, unknown and wrong proofs. */
export const signInRefused = (): Problem =>
  new Problem('unauthorized', 'This link, code or passkey does not sign you in. Ask for a new one.');
export const notConfigured = (missing: string): Problem => new Problem('not_configured', missing);
export const expired = (): Problem => new Problem('expired', 'The verification has expired. Ask for a new link.');
export const redacted = (): Problem =>
  new Problem('redacted', 'The verification was redacted: its photos and personal data were deleted.');
export const verificationClosed = (): Problem =>
  new Problem('verification_closed', 'The verification is closed and accepts no more changes.');
/** An error of the store that only the operator can end has the advice as its message, and the name BucketUnfit. */
export const storageUnavailable = (cause: unknown): Problem =>
  new Problem(
    'storage_unavailable',
    (cause as Error).name === 'BucketUnfit'
      ? (cause as Error).message
      : 'The image store cannot be reached. Nothing was lost. Try again shortly.',
    { retryAfterSeconds: (cause as Error).name === 'BucketUnfit' ? 300 : 5, cause },
  );
export const databaseUnavailable = (cause: unknown): Problem =>
  new Problem('storage_unavailable', 'The database cannot be reached. Try again shortly.', {
    retryAfterSeconds: 5,
    cause,
  });
