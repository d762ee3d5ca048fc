import fc from 'fast-check';
import { expect, it } from 'vitest';
import { comparableEmail } from './email-address.ts';

it.each([
  ['Kate@People.Example', 'kate@people.example'],
  ['ÄDA@MÜLLER.EXAMPLE', 'äda@müller.example'],
])('comparableEmail makes %j and %j the same', (one, other) => {
  expect(comparableEmail(one)).toBe(comparableEmail(other));
});

it('comparableEmail makes no ASCII letter of another letter', () => {
  const notAscii = fc.string({ unit: 'binary' }).filter(text => /[^\0-\x7f]/.test(text));
  fc.assert(
    fc.property(notAscii, text => {
      expect(comparableEmail(text)).toMatch(/[^\0-\x7f]/);
    }),
  );
  // The two letters outside ASCII whose lower case begins with an ASCII letter.
  for (const letter of ['\u212A', '\u0130']) expect(letter.toLowerCase()).toMatch(/[a-z]/);
  for (const letter of ['\u212A', '\u0130']) expect(comparableEmail(letter)).toBe(letter);
});
