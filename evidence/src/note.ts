import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '#sha256';
import { base64, concat, equal, fromBase64, fromUtf8, hex, utf8 } from './bytes.ts';

// Signed notes and verifier keys (c2sp.org/signed-note), with plain Ed25519 signatures and the Ed25519 cosignatures of
// c2sp.org/tlog-cosignature.

/** The first byte of a key's material, and of what its id is a hash over. */
export const ED25519 = 0x01;
export const COSIGNATURE = 0x04;

/** A public key under the name it signs as. */
export interface Verifier {
  name: string;
  /** The first four bytes of SHA-256(name ‖ "\n" ‖ kind ‖ key). */
  id: Uint8Array;
  kind: typeof ED25519 | typeof COSIGNATURE;
  publicKey: Uint8Array;
}

export interface Signer extends Verifier {
  /** The 32-byte seed. */
  secretKey: Uint8Array;
}

export interface NoteSignature {
  name: string;
  id: Uint8Array;
  bytes: Uint8Array;
  /** The line as it stands in the note, without its newline. */
  line: string;
}

export interface Note {
  /** The signed text. Ends with a newline. */
  text: string;
  signatures: NoteSignature[];
}

/** A signature that a known key made; `at` is the POSIX time of a cosignature. */
export interface Verified {
  verifier: Verifier;
  signature: NoteSignature;
  at?: bigint;
}

export class NoteFault extends Error {
  override name = 'NoteFault';
}

const MAX_BYTES = 1_000_000;
const MAX_SIGNATURES = 100;
const DASH = '\u2014';

const isName = (name: string): boolean => name !== '' && !/[\s\u0085+]/u.test(name);

export function verifierOf(name: string, publicKey: Uint8Array, kind: Verifier['kind'] = ED25519): Verifier {
  if (!isName(name) || publicKey.length !== 32) throw new NoteFault('not a key name with a 32-byte key');
  const id = sha256(concat(utf8(`${name}\n`), Uint8Array.of(kind), publicKey)).slice(0, 4);
  return { name, id, kind, publicKey };
}

export const signerOf = (name: string, secretKey: Uint8Array, kind: Verifier['kind'] = ED25519): Signer => ({
  ...verifierOf(name, ed25519.getPublicKey(secretKey), kind),
  secretKey,
});

/** Writes a verifier key: `<name>+<id>+<base64 of kind and key>`. */
export const vkeyOf = ({ name, id, kind, publicKey }: Verifier): string =>
  `${name}+${hex(id)}+${base64(concat(Uint8Array.of(kind), publicKey))}`;

/** Reads a verifier key. Throws {@link NoteFault} when its parts do not belong together. */
export function parseVkey(text: string): Verifier {
  const parts = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text);
  const [, name, id, encoded] = parts ?? [];
  const material = fromBase64(encoded ?? '');
  if (!name || !isName(name) || !material) throw new NoteFault('not a verifier key: <name>+<id>+<key>');
  const kind = material[0];
  if ((kind !== ED25519 && kind !== COSIGNATURE) || material.length !== 33) {
    throw new NoteFault(`the key of ${name} is neither Ed25519 nor an Ed25519 cosignature key`);
  }
  const verifier = verifierOf(name, material.slice(1), kind);
  if (hex(verifier.id) !== id) throw new NoteFault(`the key of ${name} has the id ${hex(verifier.id)}, not ${id}`);
  return verifier;
}

/** RFC 8032 without its leniencies: canonical encodings only, and no point outside the group of prime order, so all verifiers agree. */
export function verifyEd25519(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== 64 || publicKey.length !== 32) return false;
  try {
    const points = [publicKey, signature.subarray(0, 32)].map(bytes => ed25519.Point.fromBytes(bytes));
    if (points.some(point => point.isSmallOrder() || !point.isTorsionFree())) return false;
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false;
  }
}

