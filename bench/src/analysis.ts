/**
 * What the analysis of one 12-megapixel JPEG costs beside one plain full decode of it by sharp, one thread each:
 *
 *   npm run bench:analysis -- [PICTURE]
 *
 * Without a picture a drawn scene is photographed at 4000 x 3000. The limit is 1.5 times the decode, 3 times at worst.
 */
import { readFileSync } from 'node:fs';
import { analyzePicture } from '@firsthand/forensics/analyze.ts';
import { decode, decodePicture } from '@firsthand/forensics/decode.ts';
import { inspect } from '@firsthand/forensics/inspect.ts';
import { fingerprint, prepare, probes } from '@firsthand/forensics/phash/fingerprint.ts';
import { detectScreen } from '@firsthand/forensics/screen/detect.ts';
import { measureScreen } from '@firsthand/forensics/screen/features.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import sharp from 'sharp';

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

const [path] = process.argv.slice(2);
const bytes = path ? readFileSync(path) : await photograph();
const info = await inspect(bytes);
const picture = await decodePicture(bytes, info);

/** Median of seven runs, after two to warm up, in milliseconds of processor time (so that a busy machine changes little). */
async function time(work: () => unknown): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < 9; run++) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    if (run > 1) runs.push((user + system) / 1000);
  }
  return runs.sort((a, b) => a - b)[3] ?? Number.NaN;
}

const plain = await time(() => sharp(bytes).raw().toBuffer());
const parts: [string, () => unknown][] = [
  ['inspect', () => inspect(bytes)],
  ['decode and preview', () => decode(bytes)],
  ['screen: features', () => measureScreen(picture)],
  ['screen: all, with the heat map', () => detectScreen(picture)],
  ['fingerprint', () => fingerprint(prepare({ ...picture, channels: 3 }))],
  ['look-ups of a reverse search', () => probes(prepare({ ...picture, channels: 3 }))],
  ['everything', () => analyzePicture({ bytes, signals: ['screen', 'ai', 'reverse', 'depth'] })],
];
console.log(`${info.width} x ${info.height}, ${bytes.length} bytes; processor time, median of seven`);
console.log(`plain full decode by sharp: ${plain.toFixed(1)} ms`);
for (const [name, work] of parts) {
  const taken = await time(work);
  console.log(`${name}: ${taken.toFixed(1)} ms, ${(taken / plain).toFixed(2)} times the decode`);
}
