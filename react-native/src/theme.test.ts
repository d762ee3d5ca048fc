import { AA_CONTRAST, contrast } from '@firsthand/contract/base/color.ts';
import { expect, test } from 'vitest';
import { themeOf } from './theme.ts';

test.each([false, true])(
  'every text of the screen reaches the contrast of WCAG AA (dark: %s), whatever the brand',
  dark => {
    for (const accent of [undefined, '#ffee00', '#000000', '#ffffff', '#777777']) {
      const theme = themeOf(dark, { slug: 'a', name: 'A', ...(accent ? { colors: { accent } } : {}) });
      for (const ground of [theme.ground, theme.card]) {
        for (const text of [theme.ink, theme.soft, theme.fault]) {
          expect(contrast(text, ground)).toBeGreaterThanOrEqual(AA_CONTRAST);
        }
        // A border: WCAG 1.4.11.
        expect(contrast(theme.line, ground)).toBeGreaterThanOrEqual(3);
      }
      expect(contrast(theme.accentInk, theme.accent)).toBeGreaterThanOrEqual(AA_CONTRAST);
      expect(contrast(theme.accent, theme.ground)).toBeGreaterThanOrEqual(3);
    }
  },
);
