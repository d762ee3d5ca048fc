import { readFileSync } from 'node:fs';
import { FAULT_CODES } from '@firsthand/contract/base/errors.ts';
import { type Fault, fault } from '@firsthand/contract/base/fault.ts';
import { PHONE } from '@firsthand/contract/base/patterns.ts';
import { createTranslator } from '@firsthand/look/translator.ts';
import { describe, expect, it } from 'vitest';
import type { Language } from '../base/dictionaries.ts';
import type { Translator } from '../base/i18n.ts';
import { faultWords } from './fault-words.ts';

const wordsOf = (language: Language): Translator => {
  const read = (area: string) =>
    JSON.parse(readFileSync(new URL(`../base/messages/${language}/${area}.json`, import.meta.url), 'utf8'));
  return createTranslator(language, { ...read('base'), ...read('requests') }) as Translator;
};

const FAULTS: [Fault, en: string, de: string][] = [
  [fault('steps.0.max', 'too_small', 'no', { min: 1 }), 'The least is 1.', 'Der kleinste Wert ist 1.'],
  [
    fault('name', 'too_long', 'no', { max: 1_200 }),
    'At most 1,200 characters are possible.',
    'Höchstens 1.200 Zeichen sind möglich.',
  ],
  [
    fault('steps.0.min', 'conflict', 'no', { with: ['steps.0.max'] }),
    'This does not go with: max.',
    'Das passt nicht zu: max.',
  ],
  [
    fault('phone_e164', 'pattern', 'no', { pattern: PHONE }),
    'Write the number with + and country code, such as +4915112345678.',
    'Schreiben Sie die Nummer mit + und Landesvorwahl, zum Beispiel +4915112345678.',
  ],
  [
    fault('email', 'format', 'no', { format: 'idn-email' }),
    'This is not an e-mail address.',
    'Das ist keine E-Mail-Adresse.',
  ],
];

describe('faultWords', () => {
  it.each(FAULTS)('says %j in both languages', (found, en, de) => {
    expect([faultWords(wordsOf('en'), found), faultWords(wordsOf('de'), found)]).toEqual([en, de]);
  });

  it.each(['en', 'de'] as const)('has words in %s for every code, and for one of a later version', language => {
    const filled: Record<string, string | number | string[]> = {};
    for (const { params } of Object.values(FAULT_CODES)) {
      for (const name of Object.keys(params)) filled[name] = ['min', 'max'].includes(name) ? 3 : 'x';
    }
    for (const code of [...Object.keys(FAULT_CODES), 'a_later_code']) {
      const said = faultWords(wordsOf(language), { code, params: filled });
      expect(said, code).toMatch(/^\p{Lu}.*[^{}]\.$/u);
      expect(said, code).not.toMatch(/[{}]|undefined/);
    }
    expect(faultWords(wordsOf(language), { code: 'a_later_code' })).toBe(wordsOf(language).t('fault.invalid'));
  });
});
