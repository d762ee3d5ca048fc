import { plainCapture, plainDisplay } from '@firsthand/forensics/simulate/params.ts';
import { simulateDirect, simulateRecapture } from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import sharp from 'sharp';

const SIZE = { width: 1280, height: 960 };
const kept = new Map<string, Promise<Buffer>>();
const once = (name: string, make: () => Promise<Buffer>): Promise<Buffer> => {
  const known = kept.get(name) ?? make();
  kept.set(name, known);
  return known;
};

/** A simulated direct photograph of a drawn scene. */
export const firstHand = (seed = 1) =>
  once(`direct ${seed}`, async () => (await simulateDirect(drawScene(seed, SIZE), plainCapture(seed, SIZE))).jpeg);

/** A simulated photograph of a display that shows a drawn scene. */
export const photoOfScreen = (seed = 1) =>
  once(`recapture ${seed}`, async () => {
    const capture = plainCapture(seed, SIZE);
    return (await simulateRecapture(drawScene(seed, SIZE), plainDisplay(capture))).jpeg;
  });

/** A picture of one colour, just large enough for a verdict of `verified`. */
export const plain = (o: { width?: number; height?: number; colour?: string } = {}) =>
  sharp({ create: { width: o.width ?? 640, height: o.height ?? 480, channels: 3, background: o.colour ?? '#7a8' } })
    .jpeg()
    .toBuffer();
