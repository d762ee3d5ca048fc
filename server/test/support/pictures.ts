import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { plainCapture, plainDisplay } from '@firsthand/forensics/simulate/params.ts';
import { simulateDirect, simulateRecapture } from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import sharp from 'sharp';

const SIZE = { width: 1280, height: 960 };
const ROOT = join(import.meta.dirname, '..', '..', '..');
const kept = new Map<string, Promise<Buffer>>();
let drawers: Promise<string> | undefined;

/** A picture takes two seconds to draw: this process, the others and the next run share it. */
const once = (name: string, make: () => Promise<Buffer>): Promise<Buffer> => {
  const known = kept.get(name) ?? fromDisk(name, make);
  kept.set(name, known);
  return known;
};

async function fromDisk(name: string, make: () => Promise<Buffer>): Promise<Buffer> {
  drawers ??= hashOfDrawers();
  const folder = join(ROOT, 'node_modules', '.cache', 'drawn-pictures', await drawers);
  const file = join(folder, `${name}.jpg`);
  const drawn = await readFile(file).catch(() => null);
  if (drawn) return drawn;
  const made = await make();
  // Another process may be drawing the same picture. In a read-only checkout, nothing is kept.
  const unfinished = `${file}.${randomUUID()}`;
  await mkdir(folder, { recursive: true })
    .then(() => writeFile(unfinished, made))
    .then(() => rename(unfinished, file))
    .catch(() => {});
  return made;
}

/** Changes with the code that draws and with the library that encodes. */
async function hashOfDrawers(): Promise<string> {
  const hash = createHash('sha256')
    .update(JSON.stringify(sharp.versions))
    .update(await readFile(import.meta.filename));
  for (const folder of ['simulate', 'pixels']) {
    const path = join(ROOT, 'forensics', 'src', folder);
    for (const file of (await readdir(path)).sort()) hash.update(file).update(await readFile(join(path, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** A simulated direct photograph of a drawn scene. */
export const firstHand = (seed = 1) =>
  once(`direct-${seed}`, async () => (await simulateDirect(drawScene(seed, SIZE), plainCapture(seed, SIZE))).jpeg);

/** A simulated photograph of a display that shows a drawn scene. */
export const photoOfScreen = (seed = 1) =>
  once(`recapture-${seed}`, async () => {
    const capture = plainCapture(seed, SIZE);
    return (await simulateRecapture(drawScene(seed, SIZE), plainDisplay(capture))).jpeg;
  });

/** A picture of one colour, just large enough for a verdict of `verified`. */
export const plain = (o: { width?: number; height?: number; colour?: string } = {}) =>
  sharp({ create: { width: o.width ?? 640, height: o.height ?? 480, channels: 3, background: o.colour ?? '#7a8' } })
    .jpeg()
    .toBuffer();

/** Draws blobs at positions derived from the seed. Two seeds give two unrelated scenes. */
export function scene(seed: number, width = 1280, height = 960): Promise<Buffer> {
  let state = Math.imul(seed + 1, 2_654_435_761);
  const random = () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return state / 2 ** 32;
  };
  const shapes = Array.from({ length: 70 }, () => {
    const size = 30 + random() * 180;
    const grey = Math.floor(random() * 256);
    return `<ellipse cx="${random() * width}" cy="${random() * height}" rx="${size}" ry="${size * (0.4 + random())}" fill="rgb(${grey},${255 - grey},${Math.floor(random() * 256)})"/>`;
  });
  const svg = `<svg width="${width}" height="${height}"><rect width="100%" height="100%" fill="#777"/>${shapes.join('')}</svg>`;
  return sharp(Buffer.from(svg)).jpeg({ quality: 90 }).toBuffer();
}
