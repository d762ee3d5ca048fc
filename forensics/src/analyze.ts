import type { ShownSignalName } from '@firsthand/contract/verification/signals.ts';
import { assessProvenance } from './ai/assess.ts';
import { withBuiltInModel } from './ai/built-in.ts';
import { withOperatorModel } from './ai/operator-model.ts';
import { depthSignal } from './depth-maps/signal.ts';
import { decode, decodePicture, encodeDisplay, NOT_IN_BROWSERS, previewOf } from './files/decode.ts';
import { ImageFault, type ImageInfo, inspect } from './files/inspect.ts';
import type { PictureMetadata } from './files/metadata/picture-metadata.ts';
import { readMetadata } from './files/metadata/read.ts';
import { parallaxSignal } from './motion/signal.ts';
import { type TwoFrameTest, testTwoFrames } from './motion/two-frames.ts';
import { type Fingerprint, fingerprint, type Probe, prepare, probes, searchedCorners } from './phash/fingerprint.ts';
import type { Keypoint } from './phash/keypoints.ts';
import type { Plane } from './phash/plane.ts';
import { halved, type Picture, release } from './pixels/picture.ts';
import {
  depthOf,
  type JudgedSession,
  judgeSession,
  repeatedSession,
  type SentSession,
  unattested,
} from './presence/session.ts';
import { detectScreen } from './screen/detect.ts';
import type { AiSignal, DepthSignal, ScreenSignal, Thresholds } from './signals.ts';

/**
 * Pictures with a longer side from this size on are fingerprinted at half size, which other detectors compute anyway. The hash needs 512
 * pixels.
 */
const LARGE = 2048;

export interface AnalysisRequest {
  bytes: Uint8Array;
  signals: readonly ShownSignalName[];
  /** A second photograph of the same subject after a small sideways move. */
  motionFrame?: Uint8Array;
  /** The camera session of a live photo whose depth is asked for. Absent for others. */
  session?: SentSession;
  /** Captured live, with a passed attestation that is bound to these bytes. */
  attested?: boolean;
  /** The request declares the subject three-dimensional, so a flat result counts against it. */
  threeDimensional?: boolean;
  thresholds?: Partial<Thresholds>;
  /** PEM of the certificates whose C2PA signatures are trusted. */
  trustAnchors?: string;
  /** Trust the signers on the C2PA's own list, which comes along, too. */
  officialTrust?: boolean;
  /** Path of the manifest of the operator's model; see `ai/model.ts`. */
  aiModel?: string;
  /** Look at the pixels of a picture without a mark with the built-in model, in place of the operator's. */
  aiBuiltIn?: boolean;
  /** Return when each part began and ended. */
  timed?: boolean;
}

/** When a part of an analysis ran: milliseconds since 1970, with fractions. */
export interface Timing {
  part: string;
  startedAt: number;
  endedAt: number;
}

export interface PictureAnalysis {
  info: ImageInfo;
  /** JPEG, at most 1600 pixels a side, without metadata. */
  preview: Uint8Array;
  /** JPEG of all decoded pixels, for a format that most browsers cannot show. */
  display?: Uint8Array;
  screen?: ScreenSignal;
  ai?: AiSignal;
  depth?: DepthSignal;
  /** The result of the camera session; present if the request has one. */
  presence?: JudgedSession;
  /** What counts instead if the film turns out to have come before. Present if that makes a difference. */
  repeated?: { presence: JudgedSession; depth: DepthSignal | undefined };
  /** Stored so that later pictures of the same content can be found; see `phash/`. */
  fingerprint: Fingerprint;
  /** Of a `timed` request. */
  timings?: Timing[];
  /** The lookups of a reverse search, and the plane that confirms their matches. */
  reverse?: { probes: Probe[]; plane: Plane; corners: Keypoint[] };
  metadata: Partial<Pick<PictureMetadata, (typeof STORED)[number]>>;
}

/** The part of the metadata that is stored with the capture. */
const STORED = [
  'make',
  'model',
  'software',
  'lens',
  'taken_at',
  'gps_at',
  'gps',
  'exif_size',
  'thumbnail',
  'quantization_hash',
] as const;

/**
 * Runs all detectors on one picture with one decode. A signal that cannot be evaluated says so and trips nothing. A detector's failure does
 * not affect the others' results.
 *
 * @throws ImageFault when the picture cannot be read.
 */
export async function analyzePicture(request: AnalysisRequest): Promise<PictureAnalysis> {
  const held: Held = { pictures: [], encoding: [] };
  try {
    return await analyze(request, held);
  } finally {
    await Promise.all(held.encoding);
    for (const picture of held.pictures) release(picture);
  }
}

interface Held {
  /** Released when the analysis ends. */
  pictures: Picture[];
  /** What reads their pixels on other threads. Never rejects. */
  encoding: Promise<unknown>[];
}

