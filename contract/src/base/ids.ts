import { Type } from 'typebox';

/** Crockford base 32 body of a ULID: 48 bits of time, 80 random bits. */
export const ULID = '[0-9A-HJKMNP-TV-Z]{26}';

export type IdPrefix =
  | 'vfy'
  | 'cap'
  | 'tnt'
  | 'key'
  | 'evt'
  | 'whd'
  | 'whe'
  | 'tpl'
  | 'usr'
  | 'ses'
  | 'psk'
  | 'mlk'
  | 'walotp'
  | 'aud'
  | 'rev'
  | 'cmt'
  | 'bat'
  | 'blk'
  | 'chl'
  | 'msg';

const patternOf = (prefix: IdPrefix) => `^${prefix}_${ULID}$`;

export const VERIFICATION_ID_PATTERN = patternOf('vfy');
const compiled = new Map<IdPrefix, RegExp>();

/** True when `value` is an identifier with this prefix. */
export function isId(prefix: IdPrefix, value: string): boolean {
  let pattern = compiled.get(prefix);
  if (!pattern) {
    pattern = new RegExp(patternOf(prefix));
    compiled.set(prefix, pattern);
  }
  return pattern.test(value);
}

export const IdSchema = (prefix: IdPrefix) => Type.String({ pattern: patternOf(prefix) });
export const DateTime = Type.String({ format: 'date-time', description: 'ISO 8601, UTC' });

/**
 * Converts a checked date-time to an instant. Returns null when no calendar holds it (year 0). A leap second counts as
 * :59.
 */
export function instantOf(text: string): Date | null {
  const instant = new Date(text.replace(/^(.{17})60/, '$159'));
  return Number.isNaN(instant.getTime()) || instant.getUTCFullYear() < 1 ? null : instant;
}
