import {
  CAMERA_SIGNS,
  type CameraSign,
  MOTION_ABSENCES,
  MOVES,
  type MotionAbsence,
  type Move,
  TRACE,
  type TraceHeader,
} from '@firsthand/contract/verification/presence.ts';
import { decodePicture } from '../files/decode.ts';
import { ImageFault, type ImageInfo, inspect } from '../files/inspect.ts';
import type { Picture } from '../pixels/picture.ts';
import type { Trace } from './trace.ts';

/** Why a trace cannot be read. The message completes "The trace could not be read: ". It repeats nothing from the file. */
export class TraceFault extends Error {
  override name = 'TraceFault';
}

/** A trace file whose structure was checked. Its pictures are still JPEG. */
export interface TraceFile {
  header: TraceHeader;
  frames: Jpeg[];
  crops: Jpeg[];
}

interface Jpeg {
  bytes: Uint8Array;
  info: ImageInfo;
}

/** Pixels of a frame's shortest side at least. */
const LEAST_SIDE = 64;
const LARGEST_VIDEO = 16_384;
/** Moves in the page's own account. */
const MOST_MOVES = 8;
const MOST_SIGNS = 20;

/**
 * Reads the structure of a trace file: header, sizes, dimensions of each JPEG. Decodes no pixels.
 *
 * @throws TraceFault for anything that the format does not allow.
 */
export async function readTraceFile(bytes: Uint8Array): Promise<TraceFile> {
  if (bytes.length > TRACE.maxBytes) throw new TraceFault(`it has more than ${TRACE.maxBytes} bytes`);
  if (bytes.length < 4) throw new TraceFault('it has no header');
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  if (length > TRACE.maxHeaderBytes) throw new TraceFault(`its header has more than ${TRACE.maxHeaderBytes} bytes`);
  if (4 + length > bytes.length) throw new TraceFault('it ends within its header');
  const header = checkHeader(parse(bytes.subarray(4, 4 + length)));
  const parts = [...header.frames, ...header.crops];
  const end = parts.reduce((at, part) => at + part.bytes, 4 + length);
  if (end !== bytes.length) throw new TraceFault('its length is not that of its pictures');
  let at = 4 + length;
  const jpegs: Jpeg[] = [];
  for (const part of parts) {
    jpegs.push(await jpegOf(bytes.subarray(at, at + part.bytes)));
    at += part.bytes;
  }
  const frames = jpegs.slice(0, header.frames.length);
  const crops = jpegs.slice(header.frames.length);
  checkSizes(frames, crops);
  return { header, frames, crops };
}

/** @throws TraceFault when a picture cannot be decoded. */
export async function decodeTrace({ header, frames, crops }: TraceFile): Promise<Trace> {
  const decoded: Picture[] = [];
  // One after another: a thread decodes one picture at a time.
  for (const jpeg of [...frames, ...crops]) decoded.push(await decoding(jpeg));
  return {
    beganAt: header.began_at,
    frames: header.frames.map(({ at }, i) => ({ at, picture: decoded[i]! })),
    videoWidth: header.video.width,
    crops: header.crops.map(({ frame, x, y }, i) => ({ frame, x, y, picture: decoded[frames.length + i]! })),
    motion: header.motion.map(([at, x, y, z]) => ({ at, rate: [x, y, z] as const })),
    ...(header.track.motion ? { motionAbsence: header.track.motion } : {}),
  };
}

async function decoding({ bytes, info }: Jpeg): Promise<Picture> {
  try {
    return await decodePicture(bytes, info);
  } catch (cause) {
    if (cause instanceof ImageFault) throw new TraceFault('one of its pictures cannot be decoded', { cause });
    throw cause;
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new TraceFault('its header is not JSON');
  }
}

/** Scans of a progressive JPEG at most. Encoders write about ten; thousands only cost time. */
const MOST_SCANS = 64;
const START_OF_SCAN = Buffer.from([0xff, 0xda]);

function scansOf(bytes: Uint8Array): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let scans = 0;
  for (let at = buffer.indexOf(START_OF_SCAN); at >= 0; at = buffer.indexOf(START_OF_SCAN, at + 2)) scans++;
  return scans;
}

async function jpegOf(bytes: Uint8Array): Promise<Jpeg> {
  if (scansOf(bytes) > MOST_SCANS) throw new TraceFault('one of its pictures has too many scans');
  try {
    const info = await inspect(bytes);
    if (info.contentType === 'image/jpeg' && info.orientation === 1) return { bytes, info };
  } catch (cause) {
    if (!(cause instanceof ImageFault)) throw cause;
  }
  throw new TraceFault('one of its pictures is not an upright JPEG');
}

function checkSizes(frames: readonly Jpeg[], crops: readonly Jpeg[]): void {
  const { width, height } = frames[0]!.info;
  if (Math.max(width, height) > TRACE.maxSide)
    throw new TraceFault(`its frames have sides over ${TRACE.maxSide} pixels`);
  if (Math.min(width, height) < LEAST_SIDE) throw new TraceFault(`its frames have sides under ${LEAST_SIDE} pixels`);
  if (frames.some(({ info }) => info.width !== width || info.height !== height))
    throw new TraceFault('its frames differ in size');
  if (crops.some(({ info }) => info.width !== TRACE.cropSide || info.height !== TRACE.cropSide))
    throw new TraceFault(`a crop does not have ${TRACE.cropSide} by ${TRACE.cropSide} pixels`);
}

