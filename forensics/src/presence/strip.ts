import { jpegOf } from '../pixels/image.ts';
import { areaResize } from '../pixels/resize.ts';
import type { TraceFrame } from './trace.ts';

const FRAMES = 8;
/** Pixels of a frame's longest side, and of the gap between two. */
const SIDE = 200;
const GAP = 2;

/** Lays frames of a trace side by side, evenly chosen from the first to the last: a JPEG. */
export function stripOf(frames: readonly TraceFrame[]): Promise<Uint8Array> {
  const chosen = Array.from(
    { length: FRAMES },
    (_, i) => frames[Math.round((i * (frames.length - 1)) / (FRAMES - 1))]!,
  );
  const small = chosen.map(({ picture }) => areaResize(picture, SIDE));
  const [{ width: each, height } = { width: 1, height: 1 }] = small;
  const width = FRAMES * (each + GAP) - GAP;
  const data = Buffer.alloc(width * height * 3);
  for (const [i, picture] of small.entries()) {
    for (let y = 0; y < height; y++) {
      data.set(picture.data.subarray(y * each * 3, (y + 1) * each * 3), (y * width + i * (each + GAP)) * 3);
    }
  }
  return jpegOf({ width, height, data }, 80);
}
