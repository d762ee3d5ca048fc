import { createHash } from 'node:crypto';
import type { Attestation } from '@firsthand/contract/verification/verification.ts';
import type { Subject } from './check.ts';

/**
 * The hash that an app asks its platform to sign: SHA-256 (32 bytes) of `<verification id>.<SHA-256 of the picture,
 * lowercase hex>` in ASCII. The id is unguessable and we issued it, so it is the challenge. The picture's hash binds
 * the token to one picture.
 */
export const clientDataHash = ({ verificationId, sha256 }: Pick<Subject, 'verificationId' | 'sha256'>): Buffer =>
  createHash('sha256').update(`${verificationId}.${sha256}`).digest();

/** Names a token by what it vouches for, so that a token in another spelling is the same. SHA-256, 32 bytes. */
export const proofOf = (provider: string, maker: string, hash: Buffer): Buffer =>
  createHash('sha256').update(`${provider}\n${maker}\n`).update(hash).digest();

/** The providers whose tokens are bound to the picture by {@link clientDataHash}. Turnstile's is bound to nothing that was sent. */
const BOUND: ReadonlySet<string> = new Set(['app_attest', 'play_integrity']);

/** True when an attestation says something about the picture's bytes, so that a signal may rest on it. */
export const attestsPicture = (attestation: Pick<Attestation, 'verdict' | 'provider'> | null): boolean =>
  attestation?.verdict === 'ok' && BOUND.has(attestation.provider);
