/**
 * Measures pictures for training and for the benchmark: one JSON line per picture and variant. An interrupted run resumes.
 *
 * node research/screen/measure.ts OUT.jsonl [--data FOLDER] [--repositories FOLDER] [--uses A,B ...] [--list LIST.tsv] [--variants A,B ...]
 * [--in-turn A,B ...] [--every N] [--kept-apart SUMS]
 *
 * `--data` names a folder with MANIFEST.tsv, `--repositories` a folder with clones of the repositories in `sets.tsv` (uses `report`, `develop`,
 * `fit`, `choose`, `further`, `held` and `further-held`, or those of `--uses`; of `next` the people on whom nothing was fitted). For `calibrate.ts` they are
 * `held,further-held,next,display-held,genuine-held,confounder,flat-held`, the variants `orig,chat,squeezed`. LIST has a line `label TAB source TAB path` for each further picture (label 1: a photographed
 * display or print), such as those of `simulate.ts`. Variants: those of `vary.ts`. `--in-turn` measures each picture in one of these variants more, by its
 * place. `--every` measures each Nth picture only, to try the whole way in minutes; `train.py` needs displays by two sources of two groups, and
 * displays and genuine pictures of `held` and `further-held`. `--kept-apart` (or KEPT_APART) names a file of SHA-256 sums: nothing is measured if one of these pictures, or another of their
 * repositories, is among those to be read.
 */
import { createHash } from 'node:crypto';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { decodePicture } from '@firsthand/forensics/files/decode.ts';
import { inspect } from '@firsthand/forensics/files/inspect.ts';
import { measureScreen } from '@firsthand/forensics/screen/features.ts';
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
import { formsOf } from '../../bench/src/detection/vary.ts';

sharp.concurrency(1);
sharp.cache(false);
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    repositories: { type: 'string' },
    uses: { type: 'string', default: 'report,develop,fit,choose,further,held,further-held' },
    list: { type: 'string' },
    variants: { type: 'string', default: 'orig' },
    'in-turn': { type: 'string' },
    every: { type: 'string', default: '1' },
    'kept-apart': { type: 'string', default: process.env.KEPT_APART },
  },
});
const [out = ''] = positionals;
const { data, repositories, list } = options;

const furtherPictures = (path: string): LabelledPicture[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => {
      const [label, source = '', name = ''] = line.split('\t');
      return { label: label === '1' ? 1 : 0, source, name, read: () => readFileSync(name) };
    });

const uses = options.uses.split(',') as Use[];
const single = [...(data ? manifestPictures(data) : []), ...(list ? furtherPictures(list) : [])];
const listed = repositories
  ? uses
      .flatMap(use => listedPictures(repositories, use))
      .filter(({ use, source }) => use !== 'next' || !NEXT_FITTED.has(source))
  : [];
const pictures = [...single, ...listed];
const measured = (index: number): boolean => index % Number(options.every) === 0;
const keptApart = options['kept-apart'];
if (keptApart) {
  const names = pictures.filter((_, index) => measured(index)).map(({ name }) => name);
  const snapshots = repositories ? uses.flatMap(listedSnapshots) : [];
  const read = snapshots.filter(({ repository }) => names.some(name => name.startsWith(`${repository}/`)));
  refuseKeptApart(
    keptApart,
    single.filter((_, index) => measured(index)),
    repositories,
    read,
  );
}
const done = new Set(
  (existsSync(out) ? readFileSync(out, 'utf8').split('\n') : []).filter(Boolean).map(line => {
    const { name, v }: { name: string; v: string } = JSON.parse(line);
    return `${name}\t${v}`;
  }),
);
const file = createWriteStream(out, { flags: 'a' });
const inTurn = options['in-turn']?.split(',') ?? [];
for (const [index, { label, source, use, name, read }] of pictures.entries()) {
  if (!measured(index)) continue;
  let form: ((name: string) => Promise<Buffer>) | undefined;
  let sha256 = '';
  for (const v of [...options.variants.split(','), ...inTurn.slice(index % inTurn.length).slice(0, 1)]) {
    if (done.has(`${name}\t${v}`)) continue;
    try {
      if (!form) {
        const original = read();
        sha256 = createHash('sha256').update(original).digest('hex');
        form = formsOf(original, index);
      }
      const bytes = await form(v);
      const picture = await decodePicture(bytes, await inspect(bytes));
      const found = await measureScreen(picture);
      if (!found) continue;
      const { width, height } = picture;
      file.write(`${JSON.stringify({ label, source, use, name, sha256, v, width, height, f: found.features })}\n`);
    } catch (cause) {
      console.error(`${name} ${v}: ${cause instanceof Error ? cause.message.split('\n')[0] : cause}`);
    }
  }
  if (index % 20 === 0) process.stderr.write(`\r${index}/${pictures.length}`);
}
file.end();
process.stderr.write('\n');
