import { hex } from '@firsthand/evidence/bytes.ts';
import { commitmentOf } from '@firsthand/evidence/statement.ts';
import { VERSION } from '../../platform/lib/version.ts';
import type { OpenedStatement } from '../../record/evidence/statements.ts';
import { attestsPicture } from '../../verification/captures/attestation/binding.ts';
import type { CaptureRow, VerificationRow } from '../../verification/verifications/row.ts';

/** Everything that a credential says. All of it was recorded before. */
export interface CredentialFacts {
  row: Pick<VerificationRow, 'id' | 'livemode' | 'status' | 'review_state' | 'review_decision'>;
  capture: CaptureRow;
  /** The statements that a bundle of this moment holds, with the index of each one's entry. */
  statements: readonly OpenedStatement[];
  leaves: readonly string[];
  log: { origin: string; size: bigint; root: Uint8Array };
  /** The published rate of false alarms of each detector. */
  rates: readonly { signal: string; flagged: string }[];
  /** The bundle that holds the rest; absent in a credential that lies in one. */
  bundle?: { sha256: string };
  /** The service's address, where a reader can go on. */
  publicUrl: string;
  of: 'original' | 'preview';
  /** The file as received carries a manifest. */
  carriesManifest: boolean;
}

const DIGITAL_CAPTURE = 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture';
/** How the actions name the parent ingredient. */
export const RECEIVED = 'received';

/**
 * True when the service may say that a camera took this photo: it came live, the hardware of a device attested its bytes, and nothing that was
 * measured speaks against it. A camera session is not enough: the sender makes the film, and a program can compute one.
 */
function isCameraCapture(
  capture: Pick<CaptureRow, 'source' | 'analysis_state' | 'attestation' | 'signals' | 'context'>,
  verdictLabel: unknown,
): boolean {
  if (capture.source !== 'live' || capture.analysis_state !== 'done') return false;
  if (verdictLabel !== 'verified' && verdictLabel !== 'suspicious') return false;
  if (!attestsPicture(capture.attestation)) return false;
  const bands = [...Object.values(capture.signals ?? {}), capture.context].map(
    signal => (signal as { band?: unknown } | null)?.band ?? 'clear',
  );
  return bands.every(band => band === 'clear');
}

/** The manifest definition of a photo, for c2pa-rs. docs/evidence.md lists what is claimed when. */
export function manifestOf(facts: CredentialFacts): { definition: object; parent: boolean } {
  const { row, capture, statements } = facts;
  const verdict = statements.findLast(({ statement }) => statement.type === 'verdict')?.statement;
  const created = isCameraCapture(capture, verdict?.label);
  // A manifest that the photo brought says itself how it came to be.
  const parent = !created || facts.carriesManifest;
  const mediaType = facts.of === 'preview' ? 'image/jpeg' : capture.content_type;
  const test = row.livemode ? {} : { livemode: false, notice: 'TEST: made in test mode or as a trial. Not evidence.' };
  const metadata = metadataOf(capture);
  const session = sessionOf(capture);
  const definition = {
    claim_version: 2,
    claim_generator_info: [{ name: 'Firsthand', version: VERSION }],
    title: `${row.livemode ? '' : 'TEST '}${capture.id}${facts.of === 'preview' ? ' (preview)' : ''}`,
    format: mediaType,
    assertions: [
      { label: 'c2pa.actions.v2', created: true, data: actionsOf(facts, parent) },
      ...(metadata ? [{ label: 'c2pa.metadata', data: metadata }] : []),
      ...(session ? [gathered('org.firsthand.session', { ...test, ...session })] : []),
      ours('org.firsthand.capture', { ...test, ...captureOf(facts, created) }),
      ours('org.firsthand.verdict', { ...test, ...verdictOf(facts, verdict) }),
      ours('org.firsthand.log', { ...test, ...logOf(facts) }),
    ],
  };
  return { definition, parent };
}

/** An assertion that the signer only passes on. */
const gathered = (label: string, data: object) => ({ label, kind: 'Json', data });
/** An assertion that the signer answers for. */
const ours = (label: string, data: object) => ({ ...gathered(label, data), created: true });

function actionsOf({ of, capture }: CredentialFacts, parent: boolean): object {
  const first = parent
    ? { action: 'c2pa.opened', parameters: { ingredientIds: [RECEIVED] } }
    : { action: 'c2pa.created', digitalSourceType: DIGITAL_CAPTURE, when: capture.created_at.toISOString() };
  // A preview is also encoded anew and has no metadata. `c2pa.transcoded` would need an ingredient, which a created photo has not.
  return of === 'preview'
    ? { actions: [first, { action: 'c2pa.resized' }], allActionsIncluded: false }
    : { actions: [first], allActionsIncluded: true };
}

