import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Encrypts secrets that must stay readable (AES-256-GCM), and derives the service's own signing secrets. The first key
 * encrypts and all keys decrypt, so that keys can be rotated.
 */
export interface Keyring {
  encrypt(plaintext: string): string;
  /** Throws when no key decrypts it. */
  decrypt(sealed: string): string;
  /** For each key, in their order: how every text begins that it encrypted. */
  readonly prefixes: readonly [string, ...string[]];
  /**
   * Derives 32-byte secrets for one purpose, one for each key (RFC 5869). They are the same on every node. The first
   * signs; all verify.
   */
  derive(purpose: string): [Buffer, ...Buffer[]];
}

export function createKeyring(keys: readonly Buffer[]): Keyring {
  const idOf = (key: Buffer) => createHash('sha256').update(key).digest('hex').slice(0, 8);
  const current = keys[0];
  if (!current) throw new Error('a keyring needs at least one key');
  const prefixOf = (key: Buffer) => `v1.${idOf(key)}.`;
  const prefix = prefixOf(current);
  const deriveFrom = (key: Buffer, purpose: string) => Buffer.from(hkdfSync('sha256', key, 'firsthand', purpose, 32));
  return {
    prefixes: [prefix, ...keys.slice(1).map(prefixOf)],
    encrypt(plaintext) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', current, iv);
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${prefix}${iv.toString('base64url')}.${body.toString('base64url')}`;
    },
    decrypt(sealed) {
      const [version, id, iv, body] = sealed.split('.');
      const key = keys.find(candidate => idOf(candidate) === id);
      if (version !== 'v1' || !key || !iv || !body) throw new Error('sealed under a key that ENCRYPTION_KEYS lacks');
      const bytes = Buffer.from(body, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'));
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8');
    },
    derive: purpose => [deriveFrom(current, purpose), ...keys.slice(1).map(key => deriveFrom(key, purpose))],
  };
}

export const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();
export const sha256Hex = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Compares two secrets in a time that does not depend on where they differ. */
export const equalSecrets = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));
