import { createHash, createSign, KeyObject, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

const sha256 = (...parts: Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const P384 = { name: 'ECDSA', namedCurve: 'P-384', hash: 'SHA-384' };
const DAY_MS = 86_400_000;

/** CBOR (RFC 8949) of what the two objects are made of, written apart from the library that reads them. */
function cbor(value: unknown): Buffer {
  const head = (major: number, length: number): Buffer => {
    if (length < 24) return Buffer.from([(major << 5) | length]);
    if (length < 256) return Buffer.from([(major << 5) | 24, length]);
    return Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
  };
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  const members = Object.entries(value as object);
  return Buffer.concat([head(5, members.length), ...members.flatMap(([key, inner]) => [cbor(key), cbor(inner)])]);
}

/** What iOS 27 appends to the authenticator data of both objects. It may leave the flag for extensions (0x80) clear, or set it and append nothing. */
export const EXTENSIONS = cbor({
  apple_bundle_version_01: '1',
  apple_validation_category_01: Buffer.from('03000000', 'hex'),
});

type Period = { from?: Date; to?: Date };
type Keys = webcrypto.CryptoKeyPair;

const makeKeys = (algorithm: typeof P256) =>
  webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']) as Promise<Keys>;

/** A root and an intermediate of the shape of Apple's, and what they certify. */
export async function makeAuthority() {
  const rootKeys = await makeKeys(P384);
  const caKeys = await makeKeys(P384);
  const certify = (o: {
    subject: string;
    issuer: string;
    key: webcrypto.CryptoKey;
    by: webcrypto.CryptoKey;
    hash: typeof P384;
    extensions: Extension[];
    period?: Period | undefined;
  }) =>
    X509CertificateGenerator.create(
      {
        subject: o.subject,
        issuer: o.issuer,
        notBefore: o.period?.from ?? new Date(Date.now() - DAY_MS),
        notAfter: o.period?.to ?? new Date(Date.now() + DAY_MS),
        signingKey: o.by as InstanceType<typeof CryptoKey>,
        publicKey: o.key as InstanceType<typeof CryptoKey>,
        signingAlgorithm: o.hash,
        extensions: o.extensions,
      },
      webcrypto as typeof globalThis.crypto,
    );
  const authority = [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ];
  const [rootName, caName] = ['CN=Test App Attestation Root CA', 'CN=Test App Attestation CA 1'];
  const rootSigns = { issuer: rootName, by: rootKeys.privateKey, hash: P384 };
  const root = await certify({ ...rootSigns, subject: rootName, key: rootKeys.publicKey, extensions: authority });
  const ca = await certify({ ...rootSigns, subject: caName, key: caKeys.publicKey, extensions: authority });
  return {
    /** PEM of the trust anchor. */
    root: root.toString('pem'),
    intermediate: Buffer.from(ca.rawData),
    /** DER of a leaf whose extension holds the nonce. */
    async certifyKey(key: webcrypto.CryptoKey, nonce: Buffer, period?: Period): Promise<Buffer> {
      const holder = Buffer.concat([Buffer.from('3024a1220420', 'hex'), nonce]);
      const leaf = await certify({
        subject: 'CN=device key,OU=AAA Certification',
        issuer: caName,
        key,
        by: caKeys.privateKey,
        hash: { ...P384, hash: 'SHA-256' },
        period,
        extensions: [
          new BasicConstraintsExtension(false, undefined, true),
          new Extension('1.2.840.113635.100.8.2', false, holder),
        ],
      });
      return Buffer.from(leaf.rawData);
    },
  };
}
export type Authority = Awaited<ReturnType<typeof makeAuthority>>;

/** A phone with a key in its enclave; `hash` is what the app has attested or asserted, 32 bytes. */
export async function makeDevice(authority: Authority, appId: string) {
  const keys = await makeKeys(P256);
  const privateKey = KeyObject.from(keys.privateKey);
  const point = Buffer.from(await webcrypto.subtle.exportKey('raw', keys.publicKey));
  const keyId = sha256(point);
  const authData = (app: string, flags: number, counter: number, rest: Uint8Array[] = []) => {
    const numbers = Buffer.alloc(5);
    numbers[0] = flags;
    numbers.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(Buffer.from(app)), numbers, ...rest]);
  };
  const token = (member: object) =>
    JSON.stringify({ provider: 'app_attest', key_id: keyId.toString('base64'), ...member });
  return {
    keyId: keyId.toString('base64'),
    async attest(
      hash: Buffer,
      o: {
        app?: string;
        aaguid?: string;
        counter?: number;
        credentialId?: Buffer;
        period?: Period;
        chain?: (leaf: Buffer) => Buffer[];
        /** Bits beside 0x40. */
        flags?: number;
        extensions?: Uint8Array;
      } = {},
    ): Promise<string> {
      const id = o.credentialId ?? keyId;
      const data = authData(o.app ?? appId, 0x40 | (o.flags ?? 0), o.counter ?? 0, [
        Buffer.from((o.aaguid ?? 'appattest').padEnd(16, '\0'), 'latin1'),
        Buffer.from([0, id.length]),
        id,
        // COSE key: EC2, ES256, P-256.
        Buffer.from('a5010203262001215820', 'hex'),
        point.subarray(1, 33),
        Buffer.from('225820', 'hex'),
        point.subarray(33),
        o.extensions ?? Buffer.alloc(0),
      ]);
      const leaf = await authority.certifyKey(keys.publicKey, sha256(data, hash), o.period);
      const x5c = o.chain?.(leaf) ?? [leaf, authority.intermediate];
      const object = { fmt: 'apple-appattest', attStmt: { x5c, receipt: Buffer.alloc(300) }, authData: data };
      return token({ attestation: cbor(object).toString('base64') });
    },
    assert(hash: Buffer, counter: number, o: { app?: string; flags?: number; extensions?: Uint8Array } = {}): string {
      const rest = o.extensions ? [o.extensions] : [];
      const authenticatorData = authData(o.app ?? appId, 0x40 | (o.flags ?? 0), counter, rest);
      const signature = createSign('sha256').update(sha256(authenticatorData, hash)).sign(privateKey);
      return token({ assertion: cbor({ signature, authenticatorData }).toString('base64') });
    },
  };
}
