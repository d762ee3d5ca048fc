import { createHash, createPrivateKey, sign } from 'node:crypto';

/** The text of `SHA256SUMS`, for `sha256sum --check`. */
export const sumsOf = (files: ReadonlyMap<string, Buffer>): string =>
  [...files.keys()]
    .sort()
    .map(name => `${createHash('sha256').update(files.get(name)!).digest('hex')}  ${name}\n`)
    .join('');

/** The Ed25519 signature of the sums, as `openssl pkeyutl -verify -rawin` checks it. `key` is a private key in PEM. */
export function signSums(sums: string, key: string): Buffer {
  const privateKey = createPrivateKey(key);
  if (privateKey.asymmetricKeyType !== 'ed25519') {
    throw new Error('the key is not an Ed25519 key: make one with openssl genpkey -algorithm ed25519 -out release.pem');
  }
  return sign(null, Buffer.from(sums), privateKey);
}
