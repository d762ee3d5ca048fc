import { randomBytes } from 'node:crypto';
import type { IdPrefix } from '@firsthand/contract/ids.ts';
import { ulid } from 'ulid';

/** A uniform number in [0, 1) from the system's CSPRNG, with the 53 bits a double holds. */
function random(): number {
  const bytes = randomBytes(7);
  return (bytes.readUIntBE(0, 6) * 32 + (bytes[6]! >> 3)) / 2 ** 53;
}

/**
 * A new identifier. A verification id is a credential, so the 80 random bits come from the CSPRNG and are never
 * monotonic: knowing one id says nothing about its neighbours.
 */
export const newId = (prefix: IdPrefix, now = Date.now()): string => `${prefix}_${ulid(now, random)}`;

export const newUlid = (): string => ulid(Date.now(), random);
