import { type Move, TRACE, type TraceHeader } from '@firsthand/contract/verification/presence.ts';
import { jpegOf } from '../pixels/image.ts';
import type { Trace } from '../presence/trace.ts';

/** Encodes a trace as the capture page does. `header` replaces members of the header. */
export async function encodeTrace(
  trace: Trace,
  o: { challengeId: string; moves: readonly Move[]; header?: Partial<TraceHeader> },
): Promise<Buffer> {
  const frames = await Promise.all(trace.frames.map(({ picture }) => jpegOf(picture, 80)));
  const crops = await Promise.all(trace.crops.map(({ picture }) => jpegOf(picture, 95)));
  const [first] = trace.frames;
  const { width, height } = first!.picture;
  const last = trace.frames.at(-1)!;
  const header: TraceHeader = {
    version: 1,
    challenge_id: o.challengeId,
    began_at: trace.beganAt,
    video: { width: trace.videoWidth, height: Math.round((trace.videoWidth * height) / width) },
    frames: frames.map(({ length }, i) => ({ at: trace.frames[i]!.at, bytes: length })),
    crops: crops.map(({ length }, i) => {
      const { frame, x, y } = trace.crops[i]!;
      return { frame, x, y, size: TRACE.cropSide, bytes: length };
    }),
    motion: trace.motion.map(({ at, rate }) => [at, ...rate]),
    track: {
      settings: {},
      capabilities: {},
      ...(trace.motionAbsence ? { motion: trace.motionAbsence } : {}),
    },
    guidance: {
      gave_up: false,
      seconds: (last.at - first!.at) / 1000,
      moves: o.moves.map(move => ({ move, done: true })),
    },
    ...o.header,
  };
  return traceFile(header, [...frames, ...crops]);
}

/** Joins a header and pictures to a file. */
export function traceFile(header: unknown, parts: readonly Uint8Array[]): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, ...parts]);
}
