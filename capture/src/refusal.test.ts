import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_STATUS } from '@firsthand/contract/base/errors.ts';
import { type Fault, fault } from '@firsthand/contract/base/fault.ts';
import { faultOfAnswer as serviceRule } from '@firsthand/contract/capture/answer-rules.ts';
import { TEXT_FORMAT_NAMES } from '@firsthand/contract/capture/text-formats.ts';
import { createTranslator } from '@firsthand/look/translator.ts';
import type { TextStep } from '@firsthand/sdk/capture/wire.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOfAnswer } from './flow.ts';
import { LANGUAGES, type Language, type Messages } from './i18n.ts';
import { refusedAnswers, refusedPhoto, sizeIn } from './refusal.ts';

const words = (language: string) => {
  const file = join(import.meta.dirname, 'messages', `${language}.json`);
  return createTranslator(language as Language, JSON.parse(readFileSync(file, 'utf8')) as Messages);
};

/** A fault of each code that a picture can have, and the words of the page for it. */
const PICTURES: readonly (readonly [Fault, keyof Messages])[] = [
  [fault('image_key', 'unsupported_type', 'no', { accepted: ['image/png'] }), 'file.type'],
  [fault('image_key', 'truncated', 'no'), 'file.cut'],
  [fault('image_key', 'undecodable', 'no'), 'file.unreadable'],
  [fault('image_key', 'too_many_pixels', 'no', { max: 52 }), 'file.pixels'],
  [fault('image_key', 'too_many_bytes', 'no', { max: 5_000_000 }), 'file.size'],
  [fault('image_key', 'too_few_pixels', 'no', { min: 640, width: 479, height: 200 }), 'file.least'],
  [fault('image_key', 'not_uploaded', 'no'), 'refused.lost'],
  [fault('image_sha256', 'hash_mismatch', 'no'), 'refused.lost'],
  [fault('body', 'incomplete', 'no'), 'refused.lost'],
];

describe.each(Object.keys(LANGUAGES))('%s', language => {
  const page = words(language);

  test('says why each picture was refused', () => {
    const said = { types: 'PNG', megapixels: page.number(52), size: sizeIn(page, 5_000_000), n: page.number(640) };
    for (const [found, key] of PICTURES) {
      expect(refusedPhoto(page, 'invalid_request', [found], ['image/png']), found.code).toBe(page.t(key, said));
    }
  });

  test('has words for a photo with a fault of a later version', () => {
    const later = { path: 'image_key', message: 'is not a picture', code: 'a_later_code' };
    expect(refusedPhoto(page, 'invalid_request', [later], [])).toBe(page.t('refused.other'));
    expect(refusedAnswers(page, { policy: later })).toEqual({ policy: page.t('refused.answer') });
  });

  test('has words for every error code', () => {
    for (const code of Object.keys(ERROR_STATUS)) {
      expect(refusedPhoto(page, code, [], []).trim(), code).not.toBe('');
    }
  });

  test('says why each answer was refused', () => {
    const step = (validation: Partial<TextStep['validation']>): TextStep => ({
      type: 'text',
      key: 'a',
      description: '',
      required: true,
      validation: { max_length: 12, format: 'free_text', ...validation },
    });
    const said = refusedAnswers(page, {
      short: serviceRule(step({ min_length: 3 }), 'ab')!,
      long: serviceRule(step({}), 'a'.repeat(13))!,
      digits: serviceRule(step({ format: 'numeric_id' }), 'x')!,
      plate: serviceRule(step({ format: 'alphanumeric_id' }), '?')!,
    });
    expect(said).toEqual({
      short: page.t('text.tooShort', { n: 3 }),
      long: page.t('text.tooLong', { n: 12 }),
      digits: page.t('text.digits'),
      plate: page.t('text.alphanumeric'),
    });
    for (const text of Object.values(said)) expect(text).not.toMatch(/[{}]/);
  });
});

test('faultOfAnswer of page and service agree on every answer', () => {
  const validation = fc.record({
    min_length: fc.nat(6),
    max_length: fc.integer({ min: 1, max: 12 }),
    format: fc.constantFrom(...TEXT_FORMAT_NAMES),
  });
  const value = fc.oneof(
    fc.string({ minLength: 1, maxLength: 14, unit: 'grapheme' }),
    fc.string({ minLength: 1, maxLength: 14, unit: 'binary' }),
    fc.constantFrom('TÜ-AB123', 'LÖ-X1', 'А123ВС77', 'B-AB123', '٣٤٥', '１２', 'ab_c', '🚗🚗', 'ü'),
  );
  fc.assert(
    fc.property(validation, value, (rules, text) => {
      const step: TextStep = { type: 'text', key: 'a', description: '', required: true, validation: rules };
      expect(faultOfAnswer(step, text) === undefined).toBe(serviceRule(step, text) === null);
    }),
    { numRuns: 500 },
  );
});

test('faultOfAnswer takes number plates of every script', () => {
  for (const plate of ['TÜ-AB123', 'LÖ-X1', 'А123ВС77', 'B-AB123']) {
    const validation = { max_length: 12, format: 'alphanumeric_id' as const };
    expect(
      faultOfAnswer({ type: 'text', key: 'a', description: '', required: true, validation }, plate),
    ).toBeUndefined();
  }
});
