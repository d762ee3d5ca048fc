import * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';
import { equal, hex } from './bytes.ts';

// RFC 3161 time stamps. The library reads the structures and checks signatures and chains; what a stamp must say beyond that
// (its imprint, the certificate's purpose, the certificate it names) is checked here.

export interface Stamp {
  /** When the authority says it saw the bytes, ISO 8601. */
  at: string;
  authority: string;
  serial: string;
  policy: string;
  nonce: string | null;
  /** The stamp itself claims to be a qualified one of the EU (ETSI EN 319 422, section 9.1). Its root decides whether that is so. */
  claimsQualified: boolean;
  rootChecked: boolean;
}

export interface StampToCheck {
  response: Uint8Array;
  message: Uint8Array;
  /** Certificates beside those in the response. */
  chain?: string;
  /** PEM of the roots trusted for time stamps. */
  roots?: string;
  nonce?: Uint8Array;
}

/** Why a stamp does not hold. */
export class StampFault extends Error {
  override name = 'StampFault';
}

const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const QC_STATEMENTS = '1.3.6.1.5.5.7.1.3';
/** esi4-qtstStatement-1, 0.4.0.19422.1.1, as DER. */
const QUALIFIED_STAMP = '0607040081975e0101';
const HASHES: Record<string, string> = {
  '1.3.14.3.2.26': 'SHA-1',
  '2.16.840.1.101.3.4.2.1': 'SHA-256',
  '2.16.840.1.101.3.4.2.2': 'SHA-384',
  '2.16.840.1.101.3.4.2.3': 'SHA-512',
};

const fail = (reason: string): never => {
  throw new StampFault(reason);
};

const digest = async (name: string, bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest(name, bytes as Uint8Array<ArrayBuffer>));

/** Certificates of a PEM text. Throws {@link StampFault}. */
export function certificatesIn(pem: string): pkijs.Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map(block => {
    try {
      const text = block.replace(/-----[A-Z ]+-----/g, '').replace(/\s/g, '');
      return pkijs.Certificate.fromBER(Uint8Array.from(atob(text), character => character.charCodeAt(0)));
    } catch {
      return fail('a certificate cannot be read');
    }
  });
}

/** A request for a stamp of a SHA-256, with the authority's certificate in the answer. */
export function stampRequest(imprint: Uint8Array, nonce: Uint8Array): Uint8Array {
  const request = new pkijs.TimeStampReq({
    version: 1,
    messageImprint: new pkijs.MessageImprint({
      hashAlgorithm: new pkijs.AlgorithmIdentifier({
        algorithmId: '2.16.840.1.101.3.4.2.1',
        algorithmParams: new asn1js.Null(),
      }),
      hashedMessage: new asn1js.OctetString({ valueHex: imprint.slice().buffer }),
    }),
    nonce: new asn1js.Integer({ valueHex: nonce.slice().buffer }),
    certReq: true,
  });
  return new Uint8Array(request.toSchema().toBER());
}

/**
 * Checks a time-stamp response over `message`: imprint, signature, the certificate's purpose, the certificate it names; with
 * `roots` also the chain, at the time of the stamp; with `nonce` that it answers that request. Throws {@link StampFault}.
 */
export async function verifyStamp(o: StampToCheck): Promise<Stamp> {
  try {
    return await check(o);
  } catch (error) {
    // Malformed structures fail anywhere in the library.
    throw error instanceof StampFault ? error : new StampFault('the stamp cannot be read');
  }
}

