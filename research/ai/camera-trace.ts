/**
 * Attempts to distinguish generated pictures from camera pictures by sensor traces alone: Bayer pattern, correlation of colour noise,
 * flatness of quiet areas. Logistic regression on 20 features of native crops; both classes are re-encoded in the same way, and camera and
 * generator sources are held out together. It fails on unseen sources, so no such model is shipped.
 *
 * node research/ai/camera-trace.ts --data FOLDER
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';

interface Sample {
  ai: boolean;
  source: string;
  features: number[];
}
type Scored = [score: number, ai: boolean];

const SIDE = 256;
const CROPS = [
  [0.5, 0.5],
  [0.25, 0.3],
  [0.7, 0.65],
] as const;
const BOUND = 20;

const bounded = (value: number): number => Math.max(-BOUND, Math.min(BOUND, value));

/** Returns each sample's difference from the mean of its four neighbours. */
function residual(data: Uint8Array, channel: number): Float32Array {
  const out = new Float32Array(SIDE * SIDE);
  const at = (i: number) => data[i * 3 + channel];
  for (let y = 1; y < SIDE - 1; y++)
    for (let x = 1; x < SIDE - 1; x++) {
      const i = y * SIDE + x;
      out[i] = bounded(at(i) - (at(i - 1) + at(i + 1) + at(i - SIDE) + at(i + SIDE)) / 4);
    }
  return out;
}

function correlation(a: Float32Array, b: Float32Array, shift = 0): number {
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 2 * SIDE; i < SIDE * SIDE - 2 * SIDE; i++) {
    ab += a[i] * b[i + shift];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return ab / Math.sqrt(aa * bb + 1e-6);
}

function featuresOf(data: Uint8Array): number[] {
  const residuals = [0, 1, 2].map(channel => residual(data, channel));
  const [red, green, blue] = residuals;
  const features: number[] = [];
  for (const plane of residuals) {
    // A Bayer mosaic interpolates the two diagonals of each 2×2 cell differently.
    const energy = [0, 0, 0, 0];
    for (let i = 0; i < plane.length; i++) energy[((i >> 8) & 1) * 2 + (i & 1)] += plane[i] ** 2;
    features.push(Math.abs(Math.log((energy[0] + energy[3] + 1) / (energy[1] + energy[2] + 1))));
    features.push(Math.log(energy.reduce((sum, value) => sum + value, 1) / plane.length));
  }
  features.push(correlation(red, green), correlation(green, blue), correlation(red, blue));
  const difference = red.map((value, i) => value - green[i]);
  for (const plane of [green, difference])
    for (const shift of [1, SIDE, 2, SIDE + 1]) features.push(correlation(plane, plane, shift));
  const blocks: number[] = [];
  for (let by = 0; by < SIDE; by += 16)
    for (let bx = 0; bx < SIDE; bx += 16) {
      let sum = 0;
      for (let y = by; y < by + 16; y++) for (let x = bx; x < bx + 16; x++) sum += green[y * SIDE + x] ** 2;
      blocks.push(sum / 256);
    }
  blocks.sort((a, b) => a - b);
  const [squares, fourths] = green.reduce(([two, four], value) => [two + value ** 2, four + value ** 4], [0, 0]);
  features.push(Math.log((fourths * green.length) / (squares ** 2 + 1) + 1));
  features.push(Math.log(blocks[25] + 0.01), Math.log(blocks[128] + 0.01));
  return features;
}

async function sampleOf(file: Buffer): Promise<number[] | undefined> {
  const { data, info } = await sharp(file, { limitInputPixels: 60_000_000 })
    .rotate()
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (Math.min(info.width, info.height) < SIDE) return undefined;
  const raw = { width: info.width, height: info.height, channels: 3 as const };
  const crops: number[][] = [];
  for (const [fx, fy] of CROPS) {
    // Aligned to the 8-pixel grid, so that blocks of an earlier JPEG keep their positions.
    const place = (size: number, share: number) =>
      Math.max(0, Math.min(size - SIDE, Math.round(size * share - SIDE / 2))) & ~7;
    const jpeg = await sharp(data, { raw })
      .extract({ left: place(info.width, fx), top: place(info.height, fy), width: SIDE, height: SIDE })
      .jpeg({ quality: 90, chromaSubsampling: '4:4:4' })
      .toBuffer();
    crops.push(featuresOf(await sharp(jpeg).raw().toBuffer()));
  }
  return crops[0].map((_, i) => crops.reduce((sum, crop) => sum + crop[i], 0) / crops.length);
}

