/**
 * Says how far the numbers of the screen detector depend on single people, from scores that `npm run bench:detection -- --scores` wrote:
 *
 * npm run bench:people -- SCORES.tsv ...
 *
 * Pools the files. For pictures as they are, by size, and for each further form it prints AUC and the share of displays found where 1% and 5% of genuine pictures
 * pass, each with its 5% and 95% quantiles over people drawn with replacement. The last column names the person without whom the share at 1% changes most, and its value then.
 */
import { readFileSync } from 'node:fs';
import { areaUnderCurve, foundAt, mostTelling, overPeople, type ScoreOfPerson } from './statistics.ts';

interface Line extends ScoreOfPerson {
  form: string;
  longSide: number;
}

function readScores(path: string): Line[] {
  const [heads = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const [, , , , ...forms] = heads.split('\t');
  return lines.flatMap(line => {
    const [label, person = '', , longSide, ...scores] = line.split('\t');
    const common = { positive: label === '1', person, longSide: Number(longSide) };
    return forms.flatMap((form, i) => (scores[i] ? [{ ...common, form, score: Number(scores[i]) }] : []));
  });
}

const paths = process.argv.slice(2);
if (paths.length === 0) {
  console.error('usage: npm run bench:people -- SCORES.tsv ...');
  process.exit(2);
}
const all = paths.flatMap(readScores);
const unaltered = all.filter(({ form }) => form === 'orig');
const rows: [name: string, lines: Line[]][] = [
  ['as they are', unaltered],
  ['700 to 1,600 pixels', unaltered.filter(({ longSide }) => longSide >= 700 && longSide <= 1600)],
  ['above', unaltered.filter(({ longSide }) => longSide > 1600)],
  ...[...Map.groupBy(all, ({ form }) => form)].filter(([form]) => form !== 'orig'),
];

const digits = 2;
const found = (rate: number) => (positives: number[], negatives: number[]) => foundAt(positives, negatives, rate);
const statistics = [
  [areaUnderCurve, digits + 1] as const,
  [found(0.01), digits] as const,
  [found(0.05), digits] as const,
];
console.log(
  '| | displays / genuine, people | AUC | TPR at 1% | at 5% | at 1% without one person |\n|---|---|---|---|---|---|',
);
for (const [name, lines] of rows) {
  const [positives, negatives] = [true, false].map(positive =>
    lines.filter(line => line.positive === positive).map(({ score }) => score),
  ) as [number[], number[]];
  if (positives.length === 0 || negatives.length === 0) continue;
  const cells = statistics.map(([statistic, places]) => {
    const [low, , high] = overPeople(lines, statistic);
    return `${statistic(positives, negatives).toFixed(places)} (${low.toFixed(places)} to ${high.toFixed(places)})`;
  });
  const telling = mostTelling(lines, found(0.01));
  const people = new Set(lines.map(({ person }) => person)).size;
  const last = telling ? `${telling.without.toFixed(digits)}: ${telling.person}` : '';
  console.log(`| ${name} | ${positives.length} / ${negatives.length}, ${people} | ${cells.join(' | ')} | ${last} |`);
}
