/** Writes X.509 certificates (RFC 5280) for C2PA signers as DER. */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

const tlv = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Uint8Array[]): Buffer => tlv(0x30, ...parts);
const bits = (data: Uint8Array, unused = 0): Buffer => tlv(0x03, Buffer.from([unused]), data);
const octets = (data: Uint8Array): Buffer => tlv(0x04, data);

function oid(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split('.').map(Number);
  const bytes = [first! * 40 + second!];
  for (const part of rest) {
    const groups = [part & 127];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 127) | 128);
    bytes.push(...groups);
  }
  return tlv(0x06, Buffer.from(bytes));
}

const name = (commonName: string): Buffer =>
  sequence(
    ...[
      ['2.5.4.6', 'DE'],
      ['2.5.4.10', 'Test Camera Maker'],
      ['2.5.4.3', commonName],
    ].map(([type, value]) => tlv(0x31, sequence(oid(type!), tlv(0x0c, Buffer.from(value!))))),
  );

const time = (at: Date): Buffer =>
  tlv(
    0x17,
    Buffer.from(
      `${at
        .toISOString()
        .replaceAll(/[-:T]|\.\d+/g, '')
        .slice(2, 14)}Z`,
    ),
  );

const extension = (id: string, critical: boolean, value: Buffer): Buffer =>
  sequence(oid(id), ...(critical ? [tlv(0x01, Buffer.from([0xff]))] : []), octets(value));

const ECDSA_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));

const keyId = (publicKey: KeyObject): Buffer =>
  createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }).subarray(-65))
    .digest();

interface Template {
  serial: number;
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  issuerKey: KeyObject;
  authority: boolean;
}

function certificate({ serial, subject, issuer, publicKey, issuerKey, authority }: Template): Buffer {
  const day = 86_400_000;
  const extensions = [
    extension('2.5.29.19', true, authority ? sequence(tlv(0x01, Buffer.from([0xff]))) : sequence()),
    extension('2.5.29.15', true, authority ? bits(Buffer.from([0x06]), 1) : bits(Buffer.from([0x80]), 7)),
    ...(authority ? [] : [extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.4')))]),
    extension('2.5.29.35', false, sequence(tlv(0x80, keyId(createPublicKey(issuerKey))))),
    extension('2.5.29.14', false, octets(keyId(publicKey))),
  ];
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.from([2]))),
    tlv(0x02, Buffer.from([serial])),
    ECDSA_SHA256,
    name(issuer),
    sequence(time(new Date(Date.now() - day)), time(new Date(Date.now() + 10 * day))),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions)),
  );
  return sequence(body, ECDSA_SHA256, bits(sign('sha256', body, issuerKey)));
}

export interface Chain {
  /** PKCS#8 of the leaf's P-256 key. */
  key: KeyObject;
  /** DER, leaf first. */
  certificates: Buffer[];
  rootPem: string;
}

/** Creates a new root and a leaf that may sign C2PA claims. */
export function makeChain(): Chain {
  const root = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuerKey = createPrivateKey(root.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const common = { issuer: 'Test Root', issuerKey };
  const rootDer = certificate({
    ...common,
    serial: 1,
    subject: 'Test Root',
    publicKey: root.publicKey,
    authority: true,
  });
  const leafDer = certificate({
    ...common,
    serial: 2,
    subject: 'Test Signer',
    publicKey: leaf.publicKey,
    authority: false,
  });
  const pem = `-----BEGIN CERTIFICATE-----\n${rootDer.toString('base64').replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
  return { key: leaf.privateKey, certificates: [leafDer, rootDer], rootPem: pem };
}