/** Place and time as they were received, in the terms of Exif. The signer does not say that they are true. */
function metadataOf({ location, metadata, client_captured_at }: CaptureRow): object | null {
  const file = metadata as {
    gps?: { latitude: number; longitude: number };
    taken_at?: string;
    make?: string;
    model?: string;
  } | null;
  const place = location ?? file?.gps;
  const taken = file?.taken_at ?? client_captured_at?.toISOString();
  const fields = {
    ...(place
      ? {
          'exif:GPSLatitude': degrees(place.latitude, 'N', 'S'),
          'exif:GPSLongitude': degrees(place.longitude, 'E', 'W'),
        }
      : {}),
    ...(taken ? { 'exif:DateTimeOriginal': taken } : {}),
  };
  if (Object.keys(fields).length === 0) return null;
  return { '@context': { exif: 'http://ns.adobe.com/exif/1.0/' }, ...fields };
}

/** XMP's form of a coordinate: degrees, minutes with six decimals (2 mm), direction. */
function degrees(value: number, positive: string, negative: string): string {
  const millionths = Math.round(Math.abs(value) * 60e6);
  const whole = Math.floor(millionths / 60e6);
  return `${whole},${((millionths - whole * 60e6) / 1e6).toFixed(6)}${value < 0 ? negative : positive}`;
}

function captureOf({ row, capture, of }: CredentialFacts, created: boolean): object {
  return {
    verification_id: row.id,
    capture_id: capture.id,
    step_key: capture.step_key,
    file: of === 'original' ? 'as received' : 'preview made by the service from the photo as received',
    image: { sha256: capture.sha256, bytes: capture.size_bytes, media_type: capture.content_type },
    received_at: capture.created_at.toISOString(),
    how: capture.source === 'live' ? 'through the camera page or an app' : 'uploaded as a file',
    camera_capture: created
      ? 'claimed: see `because`'
      : 'not claimed: no hardware attestation of these bytes, or something speaks against it',
    ...(created ? { because: [`device attestation (${capture.attestation!.provider})`] } : {}),
    reported_by_device: {
      ...(capture.client_captured_at ? { captured_at: capture.client_captured_at.toISOString() } : {}),
      ...(capture.location ? { location: capture.location } : {}),
      ...(capture.location_source ? { location_source: capture.location_source } : {}),
    },
  };
}

/** A camera session that passed, for readers who weigh it themselves. Null for other photos. */
function sessionOf({ source, presence }: CaptureRow): object | null {
  if (source !== 'live' || presence?.result !== 'passed') return null;
  const checks = Object.entries(presence.checks).map(([name, { evaluated, passed }]) => [
    name,
    evaluated ? (passed ? 'passed' : 'failed') : 'no answer',
  ]);
  return {
    result: 'passed',
    checks: Object.fromEntries(checks),
    means:
      'The sender filmed asked-for moves after the photo. A program can compute such a film, so this proves no camera.',
  };
}

function verdictOf({ row, rates }: CredentialFacts, verdict: Record<string, unknown> | undefined): object {
  if (!verdict) return { verification_status: row.status, verdict: null };
  const { label, score, reason_code, signals, detectors, at } = verdict;
  return {
    verification_status: row.status,
    verdict: { label, score, ...(reason_code === undefined ? {} : { reason_code }), signals, detectors, at },
    false_alarms_published: Object.fromEntries(rates.map(({ signal, flagged }) => [signal, flagged])),
    ...(row.review_state === 'decided' ? { review: row.review_decision } : {}),
    means:
      'An assessment by software, with the published rates of false alarms. It does not prove what the photo shows.',
  };
}

/** The entries of the log that speak of this photo and of the verdict. Those of other photos are not named. */
function logOf({ capture, statements, leaves, log, bundle, row, publicUrl }: CredentialFacts): object {
  const entries = statements.flatMap(({ seq, statement, salt }, at) =>
    statement.type === 'capture' && statement.capture_id !== capture.id
      ? []
      : [
          {
            seq,
            type: statement.type,
            index: Number(leaves[at]),
            commitment: hex(commitmentOf(Buffer.from(salt, 'base64'), statement)),
          },
        ],
  );
  return {
    origin: log.origin,
    tree_size: Number(log.size),
    root: hex(log.root),
    entries,
    ...(bundle ? { bundle: { manifest_sha256: bundle.sha256 } } : {}),
    certificate: `${publicUrl}/c/${row.id}`,
    check: `${publicUrl}/verify`,
  };
}
