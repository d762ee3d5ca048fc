import { createHash } from 'node:crypto';
import type { Subject } from './check.ts';

/**
 * The hash that an app asks its platform to sign: SHA-256 (32 bytes) of `<verification id>.<SHA-256 of the picture,
 * lowercase hex>` in ASCII. The id is unguessable and we issued it, so it is the challenge. The picture's hash binds
 * the token to one picture.
 */
export const clientDataHash = ({ verificationId, sha256 }: Pick<Subject, 'verificationId' | 'sha256'>): Buffer =>
  createHash('sha256').update(`${verificationId}.${sha256}`).digest();
