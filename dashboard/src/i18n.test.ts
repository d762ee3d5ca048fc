import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTranslator, type Message } from '@firsthand/look/translator.ts';
import { describe, expect, test } from 'vitest';
import { type Area, LANGUAGES, type Language } from './base/dictionaries.ts';
import type { MessageKey } from './base/i18n.ts';
import { ROUTES } from './routes.ts';

const folder = join(import.meta.dirname, 'base', 'messages');
const areas = readdirSync(join(folder, 'en')).map(file => file.replace('.json', '')) as Area[];
const readArea = (language: string, area: Area) =>
  JSON.parse(readFileSync(join(folder, language, `${area}.json`), 'utf8')) as Record<MessageKey, Message>;
const read = (language: string) =>
  Object.assign({}, ...areas.map(area => readArea(language, area))) as Record<MessageKey, Message>;
const english = read('en');
const keys = Object.keys(english) as MessageKey[];
const formsOf = (message: Message) => (typeof message === 'string' ? [message] : Object.values(message));
const placesIn = (message: Message) =>
  new Set(
    formsOf(message)
      .join()
      .match(/\{\w+\}/g) ?? [],
  );

test('dictionaries exist for each language of the switch, in the same parts', () => {
  expect(readdirSync(folder).sort()).toEqual(Object.keys(LANGUAGES).sort());
  for (const language of Object.keys(LANGUAGES)) {
    expect(readdirSync(join(folder, language))).toEqual(areas.map(area => `${area}.json`));
    for (const area of areas) {
      expect(Object.keys(readArea(language, area))).toEqual(Object.keys(readArea('en', area)));
    }
  }
  expect(areas.flatMap(area => Object.keys(readArea('en', area))).length).toBe(keys.length);
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

/** The files that a file of the page imports, at once or later. Types bring no words. */
function importsOf(file: string, stop: ReadonlySet<string>, found = new Set<string>()): Set<string> {
  if (found.has(file) || stop.has(file)) return found;
  found.add(file);
  const source = readFileSync(file, 'utf8').replaceAll(/^import type [^;]*;/gm, '');
  for (const [, path] of source.matchAll(/(?:from|import\()\s*'(\.[^']+\.tsx?)'/g)) {
    importsOf(join(dirname(file), path!), stop, found);
  }
  return found;
}

/** The keys that files name, and what they put together (`role.${role}`). */
function keysOf(files: Iterable<string>): MessageKey[] {
  const source = [...files].map(file => readFileSync(file, 'utf8')).join('\n');
  const templates = [...source.matchAll(/`([\w.]+\.)\$\{/g)].map(match => match[1]!);
  return keys.filter(key => source.includes(`'${key}'`) || templates.some(prefix => key.startsWith(prefix)));
}

const at = (file: string) => join(import.meta.dirname, file);
const pages = ROUTES.map(([path, file, needed]) => ({ path, file: at(file), needed: ['base', ...needed] as Area[] }));
const elsewhere = new Set(pages.map(page => page.file));
const everywhere = importsOf(at('entry/shell/frame.tsx'), elsewhere, importsOf(at('main.tsx'), elsewhere));

test('frame and sign-in page say only what the base of the dictionary has', () => {
  expect(everywhere.size).toBeGreaterThan(30);
  const base = Object.keys(readArea('en', 'base'));
  expect(keysOf(everywhere).filter(key => !base.includes(key))).toEqual([]);
});

test.each(pages)('page $path says only what its parts of the dictionary have', ({ file, needed }) => {
  const there = needed.flatMap(area => Object.keys(readArea('en', area)));
  const said = keysOf(importsOf(file, everywhere));
  expect(said.length).toBeGreaterThan(3);
  expect(said.filter(key => !there.includes(key))).toEqual([]);
});

test('dictionaries contain no unused key', () => {
  const said = new Set(keysOf([...everywhere, ...pages.flatMap(({ file }) => [...importsOf(file, everywhere)])]));
  expect(keys.filter(key => !said.has(key))).toEqual([]);
});
