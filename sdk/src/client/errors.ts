import type { Fault, FaultCode } from '../api.generated.ts';

export interface FirsthandErrorOptions {
  code: string;
  requestId?: string | undefined;
  cause?: unknown;
}

/** Every error of the client. `code` says which; branch on it or on the class. */
export class FirsthandError extends Error {
  override name = 'FirsthandError';
  readonly code: string;
  /** The `Request-Id` of the answer. The service's log has the details under it. */
  readonly requestId: string | undefined;

  constructor(message: string, { code, requestId, cause }: FirsthandErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.requestId = requestId;
  }
}

/** One fault of a request: where (`steps.0.max`) and why. Branch on `code`; `params` holds what it needs to be told in words. */
export interface FieldFault extends Fault {
  code: FaultCode | (string & Record<never, never>);
}

export interface ApiErrorOptions extends FirsthandErrorOptions {
  status: number;
  fields?: readonly FieldFault[] | undefined;
  params?: Fault['params'] | undefined;
  docUrl?: string | undefined;
  retryAfterMs?: number | undefined;
}

/** The service refused. `code` is `http_<status>` when something other than the service answered. */
export class ApiError extends FirsthandError {
  override name = 'ApiError';
  readonly status: number;
  /** The faults of an `invalid_request`; empty otherwise. */
  readonly fields: readonly FieldFault[];
  /** What the code needs to be told in words, such as the kinds of credential that are accepted; empty for most codes. */
  readonly params: NonNullable<Fault['params']>;
  /** The page of the service that explains the code. */
  readonly docUrl: string | undefined;
  /** The wait that `Retry-After` asks for. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, o: ApiErrorOptions) {
    super(message, o);
    this.name = new.target.name;
    this.status = o.status;
    this.fields = o.fields ?? [];
    this.params = o.params ?? {};
    this.docUrl = o.docUrl;
    this.retryAfterMs = o.retryAfterMs;
  }
}

/** A remark for a process whose environment names a proxy that Node.js leaves unused; `curl` beside it uses it. */
function unusedProxy(): string {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const { env } = process ?? {};
  const named = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find(name => env?.[name]);
  if (!env || !named || env.NODE_USE_ENV_PROXY) return '';
  return `. ${named} is set, but Node.js uses it only with NODE_USE_ENV_PROXY=1`;
}

/** No complete answer arrived. The request may or may not have taken effect. */
export class ConnectionError extends FirsthandError {
  override name = 'ConnectionError';

  constructor(url: string, cause: unknown) {
    const { code, message } = ((cause as Error | undefined)?.cause ?? cause ?? {}) as {
      code?: string;
      message?: string;
    };
    const why = code ?? message ?? 'connection lost';
    super(`${url} does not answer (${why})${unusedProxy()}`, { code: 'connection_error', cause });
  }
}

/** No answer arrived in time, or `waitForVerdict` ended without a verdict. */
export class TimeoutError extends FirsthandError {
  override name = 'TimeoutError';

  constructor(message: string) {
    super(message, { code: 'timeout' });
  }
}
