import { EXPIRES_IN_SECONDS } from '@firsthand/contract/base/limits.ts';
import type { PlayIntegrityConfig } from '../../../platform/config/attestation.ts';
import { isRecord } from '../../../platform/lib/ask-json.ts';
import { clientDataHash, proofOf } from './binding.ts';
import { CHECK_MS, type Passed, Refusal, type Subject } from './check.ts';
import { decodeAtGoogle } from './google.ts';
import { decryptToken } from './play-integrity-token.ts';

/**
 * The greatest age of a verdict, and how far its time may be ahead of our clock. Milliseconds. An app asks for the verdict when it takes the
 * photo, and may deliver both as long as the link is open: a day at the most.
 */
const MAX_AGE_MS = EXPIRES_IN_SECONDS.max * 1_000;
const MAX_AHEAD_MS = 60_000;

/**
 * Checks Google Play Integrity, standard and classic requests: developer.android.com/google/play/integrity/verdicts.
 * Decrypts a token here when the app's keys are configured and open it. Otherwise Google decrypts it, if a service
 * account is configured. Throws {@link Refusal}, and other errors when Google does not answer.
 */
export async function checkPlayIntegrity(
  config: PlayIntegrityConfig,
  token: string,
  subject: Subject,
  now: Date,
): Promise<Passed> {
  const opened = config.keys && (await decryptToken(config.keys, token));
  if (!opened && !config.serviceAccount) throw new Refusal('the token cannot be decrypted with the configured keys');
  const verdict = opened ?? (await decodeAtGoogle(config, token, { now, signal: AbortSignal.timeout(CHECK_MS) }));
  const hash = clientDataHash(subject);
  const madeAt = judge(config, verdict, hash, now);
  return { proof: proofOf('play_integrity', String(madeAt), hash) };
}

/** Returns when the verdict was made, in milliseconds since 1970. Throws {@link Refusal}. */
function judge(config: PlayIntegrityConfig, verdict: Record<string, unknown>, hash: Buffer, now: Date): number {
  const request = members(verdict.requestDetails);
  const app = members(verdict.appIntegrity);
  const device = members(verdict.deviceIntegrity);

  if (request.requestPackageName !== config.packageName) throw new Refusal('made by another app');
  // A standard request echoes its hash, a classic one its nonce; both are the hash in URL-safe base64.
  const bound = request.requestHash ?? request.nonce;
  if (typeof bound !== 'string' || !Buffer.from(bound, 'base64').equals(hash)) {
    throw new Refusal('made for another picture or verification');
  }
  const madeAt = Number(request.timestampMillis ?? Number.NaN);
  const age = now.getTime() - madeAt;
  if (!(age <= MAX_AGE_MS && age >= -MAX_AHEAD_MS)) throw new Refusal('the verdict is too old');

  if (app.appRecognitionVerdict !== 'PLAY_RECOGNIZED') {
    throw new Refusal(`the app is ${word(app.appRecognitionVerdict)}, not PLAY_RECOGNIZED`);
  }
  if (app.packageName !== config.packageName) throw new Refusal('made by another app');
  const digests = Array.isArray(app.certificateSha256Digest) ? app.certificateSha256Digest.map(String) : [];
  if (
    config.certificates.length > 0 &&
    !digests.some(digest => config.certificates.some(known => known.equals(Buffer.from(digest, 'base64'))))
  ) {
    throw new Refusal('the app is signed with another certificate');
  }
  const recognised = device.deviceRecognitionVerdict;
  const labels = Array.isArray(recognised) ? recognised.map(word) : [];
  if (!labels.includes('MEETS_DEVICE_INTEGRITY')) {
    throw new Refusal(`the device does not meet device integrity${labels.length > 0 ? ` (${labels.join(', ')})` : ''}`);
  }
  return madeAt;
}

const members = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

/** Returns a label of Google's, or a replacement for any other value. */
const word = (value: unknown): string =>
  typeof value === 'string' && /^[A-Z_]{1,60}$/.test(value) ? value : 'not evaluated';
