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
import { measureScreen } from '../../src/screen/features.ts';
import { vary } from './vary.ts';

sharp.concurrency(1);
sharp.cache(false);
const [list = '', out = '', variants = 'orig'] = process.argv.slice(2);

const file = createWriteStream(out);
const rows = readFileSync(list, 'utf8').split('\n').filter(Boolean);
for (const [index, row] of rows.entries()) {
  const [label, source, path = ''] = row.split('\t');
  for (const variant of variants.split(',')) {
    try {
      const bytes = await vary(readFileSync(path), variant, index);
      const picture = await decodePicture(bytes, await inspect(bytes));
      const measured = await measureScreen(picture);
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
