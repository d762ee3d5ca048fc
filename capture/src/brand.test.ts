import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrast, legible, parseHex, toHex } from './brand.ts';

const hex = fc.integer({ min: 0, max: 0xffffff }).map(n => `#${n.toString(16).padStart(6, '0')}`);

test('any accent becomes legible on a light and on a dark ground', () => {
  fc.assert(
    fc.property(hex, fc.constantFrom('#ffffff', '#f7f9fa', '#10161b', '#000000'), (accent, ground) => {
      expect(contrast(legible(accent, ground)!, ground)).toBeGreaterThanOrEqual(4.5);
    }),
  );
});

test('an accent that is legible already stays as it is', () => {
  fc.assert(
    fc.property(hex, accent => {
      fc.pre(contrast(accent, '#ffffff') >= 4.5);
      expect(legible(accent, '#ffffff')).toBe(accent);
    }),
  );
});

test('hex colours survive parsing and printing; anything else is refused', () => {
  fc.assert(
    fc.property(hex, colour => {
      expect(toHex(parseHex(colour)!)).toBe(colour);
    }),
  );
  for (const wrong of ['', 'red', '#12', '#12345', 'url(x)', '#ggg']) expect(legible(wrong, '#fff')).toBeUndefined();
});

test('contrast of black and white is 21', () => {
  expect(contrast('#000', '#fff')).toBeCloseTo(21, 5);
});