async function analyze(request: AnalysisRequest, held: Held): Promise<PictureAnalysis> {
  const { bytes, signals, motionFrame } = request;
  const timings: Timing[] = [];
  const timed = async <T>(part: string, work: () => T | Promise<T>): Promise<T> => {
    const startedAt = performance.timeOrigin + performance.now();
    const result = await work();
    timings.push({ part, startedAt, endedAt: performance.timeOrigin + performance.now() });
    return result;
  };
  const { info, picture } = await timed('decode', () => decode(bytes));
  held.pictures.push(picture);
  const besideDetectors = <T>(work: Promise<T>): Promise<T> => {
    held.encoding.push(work.catch(() => {}));
    return work;
  };
  const preview = besideDetectors(previewOf(picture));
  const display = NOT_IN_BROWSERS.has(info.contentType) && besideDetectors(encodeDisplay(picture));
  const metadata = await readMetadata(bytes, info.contentType);
  const [prepared, found] = await timed('fingerprint', () => {
    const read = Math.max(picture.width, picture.height) >= LARGE ? halved(picture) : picture;
    const prepared = prepare({ ...read, channels: 3 });
    return [prepared, fingerprint(prepared)] as const;
  });
  const analysis: Omit<PictureAnalysis, 'preview'> = { info, fingerprint: found, metadata: shown(metadata) };
  const seen: Seen = { picture, metadata };
  if (motionFrame && (signals.includes('screen') || signals.includes('depth')))
    await timed('second frame', async () => {
      seen.second = await decodeSecond(motionFrame);
      if (seen.second) held.pictures.push(seen.second);
      seen.frames = seen.second && testTwoFrames(picture, seen.second);
    });
  if (signals.includes('screen'))
    analysis.screen = await timed('screen', () => detectScreen(picture, request.thresholds?.screen, seen.frames));
  if (signals.includes('ai')) analysis.ai = await timed('ai', () => provenanceOf(request, info, seen));
  if (signals.includes('reverse'))
    analysis.reverse = await timed('reverse', () => ({
      probes: probes(prepared),
      plane: prepared.plane,
      corners: searchedCorners(prepared),
    }));
  if (signals.includes('depth'))
    Object.assign(analysis, await timed('depth', () => judgeDepth(request, seen, analysis.screen)));
  if (request.timed) analysis.timings = timings;
  return { ...analysis, preview: await preview, ...(display && { display: await display }) };
}

/** What several detectors look at. */
interface Seen {
  picture: Picture;
  metadata: PictureMetadata;
  second?: Picture;
  frames?: TwoFrameTest;
}

async function provenanceOf(
  { bytes, attested = false, trustAnchors, officialTrust, aiModel, aiBuiltIn }: AnalysisRequest,
  { contentType }: ImageInfo,
  { picture, metadata }: Seen,
): Promise<AiSignal> {
  const provenance = { bytes, contentType, metadata, attested, live: attested, trustAnchors, officialTrust };
  const ai = await assessProvenance(provenance);
  if (aiModel) return withOperatorModel(ai, aiModel, picture);
  return aiBuiltIn ? withBuiltInModel(ai, picture) : ai;
}

async function judgeDepth(
  { bytes, session, attested = false, threeDimensional = false }: AnalysisRequest,
  { picture, metadata, second, frames }: Seen,
  screen: ScreenSignal | undefined,
): Promise<Pick<PictureAnalysis, 'depth' | 'presence' | 'repeated'>> {
  const reason = { screen: screen?.band ?? 'clear', threeDimensional };
  const fromMap = await depthSignal(bytes, reason);
  const fromMove = frames && parallaxSignal(frames, reason);
  const depthWith = (presence: JudgedSession | undefined): DepthSignal | undefined => {
    const worst = worstDepth([presence && depthOf(presence), unattested(session, attested), fromMove, fromMap]);
    return worst && withReason(worst, presence);
  };
  if (!session) return { depth: depthWith(undefined) };
  const presence = await judgeSession(session, { picture, second, metadata });
  const again = presence.print && repeatedSession(presence, session.policy);
  return {
    presence,
    depth: depthWith(presence),
    ...(again && { repeated: { presence: again, depth: depthWith(again) } }),
  };
}

const SEVERITY = { clear: 0, doubtful: 1, confident: 2 } as const;

/**
 * The sender makes session, second frame and depth map, so each may raise a suspicion and none takes back another's: the worst band counts.
 * Between equals the earlier, which measures more, counts if it was evaluated.
 */
export function worstDepth(found: readonly (DepthSignal | undefined)[]): DepthSignal | undefined {
  const rank = ({ band, evaluated }: DepthSignal) => 2 * SEVERITY[band] + (evaluated ? 1 : 0);
  return found.filter(signal => signal !== undefined).toSorted((a, b) => rank(b) - rank(a))[0];
}

/** Says why neither session nor photo answered. */
function withReason(depth: DepthSignal, presence: JudgedSession | undefined): DepthSignal {
  if (depth.evaluated) return depth;
  const filmed = presence !== undefined && presence.result !== 'not_performed';
  return { ...depth, reason: filmed ? 'session_inconclusive' : 'no_session' };
}

/** An unreadable second frame counts as absent. */
async function decodeSecond(bytes: Uint8Array): Promise<Picture | undefined> {
  try {
    return await decodePicture(bytes, await inspect(bytes));
  } catch (cause) {
    if (cause instanceof ImageFault) return undefined;
    throw cause;
  }
}

function shown(metadata: PictureMetadata): PictureAnalysis['metadata'] {
  return Object.fromEntries(STORED.flatMap(name => (metadata[name] === undefined ? [] : [[name, metadata[name]]])));
}
