/**
 * Measures pictures for training: one JSON line a picture and variant.
 *
 *   node forensics/training/screen/measure.ts LIST.tsv OUT.jsonl [VARIANT,VARIANT ...]
 *
 * LIST has a line `label TAB source TAB path` for each picture (label 1: a photographed display or print).
 * Variants: `orig`; `q70`, `half`, `msg`, `crop` as in the benchmark; `aug1`, `aug2` ... random crops, sizes, tones and qualities.
 */
import { createWriteStream, readFileSync } from 'node:fs';
import sharp from 'sharp';
import { decodePicture } from '../../src/decode.ts';
import { inspect } from '../../src/inspect.ts';
import { random } from '../../src/random.ts';
import { measureScreen } from '../../src/screen/features.ts';

sharp.concurrency(1);
sharp.cache(false);
const [list = '', out = '', variants = 'orig'] = process.argv.slice(2);

async function vary(bytes: Buffer, variant: string, seed: number): Promise<Buffer> {
  if (variant === 'orig') return bytes;
  const { data, info } = await sharp(bytes, { failOn: 'none' })
    .autoOrient()
    .flatten()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  const picture = () => sharp(data, { raw });
  const { width, height } = info;
  switch (variant) {
    case 'q70':
      return picture().jpeg({ quality: 70 }).toBuffer();
    case 'half':
      return picture()
        .resize(Math.max(1, Math.round(width / 2)))
        .jpeg({ quality: 90 })
        .toBuffer();
    case 'msg':
      return picture()
        .resize({ width: 1600, height: 1600, fit: 'inside', withoutEnlargement: true })
        .jpeg({ quality: 75 })
        .toBuffer();
    case 'crop': {
      const w = Math.floor(width * 0.6);
      const h = Math.floor(height * 0.6);
      const box = { left: (width - w) >> 1, top: (height - h) >> 1, width: w, height: h };
      return picture().extract(box).jpeg({ quality: 92 }).toBuffer();
    }
    default: {
      const rng = random(seed * 1009 + Number(variant.replace('aug', '')));
      const w = Math.max(1, Math.floor(width * rng.uniform(0.6, 1)));
      const h = Math.max(1, Math.floor(height * rng.uniform(0.6, 1)));
      const box = {
        left: Math.floor(rng.uniform(0, width - w + 1)),
        top: Math.floor(rng.uniform(0, height - h + 1)),
        width: w,
        height: h,
      };
      let pipeline = picture().extract(box);
      const least = Math.min(1, 540 / Math.min(w, h));
      if (rng.uniform() < 0.6)
        pipeline = pipeline.resize(Math.max(1, Math.round(w * rng.logUniform(Math.max(0.35, least) * 0.999, 1))));
      const adjusted = pipeline
        .modulate({ brightness: rng.uniform(0.8, 1.25), saturation: rng.uniform(0.75, 1.3) })
        .linear(rng.uniform(0.85, 1.15), rng.uniform(-10, 10));
      return adjusted.jpeg({ quality: Math.round(rng.uniform(62, 95)) }).toBuffer();
    }
  }
}

const file = createWriteStream(out);
const rows = readFileSync(list, 'utf8').split('\n').filter(Boolean);
for (const [index, row] of rows.entries()) {
  const [label, source, path = ''] = row.split('\t');
  for (const variant of variants.split(',')) {
    try {
      const bytes = await vary(readFileSync(path), variant, index);
      const picture = await decodePicture(bytes, await inspect(bytes));
      const measured = measureScreen(picture);
      if (!measured) continue;
      const { width, height } = picture;
      file.write(
        `${JSON.stringify({ label: Number(label), source, path, v: variant, width, height, f: measured.features })}\n`,
      );
    } catch (cause) {
      console.error(`${path} ${variant}: ${cause instanceof Error ? cause.message.split('\n')[0] : cause}`);
    }
  }
  if (index % 20 === 0) process.stderr.write(`\r${index}/${rows.length}`);
}
file.end();
process.stderr.write('\n');
