import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AA_CONTRAST, contrast, legible } from './color.ts';

const color = fc.integer({ min: 0, max: 0xffffff }).map(value => `#${value.toString(16).padStart(6, '0')}`);

describe('contrast', () => {
  it('equals that of WCAG 2.2', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 10);
    // The best-known grey: the lightest that is legible on white.
    expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrast('#ff0000', '#ffffff')).toBeCloseTo(4.0, 2);
  });

  it('is symmetric and in 1..21', () => {
    fc.assert(
      fc.property(color, color, (a, b) => {
        const ratio = contrast(a, b);
        expect(ratio).toBe(contrast(b, a));
        expect(ratio).toBeGreaterThanOrEqual(1);
        expect(ratio).toBeLessThanOrEqual(21.000001);
      }),
    );
  });
});

describe('legible', () => {
  it('reaches AA on any ground', () => {
    fc.assert(
      fc.property(color, color, (accent, ground) => {
        expect(contrast(legible(accent, ground), ground)).toBeGreaterThanOrEqual(AA_CONTRAST);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps a legible colour and changes no colour twice', () => {
    fc.assert(
      fc.property(color, color, (accent, ground) => {
        const worn = legible(accent, ground);
        if (contrast(accent, ground) >= AA_CONTRAST) expect(worn).toBe(accent);
        expect(legible(worn, ground)).toBe(worn);
      }),
    );
  });

  it('only darkens on a light ground', () => {
    fc.assert(
      fc.property(color, accent => {
        const [before, after] = [accent, legible(accent, '#f7f9fa')].map(hex => Number.parseInt(hex.slice(1), 16));
        for (const shift of [16, 8, 0]) {
          expect((after! >> shift) & 255).toBeLessThanOrEqual(((before! >> shift) & 255) + 1);
        }
      }),
    );
  });
});
