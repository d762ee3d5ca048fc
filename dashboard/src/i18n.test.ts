import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTranslator, type Message } from '@firsthand/look/translator.ts';
import { describe, expect, test } from 'vitest';
import { LANGUAGES, type Language, type MessageKey } from './i18n.ts';

const folder = join(import.meta.dirname, 'messages');
const read = (language: string) =>
  JSON.parse(readFileSync(join(folder, `${language}.json`), 'utf8')) as Record<MessageKey, Message>;
const english = read('en');
const keys = Object.keys(english) as MessageKey[];
const formsOf = (message: Message) => (typeof message === 'string' ? [message] : Object.values(message));
const placesIn = (message: Message) =>
  new Set(
    formsOf(message)
      .join()
      .match(/\{\w+\}/g) ?? [],
  );

test('dictionaries exist for each language of the switch', () => {
  expect(readdirSync(folder).sort()).toEqual(
    Object.keys(LANGUAGES)
      .map(language => `${language}.json`)
      .sort(),
  );
});

describe.each(Object.keys(LANGUAGES) as Language[])('dictionary %s', language => {
  const messages = read(language);

  test('has the keys of the English one, none empty, with the same placeholders', () => {
    expect(Object.keys(messages)).toEqual(keys);
    for (const key of keys) {
      expect([key, placesIn(messages[key])]).toEqual([key, placesIn(english[key])]);
      for (const form of formsOf(messages[key])) expect(form.trim(), key).not.toBe('');
    }
  });

  test('has the plural forms of its grammar', () => {
    const { t } = createTranslator(language, messages);
    for (const key of keys.filter(candidate => typeof messages[candidate] !== 'string')) {
      for (const n of [0, 1, 2, 5, 21]) {
        expect(Object.keys(messages[key])).toContain(new Intl.PluralRules(language).select(n));
        expect(t(key, { n })).not.toMatch(/[{}]/);
      }
    }
  });
});

/** Every key as the source names it, and what it puts together (`role.${role}`). */
const source = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter(name => /\.tsx?$/.test(name) && !name.endsWith('.test.ts'))
  .map(name => readFileSync(join(import.meta.dirname, name), 'utf8'))
  .join('\n');
const templates = [...source.matchAll(/`([\w.]+\.)\$\{/g)].map(match => match[1]!);

test('dictionaries contain no unused key', () => {
  const unsaid = keys.filter(key => !source.includes(`'${key}'`) && !templates.some(prefix => key.startsWith(prefix)));
  expect(unsaid).toEqual([]);
});