/** Reads a note without checking its signatures. Throws {@link NoteFault} with what is wrong. */
export function parseNote(bytes: Uint8Array): Note {
  if (bytes.length > MAX_BYTES) throw new NoteFault(`a note has at most ${MAX_BYTES} bytes`);
  const whole = fromUtf8(bytes);
  if (whole === null) throw new NoteFault('the note is not UTF-8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the format forbids exactly these
  if (/[\u0000-\u0009\u000b-\u001f]/.test(whole)) throw new NoteFault('the note holds a control character');
  const split = whole.lastIndexOf('\n\n');
  if (split < 0) throw new NoteFault('no empty line between text and signatures');
  const text = whole.slice(0, split + 1);
  const tail = whole.slice(split + 2);
  if (!tail.endsWith('\n')) throw new NoteFault('the last signature line does not end with a newline');
  const lines = tail.slice(0, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw new NoteFault(`more than ${MAX_SIGNATURES} signatures`);
  return { text, signatures: lines.map(parseSignatureLine) };
}

export function parseSignatureLine(line: string): NoteSignature {
  const parts = line.startsWith(`${DASH} `) ? line.slice(2).split(' ') : [];
  const [name, encoded] = parts;
  const bytes = fromBase64(encoded ?? '');
  if (parts.length !== 2 || !name || !isName(name) || !bytes || bytes.length < 5) {
    throw new NoteFault('not a signature line: "\u2014 <name> <base64>"');
  }
  return { name, id: bytes.slice(0, 4), bytes: bytes.slice(4), line };
}

/**
 * The signatures by the given keys, each key once. Signatures by others are passed over. Throws {@link NoteFault} when one
 * that names a given key does not verify: a note is never half true.
 */
export function verifyNote(note: Note, verifiers: readonly Verifier[]): Verified[] {
  const verified: Verified[] = [];
  for (const signature of note.signatures) {
    const verifier = verifiers.find(({ name, id }) => name === signature.name && equal(id, signature.id));
    if (!verifier || verified.some(earlier => earlier.verifier === verifier)) continue;
    const found = check(note.text, signature, verifier);
    if (!found) throw new NoteFault(`the signature of ${signature.name} (${hex(signature.id)}) does not verify`);
    verified.push(found);
  }
  return verified;
}

function check(text: string, signature: NoteSignature, verifier: Verifier): Verified | null {
  if (verifier.kind === ED25519) {
    return verifyEd25519(signature.bytes, utf8(text), verifier.publicKey) ? { verifier, signature } : null;
  }
  if (signature.bytes.length !== 72) return null;
  const at = new DataView(signature.bytes.buffer, signature.bytes.byteOffset).getBigUint64(0);
  if (at === 0n || at >= 1n << 63n) return null;
  const signed = verifyEd25519(signature.bytes.subarray(8), cosigned(text, at), verifier.publicKey);
  return signed ? { verifier, signature, at } : null;
}

const cosigned = (text: string, at: bigint): Uint8Array => utf8(`cosignature/v1\ntime ${at}\n${text}`);

/** The signature line of a text, with its newline. `at`: the POSIX time, for a cosignature. */
export function signatureLine(text: string, signer: Signer, at = 0n): string {
  if (signer.kind === ED25519) return lineOf(signer, ed25519.sign(utf8(text), signer.secretKey));
  const time = new Uint8Array(8);
  new DataView(time.buffer).setBigUint64(0, at);
  return lineOf(signer, concat(time, ed25519.sign(cosigned(text, at), signer.secretKey)));
}

const lineOf = ({ name, id }: Signer, signature: Uint8Array): string =>
  `${DASH} ${name} ${base64(concat(id, signature))}\n`;

export function signNote(text: string, ...signers: readonly Signer[]): string {
  if (!text.endsWith('\n')) throw new NoteFault('the text of a note ends with a newline');
  return `${text}\n${signers.map(signer => signatureLine(text, signer)).join('')}`;
}
