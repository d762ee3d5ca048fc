import type { Language } from '@firsthand/contract/base/languages.ts';

type Form = Intl.LDMLPluralRule;

const one = (n: number): Form => (n === 1 ? 'one' : 'other');
const oneOrNone = (n: number): Form => (n === 0 || n === 1 ? 'one' : 'other');
const within = (n: number, from: number, to: number) => n >= from && n <= to;

function polish(n: number): Form {
  if (n === 1) return 'one';
  return within(n % 10, 2, 4) && !within(n % 100, 12, 14) ? 'few' : 'many';
}

function arabic(n: number): Form {
  if (n === 0) return 'zero';
  if (n === 1) return 'one';
  if (n === 2) return 'two';
  if (within(n % 100, 3, 10)) return 'few';
  return within(n % 100, 11, 99) ? 'many' : 'other';
}

/** CLDR's plural rules for whole numbers below a million. Hermes has no `Intl.PluralRules`. */
export const PLURALS: Record<Language, (n: number) => Form> = {
  en: one,
  de: one,
  es: one,
  it: one,
  tr: one,
  fr: oneOrNone,
  pt: oneOrNone,
  hi: oneOrNone,
  pl: polish,
  ar: arabic,
};