/** Characters of a camera's name at most. */
const LONGEST_NAME = 100;

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown, name: string): Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(name);
  return value as Fields;
};
const listOf = (value: unknown, name: string, most: number): unknown[] => {
  if (!Array.isArray(value)) throw wrong(name);
  if (value.length > most) throw new TraceFault(`"${name}" has more than ${most} entries`);
  return value;
};
const within = (value: unknown, name: string, least: number, most: number): number => {
  if (typeof value !== 'number' || !(value >= least && value <= most)) throw wrong(name);
  return value;
};
const integer = (value: unknown, name: string, least: number, most: number): number => {
  if (!Number.isInteger(value)) throw wrong(name);
  return within(value, name, least, most);
};
const textOf = (value: unknown, name: string): string => {
  if (typeof value !== 'string' || value.length > LONGEST_NAME) throw wrong(name);
  return value;
};
const wrong = (name: string): TraceFault => new TraceFault(`"${name}" in its header is missing or wrong`);

const BEGAN = { earliest: Date.UTC(2000), latest: Date.UTC(2100) };
/** A video's times may count from any moment, but not from further back than a phone runs. */
const TIME = 1e12;
/** No hand turns a phone by 100 rad/s. */
const RATE = 100;

const bytesOf = (part: Fields, name: string): number => integer(part.bytes, `${name}.bytes`, 1, TRACE.maxBytes);

function checkHeader(value: unknown): TraceHeader {
  const header = fieldsOf(value, 'header');
  if (header.version !== 1) throw new TraceFault('its version is not 1');
  if (typeof header.challenge_id !== 'string' || header.challenge_id.length > 64) throw wrong('challenge_id');
  const began_at = within(header.began_at, 'began_at', BEGAN.earliest, BEGAN.latest);
  const sides = fieldsOf(header.video, 'video');
  const video = {
    width: integer(sides.width, 'video.width', LEAST_SIDE, LARGEST_VIDEO),
    height: integer(sides.height, 'video.height', LEAST_SIDE, LARGEST_VIDEO),
  };
  const frames = listOf(header.frames, 'frames', TRACE.maxFrames).map(entry => {
    const frame = fieldsOf(entry, 'frames');
    return { at: within(frame.at, 'frames.at', -TIME, TIME), bytes: bytesOf(frame, 'frames') };
  });
  if (frames.length < TRACE.minFrames) throw new TraceFault(`it has fewer than ${TRACE.minFrames} frames`);
  return {
    version: 1,
    challenge_id: header.challenge_id,
    began_at,
    video,
    frames,
    crops: listOf(header.crops, 'crops', TRACE.maxCrops).map(entry => cropOf(entry, video, frames.length)),
    motion: listOf(header.motion, 'motion', TRACE.maxMotionSamples).map(sampleOf),
    track: trackOf(header.track),
    guidance: guidanceOf(header.guidance),
  };
}

function cropOf(entry: unknown, video: TraceHeader['video'], frames: number): TraceHeader['crops'][number] {
  const crop = fieldsOf(entry, 'crops');
  if (crop.size !== TRACE.cropSide) throw wrong('crops.size');
  return {
    frame: integer(crop.frame, 'crops.frame', 0, frames - 1),
    x: integer(crop.x, 'crops.x', 0, video.width - TRACE.cropSide),
    y: integer(crop.y, 'crops.y', 0, video.height - TRACE.cropSide),
    size: TRACE.cropSide,
    bytes: bytesOf(crop, 'crops'),
  };
}

function sampleOf(entry: unknown): TraceHeader['motion'][number] {
  const sample = listOf(entry, 'motion', 4);
  const rate = (axis: number): number => within(sample[axis], 'motion', -RATE, RATE);
  return [within(sample[0], 'motion', -TIME, TIME), rate(1), rate(2), rate(3)];
}

function trackOf(value: unknown): TraceHeader['track'] {
  const track = fieldsOf(value, 'track');
  return {
    settings: fieldsOf(track.settings, 'track.settings'),
    capabilities: fieldsOf(track.capabilities, 'track.capabilities'),
    ...(track.program === undefined ? {} : { program: textOf(track.program, 'track.program') }),
    ...(track.signs === undefined ? {} : { signs: signsOf(track.signs) }),
    ...(isAbsence(track.motion) ? { motion: track.motion } : {}),
  };
}

function guidanceOf(value: unknown): TraceHeader['guidance'] {
  const guidance = fieldsOf(value, 'guidance');
  if (typeof guidance.gave_up !== 'boolean') throw wrong('guidance.gave_up');
  return {
    gave_up: guidance.gave_up,
    seconds: within(guidance.seconds, 'guidance.seconds', 0, 86_400),
    moves: listOf(guidance.moves, 'guidance.moves', MOST_MOVES).map(entry => {
      const { move, done } = fieldsOf(entry, 'guidance.moves');
      if (!MOVES.includes(move as Move) || typeof done !== 'boolean') throw wrong('guidance.moves');
      return { move: move as Move, done };
    }),
  };
}

/** Signs of a page that is newer than this service are left out. */
const signsOf = (signs: unknown): CameraSign[] =>
  CAMERA_SIGNS.filter(sign => listOf(signs, 'track.signs', MOST_SIGNS).includes(sign));

/** Another word than these says nothing. */
const isAbsence = (motion: unknown): motion is MotionAbsence => MOTION_ABSENCES.includes(motion as MotionAbsence);
