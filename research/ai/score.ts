/**
 * Scores the pictures of `sets.tsv.gz` in these PARTS as the product does, in four forms: a line for each, with the mean colour and the JPEG's bytes a pixel.
 *
 * node research/ai/score.ts PICTURES PARTS > PICTURES/scores.tsv
 *
 * `found`: the file as it is. `sent`: at full size. `small`: at 800 pixels. `messenger`: at 1,024 to 1,600 pixels and two JPEG passes. The latter three are compressed once more, cut so that the
 * passes are out of step; quality, colour sampling and cut are drawn alike for both classes. A picture that never was a JPEG is one first.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { logOddsOfGenerated } from '@firsthand/forensics/ai/patches.ts';
import { decode } from '@firsthand/forensics/files/decode.ts';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import sharp, { type Sharp } from 'sharp';
import { pictures as rows } from './sets.ts';

const [pictures = '', parts = ''] = process.argv.slice(2);
sharp.concurrency(1);

type Draw = (from: number, until: number) => number;

/** Decodes again what an encoder wrote. */
async function again(image: Sharp): Promise<Sharp> {
  const { data, info } = await sharp(await image.toBuffer())
    .raw()
    .toBuffer({ resolveWithObject: true });
  return sharp(data, { raw: info });
}

const jpeg = (image: Sharp, quality: number, draw: Draw) =>
  image.jpeg({ quality, chromaSubsampling: draw(0, 2) ? '4:4:4' : '4:2:0' });

/** The file in each form. */
async function* formsOf(bytes: Buffer, draw: Draw): AsyncGenerator<[form: string, bytes: Buffer]> {
  yield ['found', bytes];
  const source = sharp(bytes, { failOn: 'none' }).rotate().flatten({ background: 'white' }).toColourspace('srgb');
  const { format } = await sharp(bytes).metadata();
  const whole = await again(format === 'jpeg' ? source.png() : jpeg(source, draw(88, 98), draw));
  const { width = 0, height = 0 } = await whole.metadata();
  const shrunk = (side: number) =>
    Math.max(width, height) <= side
      ? whole.clone()
      : whole.clone().resize({ width: side, height: side, fit: 'inside', kernel: 'lanczos3' });
  const cut = async (image: Sharp, quality: number) => {
    const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
    const [left, top] = [draw(0, 8), draw(0, 8)];
    const part = sharp(data, { raw: info }).extract({
      left,
      top,
      width: info.width - left,
      height: info.height - top,
    });
    return jpeg(part, quality, draw).toBuffer();
  };
  yield ['sent', await cut(whole.clone(), draw(75, 96))];
  yield ['small', await cut(shrunk(800), draw(75, 96))];
  yield ['messenger', await cut(await again(jpeg(shrunk(draw(1024, 1601)), draw(65, 85), draw)), draw(65, 80))];
}

function meanOf({ data, width, height }: Picture): string[] {
  const sums = [0, 0, 0];
  for (let i = 0; i < data.length; i++) sums[i % 3]! += data[i]!;
  return sums.map(sum => (sum / width / height).toFixed(1));
}

console.log(['part', 'label', 'source', 'sha', 'form', 'red', 'green', 'blue', 'bytes', 'score'].join('\t'));
for (const { part = '', label, source, sha256 = '' } of rows) {
  if (!parts.split(',').includes(part)) continue;
  const drawn = random(Number.parseInt(sha256.slice(0, 8), 16));
  const draw: Draw = (from, until) => from + Math.floor(drawn.uniform(0, until - from));
  try {
    for await (const [form, bytes] of formsOf(readFileSync(join(pictures, 'found', sha256)), draw)) {
      const { picture } = await decode(bytes);
      const score = logOddsOfGenerated(picture)?.toFixed(3) ?? '';
      const density = (bytes.length / picture.width / picture.height).toFixed(4);
      console.log([part, label, source, sha256.slice(0, 20), form, ...meanOf(picture), density, score].join('\t'));
    }
  } catch (fault) {
    console.error(`${sha256}: ${(fault as Error).message}`);
    process.exitCode = 1;
  }
}
