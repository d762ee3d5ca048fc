import { FAULT_CODES } from '@firsthand/contract/base/errors.ts';
import { CreateVerificationRequest, crossFieldFaults } from '@firsthand/contract/verification/create-verification.ts';
import fc from 'fast-check';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { compileBody, compileQuery, MAX_FAULTS } from './validate.ts';

const create = compileBody(CreateVerificationRequest, crossFieldFaults);

const step = (i: number) =>
  [
    { key: `image-${i}`, min: 0, max: 1 },
    { type: 'image', key: `named-${i}`, description: 'front', min: 0, max: 1 },
    {
      type: 'text',
      key: `text-${i}`,
      required: false,
      validation: { min_length: 1, max_length: 5, format: 'free_text' },
    },
    { type: 'upload', key: `upload-${i}`, min: 0, max: 1, accept: ['image/png', 'image/jpeg'], max_size_bytes: 9 },
  ][i % 4]!;

const whole = (steps: number) => ({
  steps: Array.from({ length: steps }, (_, i) => step(i)),
  expires_in_seconds: 600,
  signals_required: ['screen', 'ai', 'depth'],
  seal: true,
  mode: 'verification',
  context: { kind: 'claim', summary: 'A car', attributes: { colour: 'red', doors: 4, new: true } },
  webhook_url: 'https://example.org/in',
  notify_email: 'a@example.org',
  metadata: { claim: 'C-1', part: 'x' },
  expected_location: 'Here',
  expected_object: 'A car',
  condition_aspects: ['paint', 'glass', 'tyres'],
  expected_info: { source: 'csv', subject: { asset_ref: 'A', person: { name: 'N', phone_e164: '+12345678' } } },
  brand_slug: 'acme',
});

type Node = Record<string, unknown>;
/** Places whose value can be made wrong, and values that are wrong there. Nothing below a place is another place. */
function placesOf(body: ReturnType<typeof whole>): { path: string; wrong: unknown[] }[] {
  const text = [5, null, [], {}, 'x'.repeat(600), ''];
  const places: { path: string; wrong: unknown[] }[] = [
    { path: 'expires_in_seconds', wrong: ['600', 59, 1.5, null] },
    { path: 'seal', wrong: ['true', 0, null] },
    { path: 'mode', wrong: ['live', 1, null] },
    { path: 'context.kind', wrong: text },
    { path: 'context.summary', wrong: text },
    { path: 'context.attributes.colour', wrong: [null, [], {}] },
    { path: 'context.attributes.new', wrong: [null, [1], { a: 1 }] },
    { path: 'webhook_url', wrong: ['', '/in', 7, 'mailto:a@b.c', `https://${'a'.repeat(3_000)}`] },
    { path: 'notify_email', wrong: ['nobody', 7, [], ''] },
    { path: 'metadata.claim', wrong: [1, null, 'x'.repeat(501), ['x']] },
    { path: 'metadata.part', wrong: [{}, true] },
    { path: 'expected_object', wrong: text },
    { path: 'expected_info.source', wrong: ['excel', 3] },
    { path: 'expected_info.subject.asset_ref', wrong: text },
    { path: 'expected_info.subject.person.name', wrong: text },
    { path: 'expected_info.subject.person.phone_e164', wrong: ['1', 5, '+0123456'] },
    { path: 'brand_slug', wrong: ['A', 'a--b', 4] },
  ];
  for (const list of ['signals_required', 'condition_aspects'] as const) {
    body[list].forEach((_, i) => {
      places.push({ path: `${list}.${i}`, wrong: [3, null, '', [], 'x'.repeat(41)] });
    });
  }
  body.steps.forEach((one, i) => {
    const at = `steps.${i}`;
    places.push({ path: `${at}.key`, wrong: ['', 'A', 5, 'x'.repeat(65), null] });
    places.push({ path: `${at}.description`, wrong: [5, null, 'x'.repeat(501)] });
    if ('min' in one) places.push({ path: `${at}.min`, wrong: [-1, '0', 1.5, null] });
    if ('max' in one) places.push({ path: `${at}.max`, wrong: [0, '1', null] });
    if ('required' in one) places.push({ path: `${at}.required`, wrong: ['yes', 1] });
    if ('validation' in one) places.push({ path: `${at}.validation.format`, wrong: ['email', 2] });
    if ('accept' in one) places.push({ path: `${at}.accept.1`, wrong: ['image/gif', 2, null] });
  });
  return places;
}

