import * as asn1js from 'asn1js';
import * as pkijs from 'pkijs';
import { BufferSourceConverter, Convert } from 'pvtsutils';

// RFC 3161 time stamps. The library reads the structures and checks imprint, signature and chain; what a stamp must say beyond
// that (the certificate's purpose, the certificate it names, hashes that still hold) is checked here.

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

const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const SIGNING_CERTIFICATE = '1.2.840.113549.1.9.16.2.12';
const SIGNING_CERTIFICATE_V2 = '1.2.840.113549.1.9.16.2.47';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
/** esi4-qtstStatement-1, 0.4.0.19422.1.1, as DER. */
const QUALIFIED_STAMP = '0607040081975e0101';

const fail = (reason: string): never => {
  throw new StampFault(reason);
};

function read<T>(work: () => T, otherwise: string): T {
  try {
    return work();
  } catch {
    return fail(otherwise);
  }
}

function certificatesIn(pem: string): pkijs.Certificate[] {
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g);
  const certificate = (text: string) => pkijs.Certificate.fromBER(Convert.FromBase64(text));
  return [...blocks].map(([, text]) => read(() => certificate(text!), 'a certificate cannot be read'));
}

/** A request for a stamp of a SHA-256, with the authority's certificate in the answer. */
export function stampRequest(imprint: Uint8Array, nonce: Uint8Array): Uint8Array {
  const request = new pkijs.TimeStampReq({
    version: 1,
    messageImprint: new pkijs.MessageImprint({
      hashAlgorithm: new pkijs.AlgorithmIdentifier({
        algorithmId: pkijs.id_sha256,
        algorithmParams: new asn1js.Null(),
      }),
      hashedMessage: new asn1js.OctetString({ valueHex: new Uint8Array(imprint).buffer }),
    }),
    nonce: new asn1js.Integer({ valueHex: new Uint8Array(nonce).buffer }),
    certReq: true,
  });
  return new Uint8Array(request.toSchema().toBER());
}

/** The stamp inside an authority's answer, byte for byte: the second element. Throws {@link StampFault}. */
export function tokenOf(response: Uint8Array): Uint8Array<ArrayBuffer> {
  const { result } = asn1js.fromBER(response);
  const token = result instanceof asn1js.Sequence && result.valueBlock.value[1];
  return token ? new Uint8Array(token.valueBeforeDecodeView) : fail('the answer has no stamp');
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
  const [signer, second] = signed.signerInfos;
  if (!signer || second) return fail('the stamp has not exactly one signature');

  const data = new Uint8Array(o.message).buffer;
  if (!isSha2(info.messageImprint.hashAlgorithm)) fail('the imprint of the stamp is not a SHA-2 hash');
  if (!(await info.verify({ data }))) fail('the stamp is for other bytes than the checkpoint');
  const nonce = info.nonce ? Convert.ToHex(info.nonce.valueBlock.valueHexView) : null;
  if (o.nonce && trimmed(nonce ?? '') !== trimmed(Convert.ToHex(o.nonce))) {
    fail('the stamp answers another request: its nonce differs');
  }

  signed.certificates = [...(signed.certificates ?? []), ...certificatesIn(o.chain ?? '')];
  const certificate = await checkSignature(signed, signer, data);
  checkPurpose(certificate);
  await checkNamedCertificate(signer, certificate);
  const at = info.genTime;
  if (at < certificate.notBefore.value || at > certificate.notAfter.value) {
    fail('the stamp was made when its certificate was not valid');
  }
  if (o.roots !== undefined) await checkChain(certificate, signed.certificates, certificatesIn(o.roots), at);
  return {
    at: at.toISOString(),
    authority: nameOf(certificate),
    serial: Convert.ToHex(info.serialNumber.valueBlock.valueHexView),
    policy: info.policy,
    nonce,
    claimsQualified: (info.extensions ?? []).some(
      ({ extnID, extnValue }) =>
        extnID === pkijs.id_QCStatements && Convert.ToHex(extnValue.valueBlock.valueHexView).includes(QUALIFIED_STAMP),
    ),
    rootChecked: o.roots !== undefined,
  };
}

const trimmed = (text: string): string => text.replace(/^(00)+/, '');

const hashName = (oid: string): string => (pkijs.getAlgorithmByOID(oid) as { name?: string }).name ?? '';

const isSha2 = ({ algorithmId }: pkijs.AlgorithmIdentifier): boolean =>
  /^SHA-(256|384|512)$/.test(hashName(algorithmId));

function signedDataOf(bytes: Uint8Array): pkijs.SignedData {
  const parsed = asn1js.fromBER(bytes);
  if (parsed.offset !== bytes.length) fail('the stamp is not one DER structure');
  const response = read(() => new pkijs.TimeStampResp({ schema: parsed.result }), 'the stamp cannot be read');
  const { status } = response.status;
  if (status !== 0 && status !== 1) fail(`the authority refused to stamp (status ${status})`);
  const schema = response.timeStampToken?.content ?? fail('the response carries no stamp');
  const signed = read(() => new pkijs.SignedData({ schema }), 'the signature of the stamp cannot be read');
  if (signed.encapContentInfo.eContentType !== pkijs.id_eContentType_TSTInfo) {
    fail('the content of the stamp is not a time stamp');
  }
  return signed;
}