async function check(o: StampToCheck): Promise<Stamp> {
  const signed = signedDataOf(o.response);
  const content = signed.encapContentInfo.eContent?.getValue() ?? fail('the stamp has no content');
  const info = read(() => pkijs.TSTInfo.fromBER(content), 'the content of the stamp cannot be read');
  const signer =
    signed.signerInfos.length === 1 ? signed.signerInfos[0]! : fail('the stamp has not exactly one signature');

  const imprintHash = HASHES[info.messageImprint.hashAlgorithm.algorithmId];
  if (!imprintHash || imprintHash === 'SHA-1') return fail('the imprint of the stamp is not a SHA-2 hash');
  const imprint = new Uint8Array(info.messageImprint.hashedMessage.valueBlock.valueHexView);
  if (!equal(await digest(imprintHash, o.message), imprint)) fail('the stamp is for other bytes than the checkpoint');
  const nonce = info.nonce ? hex(new Uint8Array(info.nonce.valueBlock.valueHexView)) : null;
  if (o.nonce && trimmed(nonce ?? '') !== trimmed(hex(o.nonce)))
    fail('the stamp answers another request: its nonce differs');

  const inside = (signed.certificates ?? []).filter(item => item instanceof pkijs.Certificate);
  const certificates = [...inside, ...certificatesIn(o.chain ?? '')];
  const certificate =
    certificates.find(candidate => isSigner(candidate, signer.sid)) ?? fail('the certificate of the stamp is missing');
  await checkSignature(signer, certificate, new Uint8Array(content));
  checkPurpose(certificate);
  await checkNamedCertificate(signer, certificate);
  const at = info.genTime;
  if (at < certificate.notBefore.value || at > certificate.notAfter.value) {
    fail('the stamp was made when its certificate was not valid');
  }
  const rootChecked = o.roots !== undefined;
  if (o.roots !== undefined) await checkChain(certificate, certificates, certificatesIn(o.roots), at);
  return {
    at: at.toISOString(),
    authority: nameOf(certificate),
    serial: hex(new Uint8Array(info.serialNumber.valueBlock.valueHexView)),
    policy: info.policy,
    nonce,
    claimsQualified: (info.extensions ?? []).some(
      ({ extnID, extnValue }) =>
        extnID === QC_STATEMENTS && hex(extnValue.valueBlock.valueHexView).includes(QUALIFIED_STAMP),
    ),
    rootChecked,
  };
}

const trimmed = (text: string): string => text.replace(/^(00)+/, '');

function read<T>(work: () => T, otherwise: string): T {
  try {
    return work();
  } catch {
    return fail(otherwise);
  }
}

function signedDataOf(bytes: Uint8Array): pkijs.SignedData {
  const parsed = asn1js.fromBER(bytes);
  if (parsed.offset !== bytes.length) fail('the stamp is not one DER structure');
  const response = read(() => new pkijs.TimeStampResp({ schema: parsed.result }), 'the stamp cannot be read');
  const status = response.status.status;
  if (status !== 0 && status !== 1) fail(`the authority refused to stamp (status ${status})`);
  const token = response.timeStampToken ?? fail('the response carries no stamp');
  const signed = read(
    () => new pkijs.SignedData({ schema: token.content }),
    'the signature of the stamp cannot be read',
  );
  if (signed.encapContentInfo.eContentType !== TST_INFO) fail('the content of the stamp is not a time stamp');
  return signed;
}

function isSigner(certificate: pkijs.Certificate, sid: unknown): boolean {
  if (sid instanceof pkijs.IssuerAndSerialNumber) {
    return sid.issuer.isEqual(certificate.issuer) && sid.serialNumber.isEqual(certificate.serialNumber);
  }
  const wanted =
    sid instanceof asn1js.Primitive || sid instanceof asn1js.OctetString ? sid.valueBlock.valueHexView : null;
  const found = certificate.extensions?.find(({ extnID }) => extnID === '2.5.29.14')?.parsedValue as
    | asn1js.OctetString
    | undefined;
  return !!wanted && !!found && equal(new Uint8Array(wanted), new Uint8Array(found.valueBlock.valueHexView));
}

const attributeOf = (signer: pkijs.SignerInfo, type: string): asn1js.BaseBlock | undefined => {
  const found = signer.signedAttrs?.attributes.filter(attribute => attribute.type === type) ?? [];
  return found.length === 1 && found[0]!.values.length === 1 ? found[0]!.values[0] : undefined;
};

