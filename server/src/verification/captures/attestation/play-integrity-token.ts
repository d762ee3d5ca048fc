import { compactDecrypt, compactVerify } from 'jose';
import type { PlayIntegrityKeys } from '../../../platform/config/attestation.ts';
import { isRecord } from '../../../platform/lib/ask-json.ts';
import { Refusal } from './check.ts';

/**
 * Decrypts the verdict inside a token with the app's own keys of the Play Console: a JWE (A256KW, A256GCM) around a JWS
 * (ES256). Null when the decryption key does not open it. Throws {@link Refusal} when the content is not Google's.
 */
export async function decryptToken(keys: PlayIntegrityKeys, token: string): Promise<Record<string, unknown> | null> {
  const opened = await compactDecrypt(token, keys.decryption, {
    keyManagementAlgorithms: ['A256KW'],
    contentEncryptionAlgorithms: ['A256GCM'],
  }).catch(() => null);
  if (!opened) return null;
  const verified = await compactVerify(opened.plaintext, keys.verification, { algorithms: ['ES256'] }).catch(() => {
    throw new Refusal('the token is not signed by Google for this app');
  });
  const verdict: unknown = JSON.parse(Buffer.from(verified.payload).toString('utf8'));
  if (!isRecord(verdict)) throw new Refusal('the token holds no verdict');
  return verdict;
}
