import type { Band } from '@firsthand/contract/verification/signals.ts';
import type { PictureMetadata } from '../files/metadata/picture-metadata.ts';
import type { CalibratedScore } from '../signals.ts';
import { type C2paReport, failureWords, readC2pa } from './c2pa.ts';
import type { C2paClaim } from './c2pa-claims.ts';
import { type GeneratorMark, generatorMarks } from './generators.ts';
import { readStealth } from './stealth.ts';
import { officialAnchors } from './trust-list/trust-list.ts';

export type AiLabel = 'likely_human' | 'likely_ai' | 'unknown';

export interface AiEvidence {
  /** `c2pa`, `exif`, `xmp`, `iptc`, `png`, `pixels`, `attestation` or `model`. */
  source: string;
  field: string;
  value: string;
}

export interface AiResult {
  evaluated: boolean;
  label: AiLabel;
  /** Probability that the label is right, 0..1; 0 for `unknown`, which claims nothing. */
  confidence: number;
  band: Band;
  evidence: AiEvidence[];
  /** What a signer whom the service trusts says of the picture's origin. Absent where only others, or nobody, say something. */
  vouched?: 'captured' | 'generated';
  calibrated?: CalibratedScore;
  /** A model that looked at the pixels is why the label says `likely_ai`. Absent where a mark is. */
  found_by?: 'model';
}

export interface ProvenanceInput {
  bytes: Uint8Array;
  contentType: string;
  metadata: PictureMetadata;
  /** A verifier accepted an attestation that is bound to these bytes. */
  attested: boolean;
  /** Captured live through our page or SDK, not uploaded as a file. */
  live: boolean;
  /** PEM of the certificates whose C2PA signatures are trusted. */
  trustAnchors?: string;
  /** Trust the C2PA's own list too. */
  officialTrust?: boolean;
}

/**
 * Confidence by kind of evidence. The values are not fitted, because no public set has enough forged provenance. They rank the kinds by how
 * hard each is to forge; the card says so.
 */
const CONFIDENCE = {
  signedGenerated: 0.995,
  declaredGenerated: 0.99,
  brokenSignature: 0.97,
  namedGenerated: 0.95,
  composite: 0.9,
  trustedCapture: 0.99,
  attestedCapture: 0.95,
} as const;

/**
 * Judges a picture's origin only by its provenance. `likely_ai` requires a mark that a generator or an editor left.
 * `likely_human` requires a chain of trusted signers that starts at a camera, or a live capture whose attestation is bound to its bytes. A mark
 * outweighs both.
 */
export async function assessProvenance(input: ProvenanceInput): Promise<AiResult> {
  const c2pa = await readC2pa(input.bytes, () => anchorsOf(input));
  const stealth = await readStealth(input.bytes);
  const marks = generatorMarks(input.metadata.fields);
  if (stealth) marks.push(...generatorMarks([stealth]).map(mark => ({ ...mark, source: 'pixels' })));
  const evidence = [...c2paEvidence(c2pa), ...marks.map(({ source, field, value }) => ({ source, field, value }))];
  const vouched = vouchedOrigin(c2pa);
  return {
    evaluated: true,
    ...decide(input, c2pa, marks),
    evidence: [...evidence, ...attestationEvidence(input)],
    ...(vouched ? { vouched } : {}),
  };
}

const anchorsOf = ({ trustAnchors, officialTrust }: ProvenanceInput): string | undefined =>
  [...(officialTrust ? [officialAnchors()] : []), ...(trustAnchors ? [trustAnchors] : [])].join('\n') || undefined;

type Decision = Pick<AiResult, 'label' | 'confidence' | 'band'>;

function decide(input: ProvenanceInput, c2pa: C2paReport | undefined, marks: GeneratorMark[]): Decision {
  const scores: Decision[] = marks.map(markDecision);
  for (const claim of c2pa?.claims ?? []) {
    const whole = claim.kind === 'generated' && claim.of === 'picture';
    if (whole)
      scores.push(ai(c2pa!.state === 'invalid' ? CONFIDENCE.brokenSignature : CONFIDENCE.signedGenerated, 'confident'));
    else if (isArtificial(claim)) scores.push(ai(CONFIDENCE.composite, 'doubtful'));
  }
  const strongest = scores.toSorted((a, b) => b.confidence - a.confidence)[0];
  if (strongest) return strongest;
  if (c2pa && fromCamera(c2pa)) return human(CONFIDENCE.trustedCapture);
  if (input.live && input.attested) return human(CONFIDENCE.attestedCapture);
  return { label: 'unknown', confidence: 0, band: 'clear' };
}

const ai = (confidence: number, band: Band): Decision => ({ label: 'likely_ai', confidence, band });
const human = (confidence: number): Decision => ({ label: 'likely_human', confidence, band: 'clear' });

function markDecision(mark: GeneratorMark): Decision {
  if (mark.kind === 'composite') return ai(CONFIDENCE.composite, 'doubtful');
  return ai(mark.strength === 'declared' ? CONFIDENCE.declaredGenerated : CONFIDENCE.namedGenerated, 'confident');
}

/** True when a trusted signer says that the picture itself was captured, and nobody that it contains other material. */
function fromCamera(report: C2paReport): boolean {
  const own = report.claims.filter(claim => claim.of === 'picture');
  return (
    own.some(claim => claim.kind === 'captured' && claim.vouched) &&
    report.claims.every(claim => claim.of === 'picture')
  );
}

const isArtificial = ({ kind }: C2paClaim): boolean => kind === 'generated' || kind === 'composite';

function vouchedOrigin(report: C2paReport | undefined): AiResult['vouched'] {
  if (!report) return undefined;
  if (report.claims.some(claim => claim.vouched && isArtificial(claim))) return 'generated';
  return fromCamera(report) ? 'captured' : undefined;
}

/** Ends the name of a field whose value is only the word of whoever wrote the file, and counts for nothing. */
export const UNVERIFIED = ', unverified';

function c2paEvidence(report: C2paReport | undefined): AiEvidence[] {
  if (!report) return [];
  const named = report.signer ? 'signer' : 'generator';
  const name = report[named];
  const failures = report.failures.length > 0 ? ` (${report.failures.slice(0, 6).join(', ')})` : '';
  const told: [field: string, value: string][] = [
    ['validation', `${report.state}${failures}`],
    ...(report.state === 'invalid' ? report.failures.slice(0, 6) : []).map((code): [string, string] => [
      'failed check',
      failureWords(code),
    ]),
    ...(name ? [[report.state === 'trusted' ? named : named + UNVERIFIED, name] as [string, string]] : []),
    ...(report.device ? [['device', report.device] as [string, string]] : []),
    ...report.doubts
      .slice(0, 6)
      .map((codes): [string, string] => ['ingredient', `not trusted (${codes.slice(0, 6).join(', ')})`]),
    ...report.claims.slice(0, 20).map((claim): [string, string] => [fieldOf(claim), claim.value]),
  ];
  return told.map(([field, value]) => ({ source: 'c2pa', field, value }));
}

/** A claim of generated material counts whoever makes it. */
const fieldOf = (claim: C2paClaim): string =>
  claim.field +
  (claim.of === 'component' ? ' of an ingredient' : '') +
  (claim.vouched || isArtificial(claim) ? '' : UNVERIFIED);

function attestationEvidence({ live, attested }: ProvenanceInput): AiEvidence[] {
  return live && attested
    ? [{ source: 'attestation', field: 'verdict', value: 'live capture, attestation passed' }]
    : [];
}
