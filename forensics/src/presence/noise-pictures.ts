import { imageOf } from '../pixels/image.ts';
import { rootMeanSquare } from '../pixels/statistics.ts';
import type { Path } from './path.ts';
import { type ComparedCrops, comparedCrops } from './sensor.ts';
import type { Trace } from './trace.ts';

/** Grey levels of noise at its root mean square: faint noise is made visible. */
const CONTRAST = 45;
const GREY = 128;

/** PNG pictures of the noise of two crops laid on each other, as they lie on the sensor, and after the scene of both was aligned. */
export interface NoisePictures {
  before: Uint8Array;
  after: Uint8Array;
}

/**
 * Draws the noise of two crops: one in red and blue, the other in green. What both have in common is grey, what they have not is coloured. Noise
 * of a sensor is coloured in both pictures; that of a photo which a program pans turns grey when it is aligned. Takes the pair whose correlation
 * is the median of all, which is the one that `checkSensor` judges by. Undefined where no two crops could be laid on each other.
 */
export async function noisePictures(trace: Trace, path: Path): Promise<NoisePictures | undefined> {
  const pairs = comparedCrops(trace, path).toSorted((a, b) => a.along - b.along);
  const pair = pairs[pairs.length >> 1];
  if (!pair) return undefined;
  const [before, after] = await Promise.all([drawn(pair, 0, 0), drawn(pair, pair.dx, pair.dy)]);
  return { before, after };
}

function drawn({ first, second }: ComparedCrops, dx: number, dy: number): Promise<Uint8Array> {
  const { width, height } = first;
  const [left, top] = [Math.floor(dx), Math.floor(dy)];
  const fx = dx - left;
  const fy = dy - top;
  const gain = CONTRAST / Math.max(0.5, rootMeanSquare(first.noise));
  const data = Buffer.alloc(width * height * 3, GREY);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const px = x + left;
      const py = y + top;
      // Only the part that both show.
      if (px < 0 || py < 0 || px >= second.width - 1 || py >= second.height - 1) continue;
      const to = py * second.width + px;
      const seen =
        (second.noise[to]! * (1 - fx) + second.noise[to + 1]! * fx) * (1 - fy) +
        (second.noise[to + second.width]! * (1 - fx) + second.noise[to + second.width + 1]! * fx) * fy;
      const at = (y * width + x) * 3;
      const own = shade(first.noise[y * width + x]! * gain);
      data[at] = own;
      data[at + 1] = shade(seen * gain);
      data[at + 2] = own;
    }
  return imageOf({ width, height, data }).png({ compressionLevel: 6 }).toBuffer();
}

const shade = (value: number): number => Math.max(0, Math.min(255, Math.round(GREY + value)));
