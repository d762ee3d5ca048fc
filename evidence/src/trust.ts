import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '#sha256';
import { base64, equal, utf8 } from './bytes.ts';
import { canonical, isObject, type Json } from './json.ts';
import { NoteFault, parseVkey, type Verifier } from './note.ts';

/** Base64 without padding, in the alphabet of URLs (RFC 4648, section 5). */
export const base64url = (bytes: Uint8Array): string =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** The id of an Ed25519 key: its RFC 7638 thumbprint. */
export const thumbprint = (publicKey: Uint8Array): string =>
  base64url(sha256(utf8(canonical({ crv: 'Ed25519', kty: 'OKP', x: base64url(publicKey) }))));

/**
 * Reads trusted keys: verifier keys, a line each, or a JWK Set whose keys carry their `vkey`. Empty lines and lines that
 * start with `#` are passed over. Throws {@link NoteFault}.
 */
export function parseTrust(text: string): Verifier[] {
  if (text.trimStart().startsWith('{')) return parseJwks(text);
  const lines = text.split(/\r?\n/).map(line => line.trim());
  return lines.filter(line => line !== '' && !line.startsWith('#')).map(parseVkey);
}

function parseJwks(text: string): Verifier[] {
  let set: Json;
  try {
    set = JSON.parse(text) as Json;
  } catch {
    throw new NoteFault('the key file is not JSON');
  }
  const keys = isObject(set) ? set.keys : undefined;
  if (!Array.isArray(keys)) throw new NoteFault('the key file is not a JWK Set');
  return keys.map(key => {
    const vkey = isObject(key) ? key.vkey : undefined;
    if (!isObject(key) || typeof vkey !== 'string') throw new NoteFault('a key of the JWK Set has no vkey');
    const verifier = parseVkey(vkey);
    if (key.x !== base64url(verifier.publicKey))
      throw new NoteFault(`the vkey of ${verifier.name} is not its JWK's key`);
    return verifier;
  });
}

export const sameKey = (a: Verifier, b: Verifier): boolean =>
  a.name === b.name && a.kind === b.kind && equal(a.publicKey, b.publicKey);

/** A new Ed25519 seed with its public key. */
export const generateKey = (): { secretKey: Uint8Array; publicKey: Uint8Array } => ed25519.keygen();
