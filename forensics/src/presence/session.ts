import type { DepthPolicy, Move, PresenceEvidence } from '@firsthand/contract/verification/presence.ts';
import type { Band } from '@firsthand/contract/verification/signals.ts';
import { decodePicture, uprightOf } from '../files/decode.ts';
import { ImageFault, inspect } from '../files/inspect.ts';
import type { PictureMetadata } from '../files/metadata/picture-metadata.ts';
import type { Picture } from '../pixels/picture.ts';
import { round } from '../pixels/round.ts';
import type { DepthSignal } from '../signals.ts';
import { type FilmPrint, filmPrint } from './film-print.ts';
import { checkFile } from './fresh.ts';
import { type NoisePictures, noisePictures } from './noise-pictures.ts';
import { type Path, pathOf } from './path.ts';
import { concluded, examineAlong, lackingUnder, type Presence, presenceBand, underPolicy } from './presence.ts';
import { decodeTrace, readTraceFile, TraceFault, type TraceFile } from './read-trace.ts';
import { stripOf } from './strip.ts';
import { type CheckResult, contradicted, failed, noAnswer, type Trace } from './trace.ts';

/** The parts of a live capture. */
export interface SentSession {
  policy: DepthPolicy;
  /** When the photo arrived, ms since 1970. */
  arrivedAt: number;
  /** Absent: no trace was sent. */
  trace?: {
    /** The file, or why it cannot be read. */
    file: Uint8Array | { fault: string };
    challenge: {
      id: string;
      /** Known only if the challenge belongs to this verification and step. */
      issued?: { moves: Move[]; issuedAt: number; expiresAt: number };
      /** Why the challenge is not this capture's. */
      fault?: string;
      /** Challenges asked for in this step so far. */
      count: number;
    };
    /** Why the film cannot count, although it may be in order: it or its photo came before, or nothing shows when it was made. */
    uncounted?: string;
  };
}

/** The live photo beside its session. */
export interface LivePhoto {
  picture: Picture;
  second?: Picture;
  metadata: PictureMetadata;
}

export interface JudgedSession extends Presence {
  band: Band;
  words?: string;
  evidence?: PresenceEvidence;
  /** JPEG: frames of the trace side by side. */
  strip?: Uint8Array;
  /** PNG: the noise of two crops, before and after they were aligned. */
  noise?: NoisePictures;
  /** By which the film is known again, whoever sends it. Absent where the camera hardly moved. */
  print?: FilmPrint;
}

/** A trace cannot begin this much later than its photo arrived, ms. */
const CLOCK = 60_000;

/** Judges the camera session of a live photo. A trace that cannot be read counts as none. */
export async function judgeSession(sent: SentSession, photo: LivePhoto): Promise<JudgedSession> {
  const thumbnail = await thumbnailOf(photo.metadata);
  const seen = { still: photo.picture, second: photo.second, metadata: photo.metadata, thumbnail };
  const judged = (presence: Presence, more: Partial<JudgedSession> = {}): JudgedSession => {
    const lacking = lackingUnder(presence, sent.policy);
    return {
      ...underPolicy(presence, sent.policy),
      band: presenceBand(presence, sent.policy),
      ...(lacking.length > 0 && { words: lacking.join(' ') }),
      ...more,
    };
  };
  const without = (words: string): JudgedSession => {
    const fresh = checkFile(seen, sent.arrivedAt);
    return judged({ result: 'not_performed', checks: fresh.evaluated ? { fresh } : {} }, { words });
  };
  if (!sent.trace) return without('No film came with the photo.');
  const { file, challenge, uncounted } = sent.trace;
  const foreign = challenge.fault === undefined ? undefined : contradicted(challenge.fault, 0.99, {});
  const read = await readable(file);
  if ('fault' in read) {
    if (foreign) return judged(concluded({ fresh: foreign }), { words: read.fault });
    return without(read.fault);
  }
  const { header, trace } = read;
  const path = pathOf(trace.frames);
  const evidence = {
    ...evidenceOf(header, path, sent),
    challenges: Math.max(1, challenge.count),
  };
  const strip = await stripOf(trace.frames);
  const print = filmPrint(path);
  const kept = { strip, ...(print && { print }) };
  if (!challenge.issued) return judged(concluded({ fresh: foreign! }), { evidence, ...kept });
  const examined = examineAlong({ challenge: challenge.issued, trace, ...seen }, path);
  const fresh =
    foreign ?? timeFault(header, sent) ?? (uncounted ? withoutAnswer(examined.checks.fresh, uncounted) : undefined);
  const sensor = programCamera(header);
  const presence = concluded({ ...examined.checks, ...(fresh ? { fresh } : {}), ...(sensor ? { sensor } : {}) });
  const measured = noiseOf(examined.checks.sensor);
  const uncovered = examined.checks.continuous?.evidence.uncovered;
  const noise = measured && (await noisePictures(trace, path));
  return judged(presence, {
    evidence: {
      ...evidence,
      moves_asked: challenge.issued.moves,
      ...(typeof uncovered === 'number' ? { uncovered } : {}),
      ...(measured ? { noise: measured } : {}),
    },
    ...kept,
    ...(noise ? { noise } : {}),
  });
}

