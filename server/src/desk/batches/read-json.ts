import { isUtf8 } from 'node:buffer';
import { duplicate, type Fault, fault } from '@firsthand/contract/base/fault.ts';
import { withoutMark } from '../../platform/http/body.ts';
import { Scanner } from '../../platform/http/structure.ts';
import { isRecord } from '../../platform/lib/ask-json.ts';
import { turn } from '../../platform/lib/event-loop.ts';
import type { RawRow } from './rows.ts';

const ROW_BYTES = 65_536;
const REST_BYTES = 1_048_576;
/** The bytes that are parsed and checked in one turn of the event loop: some milliseconds. */
const SLICE_BYTES = 16_384;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** A body that cannot be read as a batch. */
export class NotBatch extends Error {
  readonly fault: Fault;
  constructor(found: Fault) {
    super(found.message);
    this.fault = found;
  }
}

const notJson = (path = 'body') => new NotBatch(fault(path, 'format', 'is not valid JSON', { format: 'json' }));
const notAnObject = (path: string) => new NotBatch(fault(path, 'type', 'must be an object', { expected: ['object'] }));
const unreadableRow = (path: string) =>
  new NotBatch(fault(path, 'too_many_bytes', 'is too large, or not valid JSON', { max: ROW_BYTES }));

/**
 * Reads a JSON body whose member `rows` may hold megabytes: each row is parsed by itself, a slice of them at a time.
 * Yields the rows, and returns the other members. Throws {@link NotBatch}.
 */
export async function* readJson(body: Buffer): AsyncGenerator<RawRow, Record<string, unknown>> {
  const raw = withoutMark(body);
  if (!isUtf8(raw)) throw new NotBatch(fault('body', 'format', 'is not UTF-8', { format: 'utf-8' }));
  let at = skipSpace(raw, 0);
  if (raw[at] !== 0x7b) throw notAnObject('body');
  at = skipSpace(raw, at + 1);
  const rest: string[] = [];
  let seen = false;
  while (raw[at] !== 0x7d) {
    const nameEnd = raw[at] === QUOTE ? endOfValue(raw, at, REST_BYTES) : -1;
    if (nameEnd < 0) throw notJson();
    const name = raw.toString('utf8', at, nameEnd);
    at = skipSpace(raw, nameEnd);
    if (raw[at] !== COLON) throw notJson();
    at = skipSpace(raw, at + 1);
    if (name === '"rows"' && raw[at] === 0x5b) {
      if (seen) throw new NotBatch(duplicate('rows', 'is sent twice'));
      seen = true;
      at = yield* readRows(raw, at + 1);
      rest.push('"rows":[]');
    } else {
      const end = endOfValue(raw, at, REST_BYTES);
      if (end < 0) throw new NotBatch(fault('body', 'too_many_bytes', 'is too large', { max: REST_BYTES }));
      rest.push(`${name}:${raw.toString('utf8', at, end)}`);
      at = end;
    }
    at = skipSpace(raw, at);
    if (raw[at] === COMMA) at = skipSpace(raw, at + 1);
    else if (raw[at] !== 0x7d) throw notJson();
  }
  if (skipSpace(raw, at + 1) < raw.length) throw notJson();
  return parseBounded(Buffer.from(`{${rest.join(',')}}`), 'body');
}

/** Yields the elements of an array from its first byte on, and returns the index after it. */
async function* readRows(raw: Buffer, start: number): AsyncGenerator<RawRow, number> {
  let at = skipSpace(raw, start);
  let rested = at;
  let row = 0;
  while (raw[at] !== 0x5d) {
    row += 1;
    const end = endOfValue(raw, at, ROW_BYTES);
    if (end < 0) throw unreadableRow(`rows.${row}`);
    yield { row, values: parseBounded(raw.subarray(at, end), `rows.${row}`) };
    if (end - rested > SLICE_BYTES) {
      await turn();
      rested = end;
    }
    at = skipSpace(raw, end);
    if (raw[at] === COMMA) at = skipSpace(raw, at + 1);
    else if (raw[at] !== 0x5d) throw notJson();
  }
  return at + 1;
}

function parseBounded(text: Buffer, path: string): Record<string, unknown> {
  const found = new Scanner([]).advance(text);
  if (found) throw new NotBatch({ ...found, path });
  let value: unknown;
  try {
    value = JSON.parse(text.toString('utf8'));
  } catch {
    throw notJson(path);
  }
  if (!isRecord(value)) throw notAnObject(path);
  return value;
}

function skipSpace(raw: Buffer, from: number): number {
  let at = from;
  while (SPACE.has(raw[at]!)) at += 1;
  return at;
}

/** The index after the value at `start`; -1 when it is longer than `most` bytes or has no end. */
function endOfValue(raw: Buffer, start: number, most: number): number {
  const last = Math.min(raw.length, start + most);
  let depth = 0;
  let text = false;
  for (let at = start; at < last; at += 1) {
    const byte = raw[at]!;
    if (text) {
      if (byte === BACKSLASH) at += 1;
      else if (byte === QUOTE) {
        text = false;
        if (depth === 0) return at + 1;
      }
    } else if (byte === QUOTE) text = true;
    else if (OPEN.has(byte)) depth += 1;
    else if (CLOSE.has(byte)) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === COMMA || SPACE.has(byte))) return at;
  }
  return -1;
}
