import { createHash, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Certificate } from '@peculiar/asn1-x509';
import { decode } from 'cborg';
import { Refusal } from './check.ts';

// The two objects of Apple's App Attest, by the numbered steps of developer.apple.com/documentation/devicecheck,
// "Validating apps that connect to your server". Pure: no clock, no store.

export type Environment = 'production' | 'development';

/** `aaguid` of the authenticator data, 16 bytes. */
const AAGUID: Readonly<Record<Environment, Buffer>> = {
  production: Buffer.from('appattest\0\0\0\0\0\0\0', 'latin1'),
  development: Buffer.from('appattestdevelop', 'latin1'),
};
const NONCE_EXTENSION = '1.2.840.113635.100.8.2';
/** DER of a sequence that holds the 32 bytes of the nonce, as an octet string tagged [1]. */
const NONCE_PREFIX = Buffer.from('3024a1220420', 'hex');

const sha256 = (...parts: Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

export interface AttestationQuestion {
  attestation: Buffer;
  /** SHA-256 of the public key, base64. */
  keyId: string;
  /** The hash that the app passed to `attestKey`. */
  clientDataHash: Buffer;
  /** `<team>.<bundle>` of the allowed apps. */
  appIds: readonly string[];
  environment: Environment;
  /** Trust anchors. */
  roots: readonly X509Certificate[];
  now: Date;
}

export interface AttestedKey {
  appId: string;
  publicKey: KeyObject;
}

/** Verifies an attestation object and returns its key. Throws {@link Refusal}, which names the step that failed. */
export function verifyAttestation(o: AttestationQuestion): AttestedKey {
  const object = readCbor(o.attestation);
  const statement = object.get('attStmt');
  const authData = object.get('authData');
  const chain = statement instanceof Map ? statement.get('x5c') : undefined;
  if (object.get('fmt') !== 'apple-appattest' || !isBytes(authData) || !Array.isArray(chain) || !chain.every(isBytes)) {
    throw new Refusal('not an App Attest attestation object');
  }
  const leaf = verifyChain(chain, o.roots, o.now);
  const nonce = sha256(authData, o.clientDataHash);
  if (!nonceOf(chain[0]!).equals(Buffer.concat([NONCE_PREFIX, nonce]))) {
    throw new Refusal('made for another picture or verification');
  }
  if (sha256(pointOf(leaf.publicKey)).toString('base64') !== o.keyId) {
    throw new Refusal('the key id is not that of the certified key');
  }
  const said = readAuthData(authData);
  const appId = appOf(said.rpIdHash, o.appIds);
  if (said.counter !== 0) throw new Refusal('the counter of a new key is not 0');
  const { aaguid, credentialId } = said;
  if (!aaguid || !credentialId) throw new Refusal('the authenticator data names no key');
  if (!aaguid.equals(AAGUID[o.environment])) {
    const other = Object.values(AAGUID).some(known => known.equals(aaguid));
    throw new Refusal(other ? `not made in the ${o.environment} environment` : 'not made by App Attest');
  }
  if (credentialId.toString('base64') !== o.keyId) throw new Refusal('the credential id is not the key id');
  return { appId, publicKey: leaf.publicKey };
}

export interface AssertionQuestion {
  assertion: Buffer;
  /** The hash that the app passed to `generateAssertion`. */
  clientDataHash: Buffer;
  publicKey: KeyObject;
  appId: string;
}

/**
 * Verifies an assertion that this key made and returns its counter, which the caller compares with the last. Throws
 * {@link Refusal}.
 */
export function verifyAssertion(o: AssertionQuestion): number {
  const object = readCbor(o.assertion);
  const signature = object.get('signature');
  const authData = object.get('authenticatorData');
  if (!isBytes(signature) || !isBytes(authData)) throw new Refusal('not an App Attest assertion object');
  const nonce = sha256(authData, o.clientDataHash);
  if (!verify('sha256', nonce, o.publicKey, signature)) {
    throw new Refusal('not signed by the attested key for this picture and verification');
  }
  const { rpIdHash, counter } = readAuthData(authData);
  appOf(rpIdHash, [o.appId]);
  return counter;
}

function appOf(rpIdHash: Buffer, appIds: readonly string[]): string {
  const appId = appIds.find(id => sha256(Buffer.from(id)).equals(rpIdHash));
  if (appId === undefined) throw new Refusal('made by another app');
  return appId;
}

const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array;

/** Reads a map with text keys: the form of both objects. */
function readCbor(bytes: Buffer): Map<unknown, unknown> {
  try {
    const value: unknown = decode(bytes, { useMaps: true, rejectDuplicateMapKeys: true });
    if (value instanceof Map) return value;
  } catch {
    // The error below also covers CBOR that is not a map.
  }
  throw new Refusal('not CBOR of the form that App Attest makes');
}

interface AuthData {
  rpIdHash: Buffer;
  counter: number;
  aaguid?: Buffer;
  credentialId?: Buffer;
}

/**
 * Reads authenticator data: hash of the app id (32 bytes), flags (1), counter (4), and in an attestation aaguid (16),
 * length of the credential id (2) and the id itself. Skips the rest (the key again, extensions), which the nonce
 * covers.
 */
function readAuthData(bytes: Uint8Array): AuthData {
  const data = Buffer.from(bytes);
  if (data.length < 37) throw new Refusal('the authenticator data is too short');
  const head = { rpIdHash: data.subarray(0, 32), counter: data.readUInt32BE(33) };
  if (data.length < 55) return head;
  const credentialId = data.subarray(55, 55 + data.readUInt16BE(53));
  return { ...head, aaguid: data.subarray(37, 53), credentialId };
}

/** Returns the leaf of a chain of leaf and intermediate under one of the roots. Each must be valid now. */
function verifyChain(der: readonly Uint8Array[], roots: readonly X509Certificate[], now: Date): X509Certificate {
  const [leaf, intermediate, ...more] = der.map(readCertificate);
  if (!leaf || !intermediate || more.length > 0) throw new Refusal('not a chain of two certificates');
  const root = roots.find(anchor => issued(intermediate, anchor));
  if (!root || !issued(leaf, intermediate)) throw new Refusal('the certificates do not lead to the App Attest root');
  for (const { validFromDate, validToDate } of [leaf, intermediate, root]) {
    if (now < validFromDate || now > validToDate) throw new Refusal('a certificate is not valid at this time');
  }
  return leaf;
}

const issued = (certificate: X509Certificate, by: X509Certificate): boolean =>
  by.ca && certificate.checkIssued(by) && certificate.verify(by.publicKey);

function readCertificate(der: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch {
    throw new Refusal('a certificate cannot be read');
  }
}

/** Returns the DER inside the nonce extension. node:crypto does not show extensions it does not know. */
function nonceOf(der: Uint8Array): Buffer {
  const { extensions } = AsnConvert.parse(der, Certificate).tbsCertificate;
  const found = extensions?.find(({ extnID }) => extnID === NONCE_EXTENSION);
  if (!found) throw new Refusal('the certificate carries no nonce');
  return Buffer.from(found.extnValue.buffer);
}

/** Returns the uncompressed point (65 bytes) of a P-256 key. */
function pointOf(key: KeyObject): Buffer {
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Refusal('the certified key is not on P-256');
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
}
