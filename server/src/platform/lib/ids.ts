import { randomBytes } from 'node:crypto';
import type { IdPrefix } from '@firsthand/contract/base/ids.ts';
import { decodeTime, encodeTime } from 'ulid';

/** Crockford base 32. Five bits of a random byte choose one of its 32 characters evenly. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_CHARACTERS = 16;

function ulid(now: number): string {
  let text = encodeTime(now);
  for (const byte of randomBytes(RANDOM_CHARACTERS)) text += ALPHABET[byte & 31];
  return text;
}

/**
 * Creates an identifier. A verification id is a credential, so the 80 random bits come from the CSPRNG and are never
 * monotonic: one id reveals nothing about its neighbours.
 */
export const newId = (prefix: IdPrefix, now = Date.now()): string => `${prefix}_${ulid(now)}`;

export const newUlid = (): string => ulid(Date.now());

/** Returns when an identifier with a prefix was made, in milliseconds since 1970. */
export const timeOfId = (id: string): number => decodeTime(id.slice(id.indexOf('_') + 1));
