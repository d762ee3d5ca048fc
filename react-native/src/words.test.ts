import { LANGUAGE_NAMES } from '@firsthand/contract/base/languages.ts';
import { expect, test } from 'vitest';
import { PLURALS } from './plural.ts';
import { textsIn } from './words.ts';

test.each(LANGUAGE_NAMES)('the plural forms of %s are those of CLDR', language => {
  const rules = new Intl.PluralRules(language);
  const numbers = Array.from({ length: 1_000 }, (_, n) => n);
  expect(numbers.map(PLURALS[language])).toEqual(numbers.map(n => rules.select(n)));
});

test('the texts take the language that is asked for, whatever its region, and English for any other', () => {
  expect(textsIn('pt-BR').t('summary.send')).toBe('Enviar');
  expect(textsIn('sv').language).toBe('en');
  expect(textsIn('ar').direction).toBe('rtl');
  expect(textsIn('de', { 'app.settings': 'Zu den Einstellungen' }).t('app.settings')).toBe('Zu den Einstellungen');
});

test('a size is written where the engine knows no units', () => {
  const known = Intl.NumberFormat;
  const noUnits = function NumberFormat(language: string, options?: Intl.NumberFormatOptions) {
    if (options?.style === 'unit') throw new RangeError('unit');
    return new known(language, options);
  };
  Intl.NumberFormat = noUnits as unknown as typeof Intl.NumberFormat;
  try {
    expect(textsIn('en').number(5, { style: 'unit', unit: 'megabyte' })).toBe('5 MB');
    expect(textsIn('en').number(4000)).toBe('4,000');
  } finally {
    Intl.NumberFormat = known;
  }
});
