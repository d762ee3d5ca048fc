/**
 * Measures the analysis of one 12-megapixel JPEG against one plain full decode of it by sharp, one thread each:
 *
 * npm run bench:analysis -- [PICTURE]
 *
 * Without a picture it photographs a drawn scene at 4000 x 3000. Each ratio is to the decode of the same round. Exits with 1 when the
 * signals cost more than 1.5 decodes or everything more than 3.
 */

import { readFileSync } from 'node:fs';
import { SHOWN_SIGNALS } from '@firsthand/contract/verification/signals.ts';
import { logOddsOfGenerated } from '@firsthand/forensics/ai/patches.ts';
import { analyzePicture } from '@firsthand/forensics/analyze.ts';
import { decode, decodePicture, previewOf } from '@firsthand/forensics/files/decode.ts';
import { inspect } from '@firsthand/forensics/files/inspect.ts';
import { fingerprint, prepare, probes } from '@firsthand/forensics/phash/fingerprint.ts';
import { imageOf } from '@firsthand/forensics/pixels/image.ts';
import { halved, release } from '@firsthand/forensics/pixels/picture.ts';
import { areaResize } from '@firsthand/forensics/pixels/resize.ts';
import { growHeaps } from '@firsthand/forensics/running/heap.ts';
import { measureAppearance } from '@firsthand/forensics/screen/appearance.ts';
import { measureBands } from '@firsthand/forensics/screen/bands.ts';
import { measureContext } from '@firsthand/forensics/screen/context.ts';
import { detectScreen, screenModel } from '@firsthand/forensics/screen/detect.ts';
import { measureScreen } from '@firsthand/forensics/screen/features.ts';
import { measureGlobalFeatures, SMALL_SIDE } from '@firsthand/forensics/screen/global-features.ts';
import { clearedByFirst, clearedBySecond } from '@firsthand/forensics/screen/model.ts';
import { measureTexture } from '@firsthand/forensics/screen/texture.ts';
import { measureTiles } from '@firsthand/forensics/screen/tiles.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import sharp from 'sharp';
import { cpuMs } from './cpu.ts';
import { median } from './measure.ts';

sharp.concurrency(1);
sharp.cache(false);
// As the service does.
growHeaps();

async function photograph(): Promise<Buffer> {
  return imageOf(drawScene(3)).resize(4000, 3000).sharpen({ sigma: 2 }).jpeg({ quality: 92 }).toBuffer();
}

const ROUNDS = 15;
const WARM_UP = 5;

const [path] = process.argv.slice(2);
const bytes = path ? readFileSync(path) : await photograph();
const info = await inspect(bytes);
const picture = await decodePicture(bytes, info);

/** Frees decoded pixels at once, as the analysis does, so that no part pays for the garbage of another. */
const releaseBytes = ({ buffer }: Buffer) => (buffer as ArrayBuffer).transfer(0);

const half = halved(picture);
const quarter = halved(half);
const small = areaResize(picture, SMALL_SIDE);
const prepared = prepare({ ...half, channels: 3 });

type Part = [name: string, work: () => unknown];

/** The parts of the two limits, in rounds of their own: none of them pays for the garbage of the parts below. */
const whole: Part[] = [
  ['plain full decode by sharp', async () => releaseBytes(await sharp(bytes).raw().toBuffer())],
  [
    'decode and preview',
    async () => {
      const { picture } = await decode(bytes);
      await previewOf(picture);
      release(picture);
    },
  ],
  ['everything', () => analyzePicture({ bytes, signals: SHOWN_SIGNALS.map(({ name }) => name), aiBuiltIn: true })],
];
const parts: Part[] = [
  ['inspect', () => inspect(bytes)],
  ['screen: tiles', () => [measureTiles(picture, 20), measureTiles(half, 12), measureTiles(quarter, 6)]],
  ['screen: tones, lines and edges at 320 pixels', () => measureGlobalFeatures(small, {})],
  ['screen: things, by the trunk at 320 pixels', () => measureContext(small)],
  ['screen: texture, by the trunk over four crops', () => measureTexture(picture)],
  ['screen: appearance, by the trunk at 640 × 480 pixels', () => measureAppearance(quarter)],
  ['screen: bands', () => measureBands(small)],
  ['screen: features of the first stage', () => measureScreen(picture, { first: () => true, second: () => true })],
  [
    'screen: features of the first two stages',
    () => measureScreen(picture, { first: () => false, second: () => true }),
  ],
  ['screen: all features', () => measureScreen(picture)],
  ['screen: all, with the heat map', () => detectScreen(picture)],
  ['AI: the pixels', () => logOddsOfGenerated(picture)],
  ['fingerprint', () => fingerprint(prepare({ ...half, channels: 3 }))],
  ['look-ups of a reverse search', () => probes(prepared)],
];

/** Returns the processor time of each part in each round. Alternates the parts, so that other load affects all equally. */
async function measure(parts: Part[]): Promise<number[][]> {
  const runs = parts.map((): number[] => []);
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    for (const [index, [, work]] of parts.entries()) {
      const taken = await cpuMs(work);
      if (round >= WARM_UP) runs[index]!.push(taken);
    }
  }
  return runs;
}

const partRuns = await measure(parts);
const [decodes = [], previews = [], everything = []] = await measure(whole);
function report(name: string, taken: number[]): number {
  const ratio = median(taken.map((ms, round) => ms / decodes[round]!));
  console.log(`${name}: ${median(taken).toFixed(1)} ms, ${ratio.toFixed(2)} times the decode`);
  return ratio;
}
const features = (await measureScreen(picture))?.features ?? {};
const clearing = [clearedByFirst, clearedBySecond].findIndex(stage => stage(screenModel, features) !== undefined);
console.log(
  [
    'This picture passes through all stages.',
    'The first stage clears this picture.',
    'The second stage clears this picture.',
  ][clearing + 1],
);
console.log(`${info.width} x ${info.height}, ${bytes.length} bytes; processor time, median of ${ROUNDS} rounds`);
for (const [index, [name]] of parts.entries()) report(name, partRuns[index]!);
report('plain full decode by sharp', decodes);
report('decode and preview', previews);
const all = report('everything', everything);
const signals = report(
  'only the signals, decoded and previewed',
  everything.map((ms, round) => ms - previews[round]!),
);
if (signals > 1.5 || all > 3) process.exitCode = 1;
