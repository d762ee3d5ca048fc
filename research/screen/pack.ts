/**
 * Packs pictures for training, in 110 KB each:
 *
 * node research/screen/pack.ts OUT --repositories FOLDER [--data FOLDER] [--kept-apart SUMS]
 *
 * Reads the uses `report`, `develop`, `fit`, `choose`, `further`, `flat` and, of `next`, the people in {@link NEXT_FITTED}, whatever is at hand of them, and the
 * pictures of a MANIFEST.tsv. Of each picture OUT gets KEY.jpg, no longer than 1,024 pixels, and KEY.json. Of a person's genuine pictures of one use it takes 40 at most. `--kept-apart` (or KEPT_APART) names a file of SHA-256 sums of pictures
 * that are kept apart for judging: they, and every other picture of their repositories, are refused.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { decodePicture } from '@firsthand/forensics/files/decode.ts';
import { inspect } from '@firsthand/forensics/files/inspect.ts';
import { imageOf } from '@firsthand/forensics/pixels/image.ts';
import sharp from 'sharp';
import { refuseKeptApart } from '../../bench/src/detection/kept-apart.ts';
import {
  type LabelledPicture,
  listedPictures,
  listedSnapshots,
  manifestPictures,
  NEXT_FITTED,
  type Use,
} from '../../bench/src/detection/sets.ts';

sharp.concurrency(1);
sharp.cache(false);

const USES: Use[] = ['report', 'develop', 'fit', 'choose', 'further', 'next', 'flat'];
/** Who photographed papers, cards, covers and labels. */
const PAPERS = new Set('tmikonen andrewdcampbell rotemabend hj3yoo MikeF310 open-mmlab zxing zxing-cpp'.split(' '));
const MOST_GENUINE = 40;
/** Long side of the packed picture, and its quality. */
const LONG = 1024;
const QUALITY = 84;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    repositories: { type: 'string' },
    'kept-apart': { type: 'string', default: process.env.KEPT_APART },
  },
});
const [out = ''] = positionals;
const { data, repositories, 'kept-apart': keptApart } = options;

const listed = repositories
  ? USES.flatMap(use => listedPictures(repositories, use, { missing: 'leave out' })).filter(
      ({ use, source }) => use !== 'next' || NEXT_FITTED.has(source),
    )
  : [];
const single = data ? manifestPictures(data) : [];
if (keptApart) refuseKeptApart(keptApart, single, repositories, repositories ? USES.flatMap(listedSnapshots) : []);

mkdirSync(out, { recursive: true });
const genuine = new Map<string, number>();
const packed = new Set<string>();
for (const picture of [...single, ...listed]) {
  try {
    await pack(picture);
  } catch (cause) {
    console.error(`${picture.name}: ${cause instanceof Error ? cause.message.split('\n')[0] : cause}`);
  }
}

async function pack({ label, source, use = 'report', name, read }: LabelledPicture): Promise<void> {
  const bytes = read();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const key = sha256.slice(0, 16);
  const of = `${use} ${source}`;
  const before = genuine.get(of) ?? 0;
  if (packed.has(key) || (label === 0 && before >= MOST_GENUINE)) return;
  const picture = await decodePicture(bytes, await inspect(bytes));
  packed.add(key);
  if (label === 0) genuine.set(of, before + 1);
  await imageOf(picture)
    .resize({ width: LONG, height: LONG, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: QUALITY })
    .toFile(join(out, `${key}.jpg`));
  const paper = label === 0 && (use === 'flat' || PAPERS.has(source)) ? 1 : 0;
  writeFileSync(join(out, `${key}.json`), JSON.stringify({ key, label, source, name, paper }));
}
