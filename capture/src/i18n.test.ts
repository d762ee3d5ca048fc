import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTranslator } from '@firsthand/look/translator.ts';
import { describe, expect, test } from 'vitest';
import { chooseLanguage, LANGUAGES, type Messages, openUntil } from './i18n.ts';

const folder = join(import.meta.dirname, 'messages');
const read = (language: string) => JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8')) as Messages;
const english = read('en');
const placesOf = (text: string) => new Set(text.match(/\{\w+\}/g) ?? []);
const formsOf = (message: Messages[keyof Messages]) =>
  typeof message === 'string' ? [message] : Object.values(message as Record<string, string>);

test('catalogues exist for exactly the languages of the switch', () => {
  expect(
    readdirSync(folder)
      .map(name => name.replace('.json', ''))
      .sort(),
  ).toEqual(Object.keys(LANGUAGES).sort());
});

describe.each(Object.keys(LANGUAGES))('%s', language => {
  const messages = read(language);
  test('has exactly the keys of English', () => {
    expect(Object.keys(messages).sort()).toEqual(Object.keys(english).sort());
  });

  test('uses exactly the placeholders of English, except a number in words', () => {
    for (const key of Object.keys(english) as (keyof Messages)[]) {
      const wanted = placesOf(formsOf(english[key]).join());
      const all = placesOf(formsOf(messages[key]).join());
      expect([key, [...all].sort()]).toEqual([key, [...wanted].sort()]);
      for (const form of formsOf(messages[key])) {
        expect(form.trim(), key).not.toBe('');
        for (const place of wanted) if (place !== '{n}') expect(form, key).toContain(place);
      }
    }
  });

  test('has every plural form of its grammar', () => {
    const rules = new Intl.PluralRules(language);
    const { t } = createTranslator(language as keyof typeof LANGUAGES, messages);
    for (const key of Object.keys(english) as (keyof Messages)[]) {
      const message = messages[key];
      if (typeof message === 'string') continue;
      for (const n of [0, 1, 2, 3, 5, 11, 21, 25, 100]) {
        expect(Object.keys(message as object).includes(rules.select(n)) || 'other' in (message as object)).toBe(true);
        expect(t(key, { n, name: 'X', size: '1' })).not.toMatch(/\{|\}/);
      }
      for (const n of [1, 2, 5]) {
        const category = rules.select(n);
        if (category !== 'many') expect(Object.keys(message as object), key).toContain(category);
      }
    }
  });
});

test('chooseLanguage takes the browser’s first language with a catalogue, whatever its region, else English', () => {
  expect(chooseLanguage(['pt-BR', 'en'])).toBe('pt');
  expect(chooseLanguage(['nl-NL', 'fr-CA', 'en'])).toBe('fr');
  expect(chooseLanguage(['zz'])).toBe('en');
  expect(chooseLanguage([])).toBe('en');
  expect(chooseLanguage(['toString'])).toBe('en');
});

test('loadTranslator sets right to left for Arabic, and the numbers of each language', () => {
  expect(createTranslator('ar', read('ar')).direction).toBe('rtl');
  expect(createTranslator('de', read('de')).t('text.hintLength', { n: 2000 })).toContain('2.000');
});

test('a link that ends today shows the time, any other the day as well', () => {
  const page = createTranslator('en', english);
  const now = new Date(2026, 10, 27, 0, 0);
  const at = (day: number, hour: number) => openUntil(page, new Date(2026, 10, day, hour).toISOString(), now);
  expect(at(27, 23)).toBe('Open until 11:00 PM');
  expect(at(28, 0)).toBe('Open until November 28 at 12:00 AM');
});