async function checkSignature(
  signer: pkijs.SignerInfo,
  certificate: pkijs.Certificate,
  content: Uint8Array,
): Promise<void> {
  const contentType = attributeOf(signer, CONTENT_TYPE);
  if (!(contentType instanceof asn1js.ObjectIdentifier) || contentType.valueBlock.toString() !== TST_INFO) {
    fail('the signature of the stamp is not over a time stamp');
  }
  const hash = HASHES[signer.digestAlgorithm.algorithmId] ?? fail('the stamp is signed over an unknown hash');
  if (hash === 'SHA-1') fail('the stamp is signed over SHA-1');
  const stated = attributeOf(signer, MESSAGE_DIGEST);
  const matches =
    stated instanceof asn1js.OctetString &&
    equal(new Uint8Array(stated.valueBlock.valueHexView), await digest(hash, content));
  if (!matches) fail('the content of the stamp was changed: its digest differs');
  const attributes = new Uint8Array(signer.signedAttrs!.encodedValue).slice();
  // Signed as a SET, whatever tag the structure gives it.
  attributes[0] = 0x31;
  const holds = await pkijs
    .getCrypto(true)
    .verifyWithPublicKey(
      attributes.buffer,
      signer.signature,
      certificate.subjectPublicKeyInfo,
      signer.signatureAlgorithm,
      hash,
    )
    .catch(() => false);
  if (!holds) fail('the signature of the stamp does not verify');
}

/** RFC 3161, section 2.3: the key usage is critical and time stamping alone. */
function checkPurpose(certificate: pkijs.Certificate): void {
  const usage = certificate.extensions?.find(({ extnID }) => extnID === EXTENDED_KEY_USAGE);
  const purposes = (usage?.parsedValue as pkijs.ExtKeyUsage | undefined)?.keyPurposes ?? [];
  if (!usage?.critical || purposes.length !== 1 || purposes[0] !== TIME_STAMPING) {
    fail('the certificate of the stamp is not one for time stamping alone');
  }
}

/** RFC 5035: the signature names its certificate by hash, so that no other with the same key can take its place. */
async function checkNamedCertificate(signer: pkijs.SignerInfo, certificate: pkijs.Certificate): Promise<void> {
  const v2 = attributeOf(signer, SIGNING_CERTIFICATE_V2);
  const attribute =
    v2 ?? attributeOf(signer, SIGNING_CERTIFICATE) ?? fail('the signature does not name its certificate');
  const first = read(() => {
    const list = (attribute as asn1js.Sequence).valueBlock.value[0] as asn1js.Sequence;
    return (list.valueBlock.value[0] as asn1js.Sequence).valueBlock.value;
  }, 'the name of the certificate cannot be read');
  let hash = v2 ? 'SHA-256' : 'SHA-1';
  let named = first[0];
  if (v2 && named instanceof asn1js.Sequence) {
    const algorithm = named.valueBlock.value[0] as asn1js.ObjectIdentifier;
    hash = HASHES[algorithm.valueBlock.toString()] ?? fail('the certificate is named by an unknown hash');
    named = first[1];
  }
  const encoded = new Uint8Array(certificate.toSchema(false).toBER());
  const matches =
    named instanceof asn1js.OctetString &&
    equal(new Uint8Array(named.valueBlock.valueHexView), await digest(hash, encoded));
  if (!matches) fail('the signature names another certificate');
}

async function checkChain(
  certificate: pkijs.Certificate,
  certificates: pkijs.Certificate[],
  roots: pkijs.Certificate[],
  at: Date,
): Promise<void> {
  if (roots.length === 0) fail('no root certificate was given');
  // The engine judges the last of its certificates.
  const others = certificates.filter(other => other !== certificate);
  const engine = new pkijs.CertificateChainValidationEngine({
    certs: [...others, certificate],
    trustedCerts: roots,
    checkDate: at,
  });
  const answer = await engine.verify().catch(() => ({ result: false, resultMessage: '' }));
  if (!answer.result) fail('the certificate of the stamp does not lead to a trusted root');
}

function nameOf(certificate: pkijs.Certificate): string {
  const parts = certificate.subject.typesAndValues;
  const of = (type: string) => parts.find(part => part.type === type)?.value.valueBlock.value as string | undefined;
  return [of('2.5.4.3'), of('2.5.4.10')].filter(Boolean).join(', ') || 'without a name';
}
