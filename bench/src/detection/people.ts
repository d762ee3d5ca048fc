/**
 * Shows how far the numbers of the screen detector depend on single people. Reads the files of `npm run bench:detection -- --scores`:
 *
 * npm run bench:people -- SCORES.tsv ...
 *
 * Pools the files. Prints a row for pictures as they are, one for each size and one for each further form: AUC and the share of displays found where 1% and
 * 5% of genuine pictures pass. Brackets hold the 5% and 95% quantiles over people drawn with replacement. The last column leaves one person out, the one
 * who changes the share at 1% most.
 */
import { readFileSync } from 'node:fs';
import { areaUnderCurve, foundAt, mostTelling, overPeople, type ScoreOfPerson, statisticOf } from './statistics.ts';

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

const found = (rate: number) => (positives: number[], negatives: number[]) => foundAt(positives, negatives, rate);
/** Each statistic and its decimal places. */
const statistics = [[areaUnderCurve, 3] as const, [found(0.01), 2] as const, [found(0.05), 2] as const];
console.log(
  '| | displays / genuine, people | AUC | TPR at 1% | at 5% | at 1% without one person |\n|---|---|---|---|---|---|',
);
for (const [name, lines] of rows) {
  const positives = lines.filter(({ positive }) => positive).length;
  const negatives = lines.length - positives;
  if (positives === 0 || negatives === 0) continue;
  const cells = statistics.map(([statistic, places]) => {
    const [low, , high] = overPeople(lines, statistic);
    return `${statisticOf(lines, statistic).toFixed(places)} (${low.toFixed(places)} to ${high.toFixed(places)})`;
  });
  const telling = mostTelling(lines, found(0.01));
  const people = new Set(lines.map(({ person }) => person)).size;
  const last = telling ? `${telling.without.toFixed(2)}: ${telling.person}` : '';
  console.log(`| ${name} | ${positives} / ${negatives}, ${people} | ${cells.join(' | ')} | ${last} |`);
}
