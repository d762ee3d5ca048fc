import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IMAGE_PLACEHOLDER, Scanner, STRUCTURE } from './structure.ts';

const FIELDS = ['image_base64'];

/** The scanner's answer for bytes that arrive in parts; `parts` gives their lengths in turns. */
function scan(raw: Buffer, parts: readonly number[]) {
  const scanner = new Scanner(FIELDS);
  for (let [end, turn] = [0, 0]; end < raw.length; turn += 1) {
    end = Math.min(raw.length, end + parts[turn % parts.length]!);
    const fault = scanner.advance(raw.subarray(0, end));
    if (fault) return { fault, text: Buffer.alloc(0), images: new Map<string, Buffer>() };
  }
  return { fault: null, ...scanner.finish(raw) };
}
const read = (json: string) => scan(Buffer.from(json), [Number.POSITIVE_INFINITY]);

const nodesOf = (value: unknown): number =>
  1 +
  (typeof value === 'object' && value !== null ? Object.values(value).reduce<number>((n, v) => n + nodesOf(v), 0) : 0);

describe('Scanner', () => {
  it('keeps a body without pictures byte for byte, and counts its values as JSON.parse would', () => {
    const spaced = fc.tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'));
    fc.assert(
      fc.property(spaced, ([value, indent]) => {
        const json = JSON.stringify(value, null, indent);
        const { fault, text, images } = read(json);
        expect([fault, text.toString(), images.size]).toEqual([null, json, 0]);
        // With so many more beside it, it is one too many; with one fewer, not.
        const room = STRUCTURE.nodes - 1 - nodesOf(value);
        const filled = (n: number) => `[${json}${',0'.repeat(n)}]`;
        expect(read(filled(room)).fault).toBeNull();
        expect(read(filled(room + 1)).fault?.message).toBe('holds more than 10000 values');
      }),
      { numRuns: 60 },
    );
  });

  it('takes the picture out wherever it is in the object, and keeps the rest', () => {
    const rest = fc.dictionary(
      fc.string({ maxLength: 8 }).filter(name => name !== 'image_base64' && name !== '__proto__'),
      fc.jsonValue({ maxDepth: 3 }),
      { maxKeys: 5 },
    );
    fc.assert(
      fc.property(rest, fc.base64String({ minLength: 4 }), fc.nat(), (members, picture, at) => {
        const entries = Object.entries(members);
        entries.splice(at % (entries.length + 1), 0, ['image_base64', picture]);
        const json = JSON.stringify(Object.fromEntries(entries));
        const { fault, text, images } = read(json);
        expect(fault).toBeNull();
        expect(images.get('image_base64')?.toString()).toBe(picture);
        expect(JSON.parse(text.toString())).toEqual({ ...JSON.parse(json), image_base64: IMAGE_PLACEHOLDER });
      }),
    );
  });

  it('takes no picture out of a nested object, a list or an empty text', () => {
    for (const json of [
      '{"a":{"image_base64":"AAAA"}}',
      '[{"image_base64":"AAAA"}]',
      '["image_base64","AAAA"]',
      '{"image_base64":["AAAA"]}',
      '{"image_base64":""}',
      '{"a":"image_base64","b":"AAAA"}',
    ]) {
      const { fault, text, images } = read(json);
      expect([json, fault, text.toString(), images.size]).toEqual([json, null, json, 0]);
    }
  });

  it('reports a picture that is not Base64, or sent twice', () => {
    expect(read('{"image_base64":"AA\\"AA"}').fault).toEqual({
      path: 'image_base64',
      message: 'is not base64 (RFC 4648)',
      code: 'format',
      params: { format: 'base64' },
    });
    expect(read('{"image_base64":"AAAA","image_base64":"AAAA"}').fault?.path).toBe('image_base64');
  });

  it('accepts a body at its bounds and refuses one beyond them', () => {
    const at = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    const cases: [string, string | null][] = [
      [at(64), null],
      [at(65), 'is nested more than 64 levels deep'],
      [`"${'x'.repeat(STRUCTURE.stringBytes)}"`, null],
      [`"${'x'.repeat(STRUCTURE.stringBytes + 1)}"`, 'holds a text of more than 262144 bytes'],
      [`{"${'n'.repeat(STRUCTURE.nameBytes)}":1}`, null],
      [`{"${'n'.repeat(STRUCTURE.nameBytes + 1)}":1}`, 'holds a name of more than 1024 bytes'],
      [' '.repeat(STRUCTURE.textBytes + 2), 'is too large'],
      [`{"image_base64":"${'A'.repeat(2 * STRUCTURE.textBytes)}"}`, null],
    ];
    for (const [json, message] of cases) expect(read(json).fault?.message ?? null).toBe(message);
  });

  it('ends on any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 200 });
    const signs = fc.string({
      unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', ' ', 'a', 'image_base64'),
    });
    fc.assert(fc.property(bytes, raw => void scan(Buffer.from(raw), [raw.length])));
    fc.assert(fc.property(signs, raw => void read(raw)));
  });

  it('says the same of a body however it is cut', () => {
    const signs = fc.string({
      unit: fc.constantFrom('{"image_base64":"', '{', '}', '[', ']', '"', '\\', '\\"', ',', ':', ' ', 'AAAA', 'é'),
      maxLength: 40,
    });
    const parts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(signs, parts, (json, lengths) => {
        expect(scan(Buffer.from(json), lengths)).toEqual(read(json));
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses a body as soon as the bytes so far are past a bound', () => {
    const raw = Buffer.from('['.repeat(100_000));
    const scanner = new Scanner(FIELDS);
    expect(scanner.advance(raw.subarray(0, 64))).toBeNull();
    expect(scanner.advance(raw.subarray(0, 65))?.message).toBe('is nested more than 64 levels deep');
  });
});
