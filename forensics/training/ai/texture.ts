/**
 * Measures the views of `views.py` with the shallow layer of the screen detector's trunk: node forensics/training/ai/texture.ts PICTURES. Writes
 * PICTURES/texture.f32, 144 numbers a view in the order of PICTURES/views.tsv.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { measureTexture } from '../../src/screen/texture.ts';

const [folder = '.'] = process.argv.slice(2);
const views = readFileSync(join(folder, 'views.tsv'), 'utf8').trim().split('\n').slice(1);
const values = new Float32Array(views.length * 144);
for (const [i, line] of views.entries()) {
  const [sha = '', way = ''] = line.split('\t');
  const file = join(folder, 'views', `${sha.slice(0, 20)}-${way}.jpg`);
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  values.set(measureTexture({ data, width: info.width, height: info.height }), i * 144);
}
writeFileSync(join(folder, 'texture.f32'), values);
