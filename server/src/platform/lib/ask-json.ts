/**
 * The reason why an external service gave no usable answer. The message follows the service's name in a sentence and
 * carries no secret.
 */
export class NoAnswer extends Error {
  override name = 'NoAnswer';
  readonly code: 'timeout' | 'unreachable' | 'too_long' | 'not_json';
  constructor(code: NoAnswer['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface Question extends Omit<RequestInit, 'redirect'> {
  /** Ends the request at any point, from the connection to the last byte of the answer: `AbortSignal.timeout(…)`. */
  signal: AbortSignal;
  /** A longer answer is not read to its end. */
  maxBytes: number;
}

export interface JsonAnswer {
  status: number;
  /** The parsed JSON; undefined when an answer other than 2xx has none. */
  body: unknown;
}

/**
 * Sends a request to an external service and reads its JSON answer, whatever its status. Follows no redirects.
 *
 * @throws NoAnswer `timeout` (the signal fired), `unreachable` (no connection, or it broke, or a redirect), `too_long`,
 * `not_json` (2xx with something else).
 */
export async function askJson(url: string, { maxBytes, ...init }: Question): Promise<JsonAnswer> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(url, { ...init, redirect: 'error' });
    text = await readBounded(answer, maxBytes);
  } catch (cause) {
    if (cause instanceof NoAnswer) throw cause;
    if (init.signal.aborted) throw new NoAnswer('timeout', 'did not answer in time', { cause });
    throw new NoAnswer('unreachable', 'could not be reached', { cause });
  }
  try {
    return { status: answer.status, body: JSON.parse(text) };
  } catch {
    if (answer.ok) throw new NoAnswer('not_json', 'answered something other than JSON');
    return { status: answer.status, body: undefined };
  }
}

/** Reads the body as text. Leaving the loop early releases the connection. */
async function readBounded(answer: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of answer.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw new NoAnswer('too_long', `answered with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** True for a JSON object: neither null nor a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