/** The value of a signed attribute that is there once. */
const attributeOf = (signer: pkijs.SignerInfo, type: string): asn1js.BaseBlock | undefined => {
  const found = signer.signedAttrs?.attributes.filter(attribute => attribute.type === type) ?? [];
  return found.length === 1 && found[0]!.values.length === 1 ? found[0]!.values[0] : undefined;
};

/** Checks the signature over the stamp and the certificate that made it; gives back the certificate. */
async function checkSignature(
  signed: pkijs.SignedData,
  signer: pkijs.SignerInfo,
  data: ArrayBuffer,
): Promise<pkijs.Certificate> {
  const contentType = attributeOf(signer, CONTENT_TYPE);
  if (
    !(contentType instanceof asn1js.ObjectIdentifier) ||
    contentType.valueBlock.toString() !== pkijs.id_eContentType_TSTInfo
  ) {
    fail('the signature of the stamp is not over a time stamp');
  }
  if (!isSha2(signer.digestAlgorithm)) fail('the stamp is not signed over a SHA-2 hash');
  const { signatureVerified, signerCertificate } = await signed
    .verify({ signer: 0, data, extendedMode: true })
    .catch((error: pkijs.SignedDataVerifyError) => {
      if (error.code === 3) return fail('the certificate of the stamp is missing');
      if (/digest/.test(error.message)) return fail('the content of the stamp was changed: its digest differs');
      return fail('the signature of the stamp does not verify');
    });
  return signatureVerified && signerCertificate
    ? signerCertificate
    : fail('the signature of the stamp does not verify');
}

/** RFC 3161, section 2.3: the key usage is critical and only time stamping. */
function checkPurpose(certificate: pkijs.Certificate): void {
  const usage = certificate.extensions?.find(({ extnID }) => extnID === pkijs.id_ExtKeyUsage);
  const [purpose, another] = (usage?.parsedValue as pkijs.ExtKeyUsage | undefined)?.keyPurposes ?? [];
  if (!usage?.critical || purpose !== TIME_STAMPING || another !== undefined) {
    fail('the certificate of the stamp is not one for only time stamping');
  }
}

/** RFC 5035: the signature names its certificate by hash, so that no other with the same key can take its place. */
async function checkNamedCertificate(signer: pkijs.SignerInfo, certificate: pkijs.Certificate): Promise<void> {
  const v2 = attributeOf(signer, SIGNING_CERTIFICATE_V2);
  const attribute =
    v2 ?? attributeOf(signer, SIGNING_CERTIFICATE) ?? fail('the signature does not name its certificate');
  const firstOf = (block: unknown) => partsOf(block)[0];
  const name = partsOf(firstOf(firstOf(attribute)));
  const [algorithm, named] = v2 && name[0] instanceof asn1js.Sequence ? name : [undefined, name[0]];
  const oid = firstOf(algorithm);
  const hash = oid instanceof asn1js.ObjectIdentifier ? hashName(oid.valueBlock.toString()) : v2 ? 'SHA-256' : 'SHA-1';
  if (!(named instanceof asn1js.OctetString)) return fail('the name of the certificate cannot be read');
  if (!/^SHA-/.test(hash)) fail('the certificate is named by an unknown hash');
  const digest = await crypto.subtle.digest(hash, certificate.toSchema(false).toBER());
  if (!BufferSourceConverter.isEqual(named.valueBlock.valueHexView, new Uint8Array(digest)))
    fail('the signature names another certificate');
}

const partsOf = (block: unknown): asn1js.AsnType[] =>
  block instanceof asn1js.Sequence ? (block.valueBlock.value as asn1js.AsnType[]) : [];

async function checkChain(
  certificate: pkijs.Certificate,
  certificates: pkijs.CertificateSetItem[],
  roots: pkijs.Certificate[],
  at: Date,
): Promise<void> {
  if (roots.length === 0) fail('no root certificate was given');
  const others = certificates.filter(other => other instanceof pkijs.Certificate && other !== certificate);
  // The engine judges the last of its certificates.
  const certs = [...(others as pkijs.Certificate[]), certificate];
  const engine = new pkijs.CertificateChainValidationEngine({ certs, trustedCerts: roots, checkDate: at });
  const answer = await engine.verify().catch(() => ({ result: false }));
  if (!answer.result) fail('the certificate of the stamp does not lead to a trusted root');
}

function nameOf(certificate: pkijs.Certificate): string {
  const parts = certificate.subject.typesAndValues;
  const names = [COMMON_NAME, ORGANIZATION].map(type => parts.find(part => part.type === type)?.value.valueBlock.value);
  return names.filter(Boolean).join(', ') || 'without a name';
}
