import { retryAfterOf } from '../waits.ts';
import type { Fault } from './wire.ts';

/** An error from the service. `code` is `http_<status>` when the response had no error envelope. */
export class ApiError extends Error {
  // `declare`: only the constructor sets these. A field in the output would cost every page a helper for older browsers.
  declare readonly status: number;
  declare readonly code: string;
  /** The faults of the request. Branch on their `code`. */
  declare readonly fields: readonly Fault[];
  /** The wait that the service asks for in `Retry-After`. */
  declare readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, message: string, fields: readonly Fault[] = [], retryAfterMs?: number) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.retryAfterMs = retryAfterMs;
  }

  names(path: string): boolean {
    return this.fields.some(field => field.path === path);
  }
}

/**
 * No answer arrived: offline, a broken connection, or a stalled request. The request may or may not have taken effect.
 */
export class NetworkError extends Error {
  constructor(cause?: unknown) {
    super('The service could not be reached.', { cause });
    this.name = 'NetworkError';
  }
}

const RETRIED_CODES = new Set([
  'too_many_requests',
  'storage_unavailable',
  'internal_error',
  'idempotency_in_progress',
]);

/** Whether the same request may succeed later without any change. */
export function isTransient(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  return (
    error instanceof ApiError &&
    (error.status >= 500 || error.status === 408 || error.status === 429 || RETRIED_CODES.has(error.code))
  );
}

export async function errorFromResponse(response: Response): Promise<ApiError> {
  const retryAfterMs = retryAfterOf(response);
  try {
    const body = (await response.json()) as {
      error?: { code?: unknown; message?: unknown; fields?: Fault[] };
    };
    if (typeof body.error?.code === 'string') {
      return new ApiError(
        response.status,
        body.error.code,
        String(body.error.message),
        body.error.fields,
        retryAfterMs,
      );
    }
  } catch {
    // A proxy's page or a truncated body is not the service's answer. The status still says what to do.
  }
  return new ApiError(response.status, `http_${response.status}`, `HTTP ${response.status}`, [], retryAfterMs);
}
