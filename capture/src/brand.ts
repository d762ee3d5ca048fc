/** Linear sRGB, each 0..1. */
type Rgb = [number, number, number];

export function parseHex(hex: string): Rgb | undefined {
  const match = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(hex.trim());
  if (!match) return undefined;
  const digits = match[1]!.length === 3 ? [...match[1]!].map(d => d + d).join('') : match[1]!;
  return [0, 2, 4].map(at => toLinear(Number.parseInt(digits.slice(at, at + 2), 16) / 255)) as Rgb;
}

const toLinear = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const toGamma = (v: number) => (v <= 0.0031308 ? v * 12.92 : 1.055 * v ** (1 / 2.4) - 0.055);

export const toHex = (rgb: Rgb): string =>
  `#${rgb
    .map(v =>
      Math.round(Math.min(1, Math.max(0, toGamma(v))) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

/** Relative luminance, WCAG 2.2. */
const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** Contrast ratio of two hex colours, WCAG 2.2: 1..21. */
export function contrast(a: string, b: string): number {
  const [high, low] = [luminance(parseHex(a)!), luminance(parseHex(b)!)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/**
 * A brand's accent made legible: moved towards black (or white on a dark ground) in small steps until its contrast
 * with `ground` reaches `ratio`. Unchanged when it holds already.
 */
export function legible(accent: string, ground: string, ratio = 4.5): string | undefined {
  const rgb = parseHex(accent);
  if (!rgb || !parseHex(ground)) return undefined;
  const towards = luminance(parseHex(ground)!) > 0.18 ? 0 : 1;
  let hex = toHex(rgb);
  for (let i = 0; contrast(hex, ground) < ratio && i < 60; i++) {
    hex = toHex(rgb.map(v => v + (towards - v) * (i / 59)) as Rgb);
  }
  return hex;
}