function put(root: Node, path: string, value: unknown): void {
  const parts = path.split('.');
  const name = parts.pop()!;
  const parent = parts.reduce((node, part) => node[part] as Node, root);
  parent[name] = value;
}

describe('request faults', () => {
  it('name exactly the injected faults by path, in whole sentences', () => {
    const broken = fc.integer({ min: 1, max: 12 }).chain(steps => {
      const places = placesOf(whole(steps));
      return fc.tuple(fc.constant(steps), fc.subarray(places, { minLength: 1 }), fc.infiniteStream(fc.nat()));
    });
    fc.assert(
      fc.property(broken, ([steps, places, draws]) => {
        const body = whole(steps);
        for (const { path, wrong } of places) put(body, path, wrong[draws.next().value! % wrong.length]);
        const faults = create.faults(body);
        const expected = places.map(({ path }) => path).toSorted();
        expect([...new Set(faults.map(fault => fault.path))].toSorted()).toEqual(expected);
        for (const { message } of faults) {
          expect(message).toMatch(/^(is|must|has|send) .*[^ ]$/);
          expect(message).not.toMatch(/undefined|NaN|\[object/);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('name each unknown and each missing member of each step', () => {
    const steps = [
      { more: 1 },
      { type: 'text' },
      { type: 'upload', key: 'u', min: 0, more: 2 },
      5,
      null,
      { type: 'video' },
    ];
    expect(create.faults({ steps }).map(({ path, message }) => `${path} ${message}`)).toEqual([
      'steps.0.key is required',
      'steps.0.min is required',
      'steps.0.max is required',
      'steps.0.more is not a known property',
      'steps.1.key is required',
      'steps.2.max is required',
      'steps.2.more is not a known property',
      'steps.3 must be an object',
      'steps.4 must be an object',
      'steps.5.type must be one of image, text, upload',
    ]);
  });

  it(`are at most ${MAX_FAULTS}, and repeat at most 100 characters of the request`, () => {
    const names = fc.array(fc.string({ minLength: 150, maxLength: 400, unit: 'binary' }), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(names, sent => {
        const faults = create.faults(Object.fromEntries(sent.map(name => [name, name])));
        expect(faults.length).toBeGreaterThan(0);
        expect(faults.length).toBeLessThanOrEqual(MAX_FAULTS);
        for (const fault of faults) {
          expect(fault.path.length).toBeLessThanOrEqual(100);
          expect(fault.path.isWellFormed()).toBe(true);
          expect(fault.message).toMatch(
            /^(is not a known property|is not a usable name|must not contain U\+0000|must be well-formed Unicode)$/,
          );
        }
      }),
      { numRuns: 50 },
    );
  });

  it('are one for a list or map with ten times its limit', () => {
    const list = (n: number) => Array.from({ length: n }, () => 1);
    const map = (n: number) => Object.fromEntries(list(n).map((value, i) => [`k${i}`, value]));
    const cases: [object, string | undefined][] = [
      [{ condition_aspects: list(60) }, undefined],
      [{ condition_aspects: list(61) }, 'condition_aspects must have at most 6 items'],
      [{ steps: list(1_000) }, undefined],
      [{ steps: list(1_001) }, 'steps has far too many items: 1001'],
      [{ metadata: map(501) }, 'metadata must have at most 50 members'],
      [{ context: { attributes: map(1_001) } }, 'context.attributes has far too many members: 1001'],
      [{ steps: [{ type: 'upload', accept: list(1_001) }] }, 'steps.0.accept has far too many items: 1001'],
    ];
    for (const [body, said] of cases) {
      const fault = create.overfull(body);
      expect(fault ? `${fault.path} ${fault.message}` : undefined).toBe(said);
    }
  });
});

/** A schema with a random bound of one keyword, a value that breaks only it, and the fault that tells of it. */
const violations = (() => {
  const limit = fc.integer({ min: 1, max: 40 });
  const text = (n: number) => 'x'.repeat(n);
  const list = (n: number) => Array.from({ length: n }, (_, i) => i);
  const map = (n: number) => Object.fromEntries(list(n).map(i => [`k${i}`, i]));
  const by = fc.integer({ min: 1, max: 20 });
  const upper = (code: string, keyword: object, make: (n: number) => unknown, name: string) =>
    fc.tuple(limit, by).map(([max, more]) => ({
      schema: { ...keyword, [name]: max },
      value: make(max + more),
      expected: { code, params: { max } },
    }));
  const lower = (code: string, keyword: object, make: (n: number) => unknown, name: string) =>
    fc.tuple(limit, by).map(([min, less]) => ({
      schema: { ...keyword, [name]: min },
      value: make(Math.max(0, min - less)),
      expected: { code, params: { min } },
    }));
  const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 6 });
  const TYPES = { string: 'a', integer: 1, boolean: true, array: [], object: {}, null: null };
  const type = fc.constantFrom(...(Object.keys(TYPES) as (keyof typeof TYPES)[]));
  return fc.oneof(
    upper('too_long', { type: 'string' }, text, 'maxLength'),
    upper('too_many', { type: 'array' }, list, 'maxItems'),
    upper('too_many', { type: 'object', additionalProperties: {} }, map, 'maxProperties'),
    upper('too_large', { type: 'integer' }, Number, 'maximum'),
    lower('too_short', { type: 'string' }, text, 'minLength'),
    lower('too_few', { type: 'array' }, list, 'minItems'),
    lower('too_few', { type: 'object', additionalProperties: {} }, map, 'minProperties'),
    lower('too_small', { type: 'integer' }, Number, 'minimum'),
    words.map(allowed => ({
      schema: { enum: allowed },
      value: `${allowed.join('')}!`,
      expected: { code: 'enum', params: { allowed } },
    })),
    words.map(([only]) => ({
      schema: { const: only },
      value: `${only}!`,
      expected: { code: 'enum', params: { allowed: [only] } },
    })),
    fc.constantFrom('date-time', 'idn-email', 'iri').map(format => ({
      schema: { type: 'string', format },
      value: 'no such thing',
      expected: { code: 'format', params: { format } },
    })),
    words.map(([word]) => ({
      schema: { type: 'string', pattern: `^${word}$` },
      value: `${word}!`,
      expected: { code: 'pattern', params: { pattern: `^${word}$` } },
    })),
    fc
      .tuple(type, type)
      .filter(([wanted, given]) => wanted !== given)
      .map(([wanted, given]) => ({
        schema: { type: wanted },
        value: TYPES[given],
        expected: { code: 'type', params: { expected: [wanted] } },
      })),
    fc
      .tuple(type, type, type)
      .filter(([a, b, given]) => new Set([a, b, given]).size === 3)
      .map(([a, b, given]) => ({
        schema: { anyOf: [{ type: a }, { type: b }] },
        value: TYPES[given],
        expected: { code: 'type', params: { expected: [a, b] } },
      })),
    fc.nat(9).map(item => ({
      schema: { type: 'array', uniqueItems: true },
      value: [item, 10, item],
      expected: { code: 'duplicate' },
    })),
    limit.map(max => ({
      schema: { type: 'object', additionalProperties: {}, propertyNames: { minLength: 1, maxLength: max } },
      value: { [text(max + 1)]: 1 },
      inside: `.${text(max + 1)}`,
      expected: { code: 'invalid_name', params: { max } },
    })),
  );
})();

describe('codes of faults', () => {
  it('tell the keyword that a value breaks, and its bound', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(violations, violation => {
        const { schema, value, expected } = violation;
        const inside = 'inside' in violation ? violation.inside : '';
        const found = compileBody({ type: 'object', properties: { a: schema }, required: ['a'] } as never);
        expect(found.faults({ a: value })).toEqual([{ path: `a${inside}`, message: expect.any(String), ...expected }]);
        expect(FAULT_CODES).toHaveProperty(expected.code);
        seen.add(expected.code);
      }),
      { numRuns: 600 },
    );
    expect(seen.size).toBe(12);
  });

  it('tell a missing and an unknown member, and text that cannot be stored', () => {
    const found = compileBody(
      Type.Object({ a: Type.Integer(), b: Type.String(), c: Type.String() }, { additionalProperties: false }),
    );
    expect(found.faults({ b: 'x\0', c: '\ud800', d: 1, '\0': 2 }).map(({ path, code }) => [path, code])).toEqual([
      ['\\u0000', 'invalid_name'],
      ['c', 'unusable_text'],
      ['b', 'unusable_text'],
      ['a', 'required'],
      ['d', 'unknown_property'],
    ]);
  });

  it('of query strings name the parameter and its bound', () => {
    const found = compileQuery(
      Type.Object({ limit: Type.Integer({ maximum: 100 }), status: Type.Array(Type.Enum(['open', 'closed'])) }),
    );
    expect(found({ limit: '101', status: 'open,shut' })).toEqual([
      { path: 'limit', message: 'must be at most 100', code: 'too_large', params: { max: 100 } },
      { path: 'status', message: 'must be one of open, closed', code: 'enum', params: { allowed: ['open', 'closed'] } },
    ]);
  });
});
