import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { type Fault, fault } from '@firsthand/contract/base/fault.ts';
import type { FastifyRequest } from 'fastify';
import { isRecord } from '../lib/ask-json.ts';
import { turn } from '../lib/event-loop.ts';
import { Stalled, untilStalled } from '../lib/stall.ts';
import { inflated, isEncoded } from './inflate.ts';
import { invalidField, type Problem } from './problem.ts';
import { IMAGE_PLACEHOLDER, type Scanned, Scanner } from './structure.ts';

/** A longer body waits for its own turn before anything parses it. */
const LONG_BYTES = 65_536;
const FIRST_BYTES = 16_384;

/** A request's body as it arrived. */
export interface ReceivedBody {
  /** Empty where the form is refused, and the endpoint does not check a signature over the bytes. */
  raw: Buffer;
  /** Null for another content type than JSON. */
  json: Scanned | { fault: Fault } | null;
}

/**
 * Reads a request's body, however slowly it arrives, and checks the form of JSON on the way: the bytes of a body that is past
 * a bound are dropped as they come. Throws `invalid_request` when it is too long, was cut off, or sends nothing for
 * `stallMs`. `unread`: the handler reads the bytes itself, whatever their form.
 */
export async function readBody(
  request: FastifyRequest,
  payload: Readable,
  o: { maxBytes: number; stallMs: number; imageFields: readonly string[]; signed: boolean; unread: boolean },
): Promise<ReceivedBody> {
  const tooLarge = (): Problem => invalidField('body', 'too_many_bytes', 'is too large', { max: o.maxBytes });
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > o.maxBytes) throw tooLarge();
  const scanner = isJson(request) && !o.unread ? new Scanner(o.imageFields) : null;
  let found: Fault | null = null;
  const source = inflated(request, payload);
  let bytes = Buffer.alloc(0);
  let length = 0;
  try {
    for await (const chunk of untilStalled(source.bytes, o.stallMs)) {
      const needed = length + chunk.length;
      if (needed > o.maxBytes) throw tooLarge();
      if (found === null || o.signed) {
        if (needed > bytes.length)
          bytes = grown(bytes, length, needed, (isEncoded(request) ? 0 : declared) || o.maxBytes);
        chunk.copy(bytes, length);
        found ??= scanner?.advance(bytes.subarray(0, needed)) ?? null;
        if (found && !o.signed) bytes = Buffer.alloc(0);
      }
      length = needed;
      // Otherwise the event loop reads megabytes of one connection before it turns to another.
      if (length > LONG_BYTES) await turn();
    }
  } catch (error) {
    if (error instanceof Stalled) throw invalidField('body', 'incomplete', 'stopped arriving before it was complete');
    // The connection broke: nobody receives this answer.
    if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
      throw invalidField('body', 'incomplete', 'was cut off before it was complete');
    if (source.isBroken()) {
      const format = String(request.headers['content-encoding']).trim().toLowerCase();
      throw invalidField('body', 'format', 'is not what its Content-Encoding says', { format });
    }
    throw error;
  } finally {
    source.close();
  }
  const raw = bytes.subarray(0, length);
  if (length === 0 || scanner === null) return { raw, json: null };
  return { raw, json: found ? { fault: found } : scanner.finish(raw) };
}

/**
 * A buffer with room for `needed` bytes. A long body gets its whole length at once: the system gives memory when it is
 * written to, so an announced length costs nothing, and nothing is copied twice.
 */
function grown(bytes: Buffer, length: number, needed: number, most: number): Buffer<ArrayBuffer> {
  const size = needed > LONG_BYTES ? most : Math.min(most, Math.max(FIRST_BYTES, 2 * bytes.length));
  const larger = Buffer.allocUnsafe(Math.max(needed, size));
  bytes.copy(larger, 0, 0, length);
  return larger;
}

/** Programs on Windows begin UTF-8 with a byte order mark. */
export const withoutMark = (text: Buffer): Buffer => (text.indexOf('\uFEFF') === 0 ? text.subarray(3) : text);

const isJson = (request: FastifyRequest): boolean =>
  (request.headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase() === 'application/json';

/**
 * A body after parsing: its JSON, and the base64 of its pictures as the JSON holds it; or the reason why it has
 * neither.
 */
export interface ParsedBody {
  value: unknown;
  images: ReadonlyMap<string, Buffer>;
  fault: Fault | null;
}

const notJson = fault('body', 'unsupported_type', 'must be sent as application/json', {
  accepted: ['application/json'],
});

/** Parses JSON within the bounds on its form. An empty body has the value undefined. */
export async function parseBody(body: ReceivedBody | null, imageFields: readonly string[]): Promise<ParsedBody> {
  const none = (found: Fault | null = null): ParsedBody => ({ value: undefined, images: new Map(), fault: found });
  if (!body?.json) return none(body?.raw.length ? notJson : null);
  if ('fault' in body.json) return none(body.json.fault);
  if (body.raw.length > LONG_BYTES) await turn();
  const { text, images } = body.json;
  if (!isUtf8(text)) return none(fault('body', 'format', 'is not UTF-8', { format: 'utf-8' }));
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(text).toString('utf8'));
  } catch {
    return none(fault('body', 'format', 'is not valid JSON', { format: 'json' }));
  }
  // The scan does not recognise a picture field whose name is written with escapes.
  for (const field of imageFields) {
    const image = isRecord(value) ? value[field] : undefined;
    if (typeof image === 'string' && image !== IMAGE_PLACEHOLDER) images.set(field, Buffer.from(image));
  }
  return { value, images, fault: null };
}