/** Logistic regression on standardised features with equal class weights. */
function fitModel(samples: Sample[]): (sample: Sample) => number {
  const size = samples[0].features.length;
  const mean = Array.from(
    { length: size },
    (_, i) => samples.reduce((sum, s) => sum + s.features[i], 0) / samples.length,
  );
  const spread = mean.map((m, i) =>
    Math.sqrt(samples.reduce((sum, s) => sum + (s.features[i] - m) ** 2, 0) / samples.length + 1e-9),
  );
  const standard = (sample: Sample) => [
    ...sample.features.map((x, i) => Math.max(-4, Math.min(4, (x - mean[i]) / spread[i]))),
    1,
  ];
  const rows = samples.map(standard);
  const generated = samples.filter(sample => sample.ai).length;
  const weight = (sample: Sample) => 0.5 / (sample.ai ? generated : samples.length - generated);
  const weights = new Array<number>(size + 1).fill(0);
  const dot = (row: number[]) => row.reduce((sum, x, i) => sum + x * weights[i], 0);
  for (let round = 0; round < 1_500; round++) {
    const gradient = new Array<number>(size + 1).fill(0);
    rows.forEach((row, k) => {
      const error = (1 / (1 + Math.exp(-dot(row))) - Number(samples[k].ai)) * weight(samples[k]);
      row.forEach((x, i) => {
        gradient[i] += error * x;
      });
    });
    gradient.forEach((slope, i) => {
      weights[i] -= 0.5 * (slope + (i < size ? 0.002 * weights[i] : 0));
    });
  }
  return sample => dot(standard(sample));
}

function measure(scored: Scored[]): string {
  const positive = scored.filter(([, ai]) => ai).map(([score]) => score);
  const negative = scored.filter(([, ai]) => !ai).map(([score]) => score);
  const wins = positive.reduce((sum, p) => sum + negative.filter(n => p > n).length, 0);
  negative.sort((a, b) => b - a);
  const rate = (share: number) =>
    positive.filter(p => p > negative[Math.floor(share * negative.length)]).length / positive.length;
  return `AUC ${(wins / positive.length / negative.length).toFixed(2)}  TPR at 1% ${rate(0.01).toFixed(2)}  at 5% ${rate(0.05).toFixed(2)}`;
}

const { values } = parseArgs({ options: { data: { type: 'string' } } });
if (!values.data) throw new Error('--data FOLDER is needed: a folder with a MANIFEST.tsv');
const samples: Sample[] = [];
for (const row of readFileSync(join(values.data, 'MANIFEST.tsv'), 'utf8').trim().split('\n').slice(1)) {
  const [kind, path, repository] = row.split('\t');
  if ((kind !== 'camera' && kind !== 'ai') || /\.(heic|tif)$/i.test(path)) continue;
  const features = await sampleOf(readFileSync(join(values.data, path))).catch(() => undefined);
  if (features) samples.push({ ai: kind === 'ai', source: repository.split('/')[0], features });
}
const halves = samples.toSorted((a, b) => a.features[1] - b.features[1]);
const inside = fitModel(halves.filter((_, i) => i % 2 === 0));
console.log(
  `${samples.length} pictures; halved whatever the source: ${measure(halves.filter((_, i) => i % 2 === 1).map(s => [inside(s), s.ai]))}`,
);
const sources = (ai: boolean) => [...new Set(samples.filter(sample => sample.ai === ai).map(sample => sample.source))];
const pooled: Scored[] = [];
for (const generator of sources(true)) {
  const scored: Scored[] = [];
  for (const camera of sources(false)) {
    const left = (sample: Sample) => sample.source === generator || sample.source === camera;
    const model = fitModel(samples.filter(sample => !left(sample)));
    scored.push(...samples.filter(left).map((sample): Scored => [model(sample), sample.ai]));
  }
  pooled.push(...scored);
  console.log(`${generator.padEnd(16)} ${measure(scored)}`);
}
console.log(`${'pooled'.padEnd(16)} ${measure(pooled)}`);
