import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import type { Fault } from '@firsthand/contract/errors.ts';
import type { FastifyRequest } from 'fastify';
import { isRecord } from '../lib/ask-json.ts';
import { Stalled, untilStalled } from '../lib/stall.ts';
import { turn } from '../lib/turns.ts';
import { invalidField, type Problem } from './problem.ts';
import { IMAGE_PLACEHOLDER, scan } from './structure.ts';

/** A longer body waits for its own turn before anything copies or reads it. */
const LONG_BYTES = 65_536;
const FIRST_BYTES = 16_384;

/**
 * Reads a request's body, however slowly it arrives. Throws `invalid_request` when it is too long, was cut off, or
 * sends nothing for `stallMs`.
 */
export async function readBody(
  request: FastifyRequest,
  payload: Readable,
  o: { maxBytes: number; stallMs: number },
): Promise<Buffer> {
  const tooLarge = (): Problem => invalidField('body', 'is too large');
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > o.maxBytes) throw tooLarge();
  // Allocates memory for the bytes that arrived, not for the announced length.
  let bytes = Buffer.allocUnsafe(Math.min(Math.max(declared, 1), FIRST_BYTES));
  let length = 0;
  try {
    for await (const chunk of untilStalled(payload, o.stallMs)) {
      const needed = length + chunk.length;
      if (needed > o.maxBytes) throw tooLarge();
      if (needed > bytes.length) {
        if (length > LONG_BYTES) await turn();
        const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(declared || o.maxBytes, 2 * bytes.length)));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      length += chunk.copy(bytes, length);
    }
  } catch (error) {
    if (error instanceof Stalled) throw invalidField('body', 'stopped coming');
    // The connection broke: nobody receives this answer.
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET') throw invalidField('body', 'was cut');
    throw error;
  }
  return bytes.subarray(0, length);
}

/**
 * A body after parsing: its JSON, and the base64 of its pictures as the JSON holds it; or the reason why it has
 * neither.
 */
export interface ParsedBody {
  value: unknown;
  images: ReadonlyMap<string, Buffer>;
  fault: Fault | null;
}

/** Parses JSON within the bounds on its form. An empty body has the value undefined. */
export async function parseBody(
  request: FastifyRequest,
  raw: Buffer,
  imageFields: readonly string[],
): Promise<ParsedBody> {
  const none = (message?: string): ParsedBody => ({
    value: undefined,
    images: new Map(),
    fault: message === undefined ? null : { path: 'body', message },
  });
  if (raw.length === 0) return none();
  const type = (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== 'application/json') return none('must be sent as application/json');
  if (raw.length > LONG_BYTES) await turn();
  const { fault, text, images } = scan(raw, imageFields);
  if (fault) return { ...none(), fault };
  if (!isUtf8(text)) return none('is not UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text.toString('utf8'));
  } catch {
    return none('is not valid JSON');
  }
  // The scan does not recognise a picture field whose name is written with escapes.
  for (const field of imageFields) {
    const image = isRecord(value) ? value[field] : undefined;
    if (typeof image === 'string' && image !== IMAGE_PLACEHOLDER) images.set(field, Buffer.from(image));
  }
  return { value, images, fault: null };
}