/** What remains of a session whose film came before, encoded or cut anew; undefined where that changes nothing. */
export function repeatedSession(judged: JudgedSession, policy: DepthPolicy): JudgedSession | undefined {
  if (!judged.checks.fresh?.passed) return undefined;
  const fresh = noAnswer('This film, or a part of it, came before in another encoding.', judged.checks.fresh.evidence);
  const presence = concluded({ ...judged.checks, fresh });
  return { ...judged, ...presence, band: presenceBand(presence, policy) };
}

/** The depth signal that a session decides; undefined when it leaves the decision to the photo. */
export function depthOf({ result, checks, band }: JudgedSession): DepthSignal | undefined {
  const evidence = { result };
  if (band !== 'clear') {
    const failed = Object.values(checks).flatMap(({ evaluated, passed, probability }) =>
      evaluated && passed === false && probability !== undefined ? [probability] : [],
    );
    // Without a session nothing says how likely an attack is.
    const confidence = round(Math.max(0.5, ...failed));
    return { source: 'camera_session', confidence, band, evaluated: true, evidence };
  }
  if (result !== 'passed') return undefined;
  const confidence = round(1 - (checks.depth?.probability ?? 0.5));
  return { source: 'camera_session', confidence, band, evaluated: true, evidence };
}

/** The doubt about a live photo that no app attested, under the policy that asks for it; undefined where nothing is to doubt. */
export const unattested = (sent: SentSession | undefined, attested: boolean): DepthSignal | undefined =>
  sent?.policy === 'attested' && !attested
    ? { source: 'attestation', confidence: 0.5, band: 'doubtful', evaluated: true, evidence: { attested } }
    : undefined;

/** Somebody may have sent a film twice by mistake, or without a network, so it accuses nobody. */
const withoutAnswer = (fresh: CheckResult | undefined, words: string): CheckResult | undefined =>
  fresh?.passed ? noAnswer(words, fresh.evidence) : fresh;

type Header = TraceFile['header'];

function timeFault(header: Header, { trace, arrivedAt }: SentSession): CheckResult | undefined {
  if (header.challenge_id !== trace!.challenge.id)
    return contradicted('The film was made for another request.', 0.99, {});
  if (header.began_at > arrivedAt + CLOCK) return contradicted('The film claims to be later than the photo.', 0.99, {});
  return undefined;
}

/** A program that pretends to be a camera has no sensor. Some people film through one for good reasons, so it contradicts nothing. */
function programCamera({ track: { program, signs } }: Header): CheckResult | undefined {
  const drawn = signs?.includes('drawn_track');
  if (program === undefined && !drawn) return undefined;
  return program === undefined
    ? failed('The film comes from a canvas or a program, not from a camera.', 0.9, { drawn: true })
    : failed(`The film comes from a program that pretends to be a camera: “${program}”.`, 0.9, { program });
}

async function readable(
  file: Uint8Array | { fault: string },
): Promise<{ header: Header; trace: Trace } | { fault: string }> {
  if ('fault' in file) return { fault: file.fault };
  try {
    const read = await readTraceFile(file);
    return { header: read.header, trace: await decodeTrace(read) };
  } catch (cause) {
    if (cause instanceof TraceFault) return { fault: `The trace could not be read: ${cause.message}.` };
    throw cause;
  }
}

function evidenceOf(
  { began_at, guidance, track }: Header,
  { points }: Path,
  { arrivedAt }: SentSession,
): PresenceEvidence {
  const start = points[0]!.at;
  return {
    moves_asked: [],
    moves_done: guidance.moves.flatMap(({ move, done }) => (done ? [move] : [])),
    path: points.map(({ at, x, y }) => ({ at: Math.round(at - start), x: round(x), y: round(y) })),
    began_at: new Date(began_at).toISOString(),
    delay_seconds: Math.round((arrivedAt - began_at) / 1000),
    gave_up: guidance.gave_up,
    ...(track.signs?.length ? { camera_signs: track.signs } : {}),
  };
}

function noiseOf(sensor: CheckResult | undefined): PresenceEvidence['noise'] {
  const { stayed, moved_along } = sensor?.evidence ?? {};
  return typeof stayed === 'number' && typeof moved_along === 'number'
    ? { before: stayed, after: moved_along }
    : undefined;
}

/** Pixels of a thumbnail at most. */
const THUMBNAIL = 1_000_000;

/** The thumbnail in the photo's own file; undefined without one that can be read. */
async function thumbnailOf({ thumbnail_bytes, orientation = 1 }: PictureMetadata): Promise<Picture | undefined> {
  if (!thumbnail_bytes) return undefined;
  try {
    const info = await inspect(thumbnail_bytes);
    if (info.width * info.height > THUMBNAIL) return undefined;
    return await uprightOf(await decodePicture(thumbnail_bytes, info), orientation);
  } catch (cause) {
    if (cause instanceof ImageFault) return undefined;
    throw cause;
  }
}
