import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_STATUS } from '@firsthand/contract/base/errors.ts';
import {
  type AnswerFault,
  messageOfAnswerFault,
  faultOfAnswer as serviceRule,
} from '@firsthand/contract/capture/answer-rules.ts';
import { PICTURE_MESSAGES, type Refusal, refusalOf } from '@firsthand/contract/capture/refusals.ts';
import { createTranslator } from '@firsthand/look/translator.ts';
import type { TextStep } from '@firsthand/sdk/capture/wire.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultOfAnswer } from './flow.ts';
import { LANGUAGES, type Language, type Messages } from './i18n.ts';
import { refusedAnswers, refusedPhoto } from './refusal.ts';

const words = (language: string) => {
  const file = join(import.meta.dirname, 'messages', `${language}.json`);
  return createTranslator(language as Language, JSON.parse(readFileSync(file, 'utf8')) as Messages);
};

/** Every sentence of the service about a picture, and what the page makes of it. */
const PICTURES: Record<keyof typeof PICTURE_MESSAGES, [message: string, reason: Refusal]> = {
  not_an_image: [PICTURE_MESSAGES.not_an_image(), { reason: 'type' }],
  unsupported_type: [PICTURE_MESSAGES.unsupported_type(), { reason: 'type' }],
  truncated: [PICTURE_MESSAGES.truncated(), { reason: 'cut' }],
  undecodable: [PICTURE_MESSAGES.undecodable(), { reason: 'unreadable' }],
  too_many_pixels: [PICTURE_MESSAGES.too_many_pixels(100), { reason: 'pixels', megapixels: 100 }],
  too_large: [PICTURE_MESSAGES.too_large(5_000_000), { reason: 'size', bytes: 5_000_000 }],
  too_small: [PICTURE_MESSAGES.too_small(479, 200, 640), { reason: 'least', pixels: 640 }],
  wrong_type: [PICTURE_MESSAGES.wrong_type('image/heic', 'image/jpeg, image/png'), { reason: 'type' }],
  wrong_content_type: [PICTURE_MESSAGES.wrong_content_type('image/jpeg'), { reason: 'type' }],
  too_large_to_ask: [PICTURE_MESSAGES.too_large_to_ask(26_214_400), { reason: 'size', bytes: 26_214_400 }],
  never_uploaded: [PICTURE_MESSAGES.never_uploaded(), { reason: 'lost' }],
  other_bytes: [PICTURE_MESSAGES.other_bytes(), { reason: 'lost' }],
};

test.each(Object.entries(PICTURES))('refusalOf recognises %s', (_, [message, reason]) => {
  expect(refusalOf('invalid_request', [{ path: 'image_key', message }])).toEqual(reason);
});

describe.each(Object.keys(LANGUAGES))('%s', language => {
  const page = words(language);

  test('says why each picture was refused', () => {
    const fallback = refusedPhoto(page, 'invalid_request', [], []);
    for (const [name, [message]] of Object.entries(PICTURES)) {
      const said = refusedPhoto(page, 'invalid_request', [{ path: 'image_key', message }], ['image/jpeg']);
      expect(said, name).not.toBe(fallback);
      expect(said, name).not.toMatch(/[{}]/);
    }
  });

  test('has words for every error code', () => {
    for (const code of Object.keys(ERROR_STATUS)) {
      expect(refusedPhoto(page, code, [], []).trim(), code).not.toBe('');
    }
  });

  test('says why each answer was refused', () => {
    const all: AnswerFault[] = [
      { rule: 'min_length', n: 3 },
      { rule: 'max_length', n: 12 },
      { rule: 'numeric_id' },
      { rule: 'alphanumeric_id' },
    ];
    const said = refusedAnswers(page, Object.fromEntries(all.map(fault => [fault.rule, messageOfAnswerFault(fault)])));
    expect(new Set(Object.values(said)).size).toBe(all.length);
    for (const text of Object.values(said)) expect(text).not.toMatch(/[{}]|must have|must hold/);
  });
});

test('faultOfAnswer of page and service agree on every answer', () => {
  const validation = fc.record({
    min_length: fc.nat(6),
    max_length: fc.integer({ min: 1, max: 12 }),
    format: fc.constantFrom('free_text' as const, 'numeric_id' as const, 'alphanumeric_id' as const),
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
