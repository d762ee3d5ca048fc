/**
 * Writes the scores of genuine pictures beside the model, for the odds that a reviewer sees:
 *
 * node research/screen/genuine.ts SCORES.tsv...
 *
 * SCORES are files that `train.py` wrote of the sources held out in turn, or `npm run bench:detection -- --scores`, as of the pictures that
 * only set a threshold (`--held`). Refuses the pictures that are kept apart for judging the model (`display-held`, `genuine-held`, `confounder`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { screenModel } from '@firsthand/forensics/screen/detect.ts';
import { LIST, tableLines } from '../../bench/src/detection/sets.ts';

const KEPT_APART = new Set(['display-held', 'genuine-held', 'confounder']);
const listed = tableLines(LIST);
const keptApart = new Set(
  listed.filter(([use = '']) => KEPT_APART.has(use)).map(([, , repository, , path]) => `${repository}/${path}`),
);

const scores: number[] = [];
const sources = new Set<string>();
for (const file of process.argv.slice(2)) {
  const [heads = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const columns = heads.split('\t');
  const at = (line: string, column: string): string => line.split('\t')[columns.indexOf(column)] ?? '';
  for (const line of lines) {
    const name = at(line, 'name');
    if (keptApart.has(name)) throw new Error(`${name} is kept apart for judging the model`);
    if (at(line, 'label') !== '0' || at(line, 'orig') === '') continue;
    scores.push(Number(at(line, 'orig')));
    sources.add(at(line, 'source'));
  }
}
if (scores.length === 0) throw new Error('the files hold no genuine picture');
scores.sort((a, b) => a - b);
const { name: model, thresholds } = screenModel;
const path = new URL('@firsthand/forensics/screen/genuine.generated.json', import.meta.url);
writeFileSync(path, `${JSON.stringify({ model, thresholds, sources: sources.size, scores })}\n`);
console.log(`${scores.length} genuine pictures of ${sources.size} sources`);
