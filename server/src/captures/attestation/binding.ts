import { createHash } from 'node:crypto';
import type { Subject } from './check.ts';

/**
 * What an app asks its platform to vouch for: SHA-256 (32 bytes) of `<verification id>.<SHA-256 of the picture, lowercase hex>`
 * in ASCII. The id is unguessable and was issued by us, so it is the challenge; the picture's hash binds the token to one picture.
 */
export const clientDataHash = ({ verificationId, sha256 }: Pick<Subject, 'verificationId' | 'sha256'>): Buffer =>
  createHash('sha256').update(`${verificationId}.${sha256}`).digest();
