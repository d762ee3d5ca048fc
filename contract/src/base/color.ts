import { HEX_COLOR } from './patterns.ts';

/** Linear-light sRGB, each 0..1. */
type Rgb = [number, number, number];

/** The least contrast of text against its background: WCAG 2.2, success criterion 1.4.3 (AA). */
export const AA_CONTRAST = 4.5;

const toLinear = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const toGamma = (v: number) => (v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055);

function parse(hex: string): Rgb {
  if (!new RegExp(HEX_COLOR).test(hex)) throw new TypeError(`not a colour of the form #rrggbb: ${hex}`);
  return [1, 3, 5].map(at => toLinear(Number.parseInt(hex.slice(at, at + 2), 16) / 255)) as Rgb;
}

const format = (rgb: Rgb): string =>
  `#${rgb
    .map(v =>
      Math.round(toGamma(v) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

/** Relative luminance, WCAG 2.2: 0 (black) to 1 (white). */
const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** Contrast ratio of two `#rrggbb` colours, WCAG 2.2: 1..21. Throws a TypeError for anything else. */
export function contrast(a: string, b: string): number {
  const [x, y] = [luminance(parse(a)), luminance(parse(b))];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

const STEPS = 100;

/**
 * Returns the colour nearest to `color` whose contrast with `ground` reaches `ratio` (at most 4.5). It moves `color`
 * towards black on a light ground and towards white on a dark one. A colour that already reaches the ratio comes back
 * unchanged, in lower case.
 */
export function legible(color: string, ground: string, ratio = AA_CONTRAST): string {
  const from = parse(color);
  const towards = contrast('#000000', ground) >= contrast('#ffffff', ground) ? 0 : 1;
  let hex = color.toLowerCase();
  for (let step = 1; contrast(hex, ground) < ratio && step <= STEPS; step += 1) {
    hex = format(from.map(v => v + ((towards - v) * step) / STEPS) as Rgb);
  }
  return hex;
}
