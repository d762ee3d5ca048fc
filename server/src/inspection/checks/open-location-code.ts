import type { Place } from './distance.ts';

/**
 * Decodes full Open Location Codes (plus.codes), by the specification at github.com/google/open-location-code. Five
 * pairs of digits in base 20 divide latitude and longitude. Each further digit divides the cell into five rows and four
 * columns.
 */
const DIGITS = '23456789CFGHJMPQRVWX';
const PAIR_DIGITS = 10;
/** The specification ignores digits beyond these. */
const MAX_DIGITS = 15;

// Eight digits, `+`, then none or at least two; or fewer pairs, filled up with zeros, and nothing after the `+`. The first two
// digits reach 180 degrees of latitude and 360 of longitude.
const digit = `[${DIGITS}]`;
const FULL = new RegExp(
  `^(?=[2-9C][2-9CFGHJMPQRV])(?:${digit}{8}\\+(?:${digit}{2,})?|${digit}{2}0{6}\\+|${digit}{4}0{4}\\+|${digit}{6}00\\+)$`,
);

export interface CodeArea {
  south: number;
  west: number;
  /** Degrees. */
  height: number;
  width: number;
}

/** Returns the area that a full code names, or null for any other text. Case does not matter. */
export function decodeArea(text: string): CodeArea | null {
  const code = text.toUpperCase();
  if (!FULL.test(code)) return null;
  const digits = [...code.replace(/0*\+/, '')].slice(0, MAX_DIGITS).map(character => DIGITS.indexOf(character));
  // Counts in whole numbers of the smallest cell so far, so that rounding errors do not add up.
  let [south, west] = [0, 0];
  let [perLatitude, perLongitude] = [1 / 20, 1 / 20];
  for (let at = 0; at < digits.length; at++) {
    if (at >= PAIR_DIGITS) {
      [perLatitude, perLongitude] = [perLatitude * 5, perLongitude * 4];
      south = south * 5 + Math.floor(digits[at]! / 4);
      west = west * 4 + (digits[at]! % 4);
    } else if (at % 2 === 0) {
      perLatitude = at === 0 ? 1 / 20 : perLatitude * 20;
      south = south * 20 + digits[at]!;
    } else {
      perLongitude = at === 1 ? 1 / 20 : perLongitude * 20;
      west = west * 20 + digits[at]!;
    }
  }
  return {
    south: south / perLatitude - 90,
    west: west / perLongitude - 180,
    height: 1 / perLatitude,
    width: 1 / perLongitude,
  };
}

/** Returns the centre of the area that a full code names. */
export function decodeCentre(text: string): Place | null {
  const area = decodeArea(text);
  return area && { latitude: area.south + area.height / 2, longitude: area.west + area.width / 2 };
}
