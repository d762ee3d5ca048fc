import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bits, integer, octets, oid, printable, sequence, set, TRUE, time, tlv, utf8 } from './der.ts';

const YEAR_MS = 365.25 * 86_400_000;
/** Readers compare a signature without a time stamp with the clock of the day, so a photo must outlast its case. */
const YEARS = 10;

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
const EMAIL_PROTECTION = oid('1.3.6.1.5.5.7.3.4');

export interface Chain {
  /** PEM, the signing certificate first. */
  certificate: string;
  /** PEM, PKCS #8. */
  privateKey: string;
}

/**
 * Makes a signing certificate under a root of its own, by the profile of C2PA 2.2, 14.5.1 (a signing certificate may not be its own
 * issuer). Readers say that they do not know the signer. The root's key is dropped at once, so nobody can issue under it later.
 */
export function makeChain(host: string, now: Date): Chain {
  const root = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rootName = name('Firsthand self-signed root', host);
  const validity = sequence(time(new Date(now.getTime() - 300_000)), time(new Date(now.getTime() + YEARS * YEAR_MS)));
  const issue = (subject: Buffer, key: KeyObject, extensions: Buffer[]) =>
    certificate({ subject, issuer: rootName, validity, key, issuerKey: root.privateKey, extensions });
  const signing = issue(name('Firsthand', host), leaf.publicKey, [
    extension('2.5.29.19', true, sequence()),
    extension('2.5.29.15', true, bits(Buffer.from([0x80]), 7)),
    extension('2.5.29.37', false, sequence(EMAIL_PROTECTION)),
    extension('2.5.29.35', false, sequence(tlv(0x80, keyId(root.publicKey)))),
    extension('2.5.29.14', false, octets(keyId(leaf.publicKey))),
  ]);
  const authority = issue(rootName, root.publicKey, [
    extension('2.5.29.19', true, sequence(TRUE)),
    extension('2.5.29.15', true, bits(Buffer.from([0x06]), 1)),
    extension('2.5.29.14', false, octets(keyId(root.publicKey))),
  ]);
  return {
    certificate: [signing, authority].map(pem).join(''),
    privateKey: leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

const pem = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`;

const name = (organization: string, commonName: string): Buffer =>
  sequence(
    ...[
      ['2.5.4.10', organization],
      ['2.5.4.3', commonName.slice(0, 64)],
    ].map(([type, value]) =>
      set(sequence(oid(type!), /^[A-Za-z0-9 '()+,./:=?-]*$/.test(value!) ? printable(value!) : utf8(value!))),
    ),
  );

const extension = (id: string, critical: boolean, value: Buffer): Buffer =>
  sequence(oid(id), ...(critical ? [TRUE] : []), octets(value));

/** SHA-1 of the public key's bits: method 1 of RFC 5280, 4.2.1.2. It names a key and proves nothing. */
const keyId = (key: KeyObject): Buffer =>
  createHash('sha1')
    .update(key.export({ type: 'spki', format: 'der' }).subarray(-65))
    .digest();

function certificate(o: {
  subject: Buffer;
  issuer: Buffer;
  validity: Buffer;
  key: KeyObject;
  issuerKey: KeyObject;
  extensions: Buffer[];
}): Buffer {
  const serial = randomBytes(16);
  // Positive, and without a leading zero byte.
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  const body = sequence(
    tlv(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_SHA256,
    o.issuer,
    o.validity,
    o.subject,
    o.key.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...o.extensions)),
  );
  return sequence(body, ECDSA_SHA256, bits(sign('sha256', body, o.issuerKey)));
}
