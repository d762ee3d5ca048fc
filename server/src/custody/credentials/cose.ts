import { constants, createPrivateKey, type KeyObject, sign, verify, X509Certificate } from 'node:crypto';
import { certificatesIn } from '@firsthand/forensics/ai/trust-list/trust-list.ts';
import { tokenOf } from '@firsthand/stamps/rfc3161.ts';
import { encode } from 'cborg';

/** A signature algorithm: C2PA's name, the COSE number (RFC 9053, RFC 8230), and what Node.js needs. */
interface Algorithm {
  name: string;
  cose: number;
  hash: string | null;
  signatureBytes: (key: KeyObject) => number;
}

const EC: Record<string, Algorithm> = {
  prime256v1: { name: 'es256', cose: -7, hash: 'sha256', signatureBytes: () => 64 },
  secp384r1: { name: 'es384', cose: -35, hash: 'sha384', signatureBytes: () => 96 },
  secp521r1: { name: 'es512', cose: -36, hash: 'sha512', signatureBytes: () => 132 },
};
const ED25519: Algorithm = { name: 'ed25519', cose: -8, hash: null, signatureBytes: () => 64 };
const PS256: Algorithm = {
  name: 'ps256',
  cose: -37,
  hash: 'sha256',
  signatureBytes: key => (key.asymmetricKeyDetails?.modulusLength ?? 4_096) / 8,
};

/** The algorithm that a key signs with; undefined for a key that C2PA does not take. */
export function algorithmOf(key: KeyObject): Algorithm | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ec') return EC[details?.namedCurve ?? ''];
  if (type === 'ed25519') return ED25519;
  return (type === 'rsa' || type === 'rsa-pss') && (details?.modulusLength ?? 0) >= 2_048 ? PS256 : undefined;
}

const SIZES = {
  pss: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  ec: { dsaEncoding: 'ieee-p1363' },
} as const;
const keyFor = (key: KeyObject, { name }: Algorithm) => ({ key, ...(name === 'ps256' ? SIZES.pss : SIZES.ec) });

/** Signs bytes as COSE has the signature: for ECDSA r ‖ s, for RSA with PSS. */
export function signRaw(privateKeyPem: string, data: Uint8Array): Buffer {
  const key = createPrivateKey(privateKeyPem);
  const algorithm = algorithmOf(key);
  if (!algorithm) throw new Error('a private key of a kind that C2PA does not take');
  return sign(algorithm.hash, data, keyFor(key, algorithm));
}

/** Certificates of a PEM text, in its order. */
export const certificatesOf = (pem: string): X509Certificate[] =>
  certificatesIn(pem).map(one => new X509Certificate(one));

export interface CoseSigner {
  alg: string;
  reserveBytes: number;
  /** Returns the COSE_Sign1 over a claim, `reserveBytes` long. */
  sign(claim: Uint8Array): Promise<Uint8Array>;
}

/** A time stamp's token with two certificates is 3 to 6 kB; the authority decides. */
const STAMP_BYTES = 10_240;
/** More than 256, so that the head of the padding always has three bytes. */
const SPARE_BYTES = 512;
const TAG = Buffer.from([0xd2]);

/**
 * Signs claims as C2PA 2.2, 13.2 has it: a COSE_Sign1 with the certificates in its protected header and the content detached.
 * @param signBytes signs the Sig_structure (RFC 9052, 4.4); what it returns is checked against the certificate.
 * @param stamp asks for an RFC 3161 time stamp of bytes and returns the authority's answer, or null; undefined without an authority.
 */
export function coseSigner(
  certificates: readonly X509Certificate[],
  signBytes: (data: Uint8Array) => Promise<Uint8Array>,
  stamp?: (data: Uint8Array) => Promise<Uint8Array | null>,
): CoseSigner {
  const [leaf] = certificates;
  const algorithm = leaf && algorithmOf(leaf.publicKey);
  if (!algorithm) throw new Error('the first certificate has a key of a kind that C2PA does not take');
  const chain = certificates.map(({ raw }) => new Uint8Array(raw));
  const header = encode(
    new Map<number, unknown>([
      [1, algorithm.cose],
      [33, chain],
    ]),
  );
  const reserveBytes =
    header.length + algorithm.signatureBytes(leaf.publicKey) + SPARE_BYTES + (stamp ? STAMP_BYTES : 0);
  return {
    alg: algorithm.name,
    reserveBytes,
    async sign(claim) {
      const toSign = encode(['Signature1', header, new Uint8Array(), claim]);
      const signature = await signBytes(toSign);
      if (!verify(algorithm.hash, toSign, keyFor(leaf.publicKey, algorithm), signature)) {
        throw new Error('the signature does not fit the certificate');
      }
      const token = await stamp?.(countersigned(header, signature)).then(answer => answer && tokenOf(answer));
      const unprotected = token ? { sigTst2: { tstTokens: [{ val: token }] } } : {};
      return padded(header, unprotected, new Uint8Array(signature), reserveBytes);
    },
  };
}

/** What a `sigTst2` stamps: the signature, as a countersignature sees it (RFC 9338; C2PA 2.2, 10.3.2.5). */
const countersigned = (header: Uint8Array, signature: Uint8Array): Uint8Array =>
  encode(['CounterSignature', header, new Uint8Array(), encode(new Uint8Array(signature))]);

/** The tag of a COSE_Sign1 and its array of four, filled up to a length with a header that readers pass over. */
function padded(header: Uint8Array, unprotected: object, signature: Uint8Array, length: number): Uint8Array {
  const build = (pad: number) =>
    Buffer.concat([TAG, encode([header, { ...unprotected, pad: new Uint8Array(pad) }, null, signature])]);
  // The head of an empty byte string is one byte, that of 256 to 65,535 bytes is three.
  const pad = length - build(0).length - 2;
  if (pad < 256) throw new Error('the signature with its time stamp does not fit its reserved room');
  return build(pad);
}
