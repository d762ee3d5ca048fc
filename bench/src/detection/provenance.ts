/**
 * Measures how provenance by itself classifies each source's files:
 *
 * npm run bench:provenance -- --data FOLDER [--repositories FOLDER] [--write FILE]
 *
 * FOLDER of `--data` holds MANIFEST.tsv (class, path, repository ...). Sources of class `ai` carry a generator's marks or none. The program
 * ends with an error when a camera's file is called generated. `--repositories` adds the photographs that
 * `research/screen/sets.tsv.gz` lists, from clones at FOLDER/OWNER/NAME. Fetches nothing.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AiResult, assessProvenance } from '@firsthand/forensics/ai/assess.ts';
import { ImageFault, inspect } from '@firsthand/forensics/files/inspect.ts';
import { readMetadata } from '@firsthand/forensics/files/metadata/read.ts';
import { createReport, optionsOf } from '../report.ts';
import { listedPictures, tableLines, type Use } from './sets.ts';
import { upperBound } from './statistics.ts';

const CLASSES = ['ai', 'c2pa', 'camera', 'screen', 'heic', 'depth'];
/** Classes whose files come from cameras. */
const GENUINE = ['camera', 'screen', 'heic', 'depth', 'listed'];
/** The listed uses that no class of the manifest contains. */
const LISTED: Use[] = ['report', 'choose', 'held', 'confounder'];

const options = optionsOf({
  data: process.env.FIRSTHAND_DATA,
  repositories: undefined,
});
const manifest = options.data && join(options.data, 'MANIFEST.tsv');
if (!options.data || !manifest || !existsSync(manifest)) {
  console.log('No pictures: --data names a folder with MANIFEST.tsv (or FIRSTHAND_DATA). Nothing measured.');
  process.exit(0);
}

interface Row {
  kind: string;
  source: string;
  results: AiResult[];
  unreadable: number;
}

interface Item {
  kind: string;
  source: string;
  read(): Buffer;
}

const { data, repositories } = options;
const items: Item[] = [
  ...tableLines(manifest)
    .filter(([kind = '']) => CLASSES.includes(kind))
    .map(([kind = '', path = '', source = '']) => ({ kind, source, read: () => readFileSync(join(data, path)) })),
  ...(repositories
    ? LISTED.flatMap(use =>
        listedPictures(repositories, use).map(({ read }) => ({ kind: 'listed', source: `sets.tsv, ${use}`, read })),
      )
    : []),
];

const rows = new Map<string, Row>();
for (const [index, { kind, source, read }] of items.entries()) {
  const row = rows.get(`${kind} ${source}`) ?? { kind, source, results: [], unreadable: 0 };
  rows.set(`${kind} ${source}`, row);
  const bytes = read();
  try {
    const { contentType } = await inspect(bytes);
    const metadata = await readMetadata(bytes, contentType);
    row.results.push(await assessProvenance({ bytes, contentType, metadata, attested: false, live: false }));
  } catch (cause) {
    if (!(cause instanceof ImageFault)) throw cause;
    row.unreadable += 1;
  }
  if (index % 20 === 0) process.stderr.write(`\r${index} of ${items.length} files`);
}
process.stderr.write('\n');

const labelled = (results: AiResult[], label: AiResult['label']) => results.filter(result => result.label === label);

const report = createReport('Generated pictures: what the file itself says');
report.print(
  '| class | source | files | likely_ai, of them doubtful | likely_human | unknown | said by |\n|---|---|---|---|---|---|---|',
);
for (const { kind, source, results, unreadable } of rows.values()) {
  const found = labelled(results, 'likely_ai');
  const saidBy = [...new Set(found.flatMap(({ evidence }) => evidence.slice(0, 1).map(one => one.source)))].sort();
  const cells = [
    kind,
    source,
    `${results.length}${unreadable > 0 ? ` (and ${unreadable} unreadable)` : ''}`,
    `${found.length}, ${found.filter(({ band }) => band === 'doubtful').length}`,
    labelled(results, 'likely_human').length,
    labelled(results, 'unknown').length,
    saidBy.join(', '),
  ];
  report.print(`| ${cells.join(' | ')} |`);
}
const genuine = [...rows.values()].filter(({ kind }) => GENUINE.includes(kind)).flatMap(({ results }) => results);
const accused = labelled(genuine, 'likely_ai').length;
const bound = (100 * upperBound(accused, genuine.length)).toFixed(1);
report.print(`\n${accused} of ${genuine.length} camera files called likely_ai (95% upper bound ${bound}%)`);
report.write(options.write);
if (accused > 0) process.exitCode = 1;
