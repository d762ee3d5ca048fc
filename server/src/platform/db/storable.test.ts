import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../test/support/database.ts';
import { createPool } from './pool.ts';
import type { Pool } from './sql.ts';
import { storable, storableText } from './storable.ts';

/** Any UTF-16 at all: half pairs and control characters more often than chance would have it. */
const anyText = fc
  .array(fc.oneof(fc.constantFrom(0x0000, 0x0001, 0xd83d, 0xde00, 0xdfff, 0x7f), fc.integer({ max: 0xffff })))
  .map(units => String.fromCharCode(...units));

const { tree: anyJson } = fc.letrec(tie => ({
  tree: fc.oneof(
    anyText,
    fc.double(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(anyText, tie('tree'), { maxKeys: 4 }),
  ),
}));

describe('storable', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: Pool;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = createPool(database.url, 2, () => {});
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  test('makes any value a jsonb and text that PostgreSQL accepts', async () => {
    await fc.assert(
      fc.asyncProperty(anyJson, anyText, async (value, text) => {
        const kept = storable({ value });
        const { rows } = await pool.query('select $1::jsonb as value, $2::text as text', [kept, storableText(text)]);
        expect(rows[0].value).toEqual(JSON.parse(kept!));
        expect(rows[0].text).toBe(storableText(text));
      }),
      { numRuns: 300 },
    );
  });

  test('leaves a storable value unchanged', () => {
    const sound = fc.string({ unit: 'grapheme' }).filter(text => storableText(text) === text);
    fc.assert(
      fc.property(fc.dictionary(sound, fc.oneof(sound, fc.integer(), fc.boolean())), value => {
        expect(JSON.parse(storable(value)!)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(storable('tab\t, line\n and 😀')).toBe(JSON.stringify('tab\t, line\n and 😀'));
  });

  test('cuts a long text between characters and replaces lone surrogates', () => {
    expect(storableText(`${'x'.repeat(9)}😀`, 10)).toBe(`${'x'.repeat(9)}\ufffd`);
    expect(storableText('\ude00a\ud83d')).toBe('\ufffda\ufffd');
    expect(JSON.parse(storable({ ['k'.repeat(300)]: 'v'.repeat(20_000) })!)).toEqual({
      ['k'.repeat(200)]: 'v'.repeat(10_000),
    });
  });

  test('is null for undefined and null', () => {
    expect([storable(null), storable(undefined)]).toEqual([null, null]);
  });
});
