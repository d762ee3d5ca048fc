import type { CaptureClient } from './client.ts';
import { type Put, putWithProgress, uploadBytes } from './put.ts';
import type { TraceHeader } from './wire.ts';

/** The content type under which a trace is uploaded. */
export const TRACE_CONTENT_TYPE = 'application/vnd.firsthand.trace';

/** Limits of a trace: pictures, bytes of the header, bytes of the whole. */
export const TRACE_LIMITS = {
  maxBytes: 1_500_000,
  maxHeaderBytes: 65_536,
  minFrames: 16,
  maxFrames: 32,
  maxCrops: 12,
  cropSide: 256,
  maxMotionSamples: 600,
} as const;

/** A trace before it becomes a file: the header's fields, with the JPEGs in place of their lengths. */
export type TraceParts = Omit<TraceHeader, 'version' | 'frames' | 'crops'> & {
  frames: { at: number; jpeg: ArrayBuffer }[];
  crops: { frame: number; x: number; y: number; jpeg: ArrayBuffer }[];
};

/**
 * Returns the trace file: four bytes with the header's length, the header as JSON, the JPEGs of the frames, those of the crops.
 *
 * @throws RangeError when the service would not take it.
 */
export function traceBlob({ frames, crops, ...rest }: TraceParts): ArrayBuffer {
  const limits = TRACE_LIMITS;
  const header: TraceHeader = {
    version: 1,
    ...rest,
    frames: frames.map(({ at, jpeg }) => ({ at, bytes: jpeg.byteLength })),
    crops: crops.map(({ jpeg, ...place }) => ({ ...place, size: limits.cropSide, bytes: jpeg.byteLength })),
  };
  const text = new TextEncoder().encode(JSON.stringify(header));
  const pictures = [...frames, ...crops].map(({ jpeg }) => new Uint8Array(jpeg));
  const bytes = pictures.reduce((sum, picture) => sum + picture.byteLength, 4 + text.byteLength);
  const within = (name: string, value: number, least: number, most: number) => {
    if (value < least || value > most) throw new RangeError(`A trace has ${least} to ${most} ${name}, not ${value}.`);
  };
  within('frames', frames.length, limits.minFrames, limits.maxFrames);
  within('crops', crops.length, 0, limits.maxCrops);
  within('motion samples', rest.motion.length, 0, limits.maxMotionSamples);
  within('bytes of header', text.byteLength, 2, limits.maxHeaderBytes);
  within('bytes', bytes, 4, limits.maxBytes);
  const file = new Uint8Array(bytes);
  new DataView(file.buffer).setUint32(0, text.byteLength);
  let at = 4;
  for (const part of [text, ...pictures]) {
    file.set(part, at);
    at += part.byteLength;
  }
  return file.buffer;
}

/**
 * Uploads a trace file. Returns the `trace_key` to submit with the photo, beside `challenge_id` and `trace_sha256`.
 *
 * @throws ApiError `invalid_request` when the service knows no traces.
 */
export function uploadTrace(
  client: CaptureClient,
  { step_key, trace }: { step_key: string; trace: ArrayBuffer },
  put: Put = putWithProgress,
): Promise<string> {
  return uploadBytes(client, put, { contentType: TRACE_CONTENT_TYPE, step_key, bytes: trace });
}
