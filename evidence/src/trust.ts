import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '#sha256';
import { base64, equal, utf8 } from './bytes.ts';
import { canonical, isObject, type Json } from './json.ts';
import { NoteFault, parseVkey, type Verifier } from './note.ts';
import type { Role } from './report.ts';

/** A key that somebody vouched for, and what the issuer's list says about it. */
export interface TrustedKey extends Verifier {
  /** Absent for a bare verifier key, which may serve either role, but only one in a bundle. */
  role?: Role;
  /** When the issuer stopped using it, in milliseconds since 1970. */
  retiredAt?: number;
}

/** Base64 without padding, in the alphabet of URLs (RFC 4648, section 5). */
export const base64url = (bytes: Uint8Array): string =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

/** The id of an Ed25519 key: its RFC 7638 thumbprint. */
export const thumbprint = (publicKey: Uint8Array): string =>
  base64url(sha256(utf8(canonical({ crv: 'Ed25519', kty: 'OKP', x: base64url(publicKey) }))));

/**
 * Reads trusted keys: verifier keys, one per line, or a JWK Set whose keys carry their `vkey`. Ignores empty lines and lines that start
 * with `#`. Throws {@link NoteFault}.
 */
export function parseTrust(text: string): TrustedKey[] {
  if (text.trimStart().startsWith('{')) return parseJwks(text);
  const lines = text.split(/\r?\n/).map(line => line.trim());
  return lines.filter(line => line !== '' && !line.startsWith('#')).map(parseVkey);
}

/** RFC 3339, as the issuer writes `retired_at`. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

function parseJwks(text: string): TrustedKey[] {
  let set: Json;
  try {
    set = JSON.parse(text) as Json;
  } catch {
    throw new NoteFault('the key file is not JSON');
  }
  const keys = isObject(set) ? set.keys : undefined;
  if (!Array.isArray(keys)) throw new NoteFault('the key file is not a JWK Set');
  return keys.map(parseJwk);
}

/** Refuses a role or time that it cannot read: ignoring one would let the key count for more than its issuer says. */
function parseJwk(key: Json): TrustedKey {
  const vkey = isObject(key) ? key.vkey : undefined;
  if (!isObject(key) || typeof vkey !== 'string') throw new NoteFault('a key of the JWK Set has no vkey');
  const trusted: TrustedKey = parseVkey(vkey);
  const { x, role, retired_at } = key;
  if (x !== base64url(trusted.publicKey)) throw new NoteFault(`the vkey of ${trusted.name} is not its JWK's key`);
  if (role === 'log' || role === 'bundle') trusted.role = role;
  else if (role !== undefined) throw new NoteFault(`the role of ${vkey} is neither "log" nor "bundle"`);
  if (retired_at === undefined) return trusted;
  trusted.retiredAt = typeof retired_at === 'string' && TIME.test(retired_at) ? Date.parse(retired_at) : Number.NaN;
  if (Number.isNaN(trusted.retiredAt)) throw new NoteFault(`the retired_at of ${vkey} is not a time (RFC 3339)`);
  return trusted;
}

/** The other role that a list gives this key, under any name. Undefined where every list allows `role`. */
export const otherRole = (trusted: readonly TrustedKey[], { publicKey }: Verifier, role: Role): Role | undefined =>
  trusted.find(key => equal(key.publicKey, publicKey) && (key.role ?? role) !== role)?.role;

/** When the key was retired first, by any list and under any name. Infinity where none says so. */
export const retirementOf = (trusted: readonly TrustedKey[], { publicKey }: Verifier): number =>
  Math.min(...trusted.flatMap(key => (equal(key.publicKey, publicKey) ? (key.retiredAt ?? []) : [])));

export const sameKey = (a: Verifier, b: Verifier): boolean =>
  a.name === b.name && a.kind === b.kind && equal(a.publicKey, b.publicKey);

/** A new Ed25519 seed with its public key. */
export const generateKey = (): { secretKey: Uint8Array; publicKey: Uint8Array } => ed25519.keygen();
