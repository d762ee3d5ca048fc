/**
 * Measures the analysis of one 12-megapixel JPEG against one plain full decode of it by sharp, one thread each:
 *
 * npm run bench:analysis -- [PICTURE]
 *
 * Without a picture it photographs a drawn scene at 4000 x 3000. Each ratio is to the decode of the same round. Exits with 1 when the
 * signals cost more than 1.5 decodes or everything more than 3.
 */

import { readFileSync } from 'node:fs';
import { SHOWN_SIGNALS } from '@firsthand/contract/signals.ts';
import { analyzePicture } from '@firsthand/forensics/analyze.ts';
import { decode, decodePicture } from '@firsthand/forensics/decode.ts';
import { inspect } from '@firsthand/forensics/inspect.ts';
import { fingerprint, prepare, probes } from '@firsthand/forensics/phash/fingerprint.ts';
import { halved } from '@firsthand/forensics/picture.ts';
import { areaResize } from '@firsthand/forensics/pixels/resize.ts';
import { measureAppearance } from '@firsthand/forensics/screen/appearance.ts';
import { measureBands } from '@firsthand/forensics/screen/bands.ts';
import { measureContext } from '@firsthand/forensics/screen/context.ts';
import { detectScreen, screenModel } from '@firsthand/forensics/screen/detect.ts';
import { measureScreen } from '@firsthand/forensics/screen/features.ts';
import { predictCleared } from '@firsthand/forensics/screen/model.ts';
import { measureTexture } from '@firsthand/forensics/screen/texture.ts';
import { measureTiles } from '@firsthand/forensics/screen/tiles.ts';
import { measureWhole, SMALL_SIDE } from '@firsthand/forensics/screen/whole.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import sharp from 'sharp';
import { median } from './measure.ts';

sharp.concurrency(1);
sharp.cache(false);

async function photograph(): Promise<Buffer> {
  const { data, width, height } = drawScene(3);
  return sharp(data, { raw: { width, height, channels: 3 } })
    .resize(4000, 3000)
    .sharpen({ sigma: 2 })
    .jpeg({ quality: 92 })
    .toBuffer();
}

const ROUNDS = 9;
const WARM_UP = 2;

const [path] = process.argv.slice(2);
const bytes = path ? readFileSync(path) : await photograph();
const info = await inspect(bytes);
const picture = await decodePicture(bytes, info);

/** Returns processor time in milliseconds, which depends little on other load. */
async function time(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Wraps the same pixels in a new object, so that no value cached for the first object is reused. */
const fresh = () => ({ ...picture, data: picture.data.subarray() });

const half = halved(picture);
const quarter = halved(half);
const small = areaResize(picture, SMALL_SIDE);

const parts: [string, () => unknown][] = [
  ['plain full decode by sharp', () => sharp(bytes).raw().toBuffer()],
  ['inspect', () => inspect(bytes)],
  ['decode and preview', () => decode(bytes)],
  ['screen: tiles', () => [measureTiles(picture, 20), measureTiles(half, 12), measureTiles(quarter, 6)]],
  ['screen: tones, lines and edges at 320 pixels', () => measureWhole(small, {})],
  ['screen: things, by the trunk at 320 pixels', () => measureContext(small)],
  ['screen: texture, by the trunk over four crops', () => measureTexture(picture)],
  ['screen: appearance, by the trunk at 480 × 360 pixels', () => measureAppearance(quarter)],
  ['screen: bands', () => measureBands(small)],
  ['screen: features of the first stage', () => measureScreen(fresh(), () => true)],
  ['screen: all features', () => measureScreen(fresh())],
  ['screen: all, with the heat map', () => detectScreen(fresh())],
  ['fingerprint', () => fingerprint(prepare({ ...halved(fresh()), channels: 3 }))],
  ['look-ups of a reverse search', () => probes(prepare({ ...halved(fresh()), channels: 3 }))],
  ['everything', () => analyzePicture({ bytes, signals: SHOWN_SIGNALS.map(({ name }) => name) })],
];
// Alternates the parts, so that other load affects all equally.
const runs = parts.map((): number[] => []);
for (let round = 0; round < ROUNDS + WARM_UP; round++) {
  for (const [index, [, work]] of parts.entries()) {
    const taken = await time(work);
    if (round >= WARM_UP) runs[index]!.push(taken);
  }
}
const decodes = runs[0]!;
function report(name: string, taken: number[]): number {
  const ratio = median(taken.map((ms, round) => ms / decodes[round]!));
  console.log(`${name}: ${median(taken).toFixed(1)} ms, ${ratio.toFixed(2)} times the decode`);
  return ratio;
}
const features = (await measureScreen(fresh()))?.features;
const cleared = features && predictCleared(screenModel, features) !== undefined;
console.log(cleared ? 'The first stage clears this picture.' : 'This picture passes through both stages.');
console.log(`${info.width} x ${info.height}, ${bytes.length} bytes; processor time, median of ${ROUNDS} rounds`);
const ratios = parts.map(([name], index) => report(name, runs[index]!));
const previews = runs[parts.findIndex(([name]) => name === 'decode and preview')]!;
const signals = report(
  'the signals alone, decoded and previewed',
  runs.at(-1)!.map((ms, round) => ms - previews[round]!),
);
if (signals > 1.5 || ratios.at(-1)! > 3) process.exitCode = 1;
