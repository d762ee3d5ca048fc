import { hash } from 'node:crypto';

/** The same as `sha256.ts`, by the platform: a proof in a large log takes a thousand hashes. */
export const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(hash('sha256', bytes, 'buffer'));
