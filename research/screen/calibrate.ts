/**
 * Weighs the network of the appearance beside the rest of the model, sets thresholds and stages, and writes the genuine scores that a reviewer sees:
 *
 * node research/screen/calibrate.ts FEATURES.jsonl...
 *
 * FEATURES are lines of `measure.ts` of the uses on which nothing was fitted. The regressions and trees of `model.generated.json` stay (`train.py`). People are
 * parted into eight groups. Each group is judged by weights, thresholds and stages of the other seven, which gives the table that is printed. The published
 * ones are of all people. Writes `model.generated.json` and `genuine.generated.json`.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { logOddsOf } from '@firsthand/forensics/networks/linear.ts';
import { logistic } from '@firsthand/forensics/odds.ts';
import { screenModel } from '@firsthand/forensics/screen/detect.ts';
import type { Features } from '@firsthand/forensics/screen/feature-values.ts';
import { halvings, predict } from '@firsthand/forensics/screen/model.ts';
import { areaUnderCurve, foundAt } from '../../bench/src/detection/statistics.ts';
import { logisticRegression } from './logistic.ts';

const NAME = 'screen-still-15';
const GROUPS = 8;
/** Share of genuine pictures that reach each threshold. That of `confident` is extrapolated. */
const DOUBTFUL = 0.01;
const CONFIDENT = 0.0003;
/** Share of the genuine originals that counts as their tail. */
const TAIL = 0.03;
/** Long sides, in pixels, of the rows of the table, and of the ranges in each of which `doubtful` holds. */
const FULL = 1600;
const LEAST = 700;
const RANGES = [
  [0, 900],
  [900, 1500],
  [1500, Number.POSITIVE_INFINITY],
] as const;
/** Log odds below which the first stage may clear a picture. */
const CLEARING = Array.from({ length: 17 }, (_, i) => -6 + 0.25 * i);
/** How many regressions the first stage reads, and the second. */
const FIRST = 2;
const SECOND = 3;

interface Row {
  label: 0 | 1;
  source: string;
  use: string;
  form: string;
  side: number;
  appearance: number;
  /** Log odds by the first stage. */
  first: number;
  /** Sums that are not calibrated: of the regressions up to the second stage, and of everything but the appearance. */
  known: number;
  all: number;
}

interface Calibration {
  platt: { a: number; b: number; perHalving: number; appearance: number };
  thresholds: { doubtful: number; confident: number };
  clears: number;
  most: number;
  typical: number;
}

const { parts, first, second: _second, ...model } = screenModel;
/** Keeps the sum of everything within what a probability can tell. */
const SHRUNK = 0.1;
const plain = { ...model, parts, platt: { a: SHRUNK, b: 0 } };
const logOdds = (p: number): number => Math.log(p / (1 - p));
const mean = (values: number[]): number => values.reduce((total, value) => total + value, 0) / values.length;
const digits = (value: number): number => Number(value.toFixed(6));
const groupOf = (source: string): number => createHash('sha1').update(source).digest()[0]! % GROUPS;

function sumOf(count: number, features: Features): number {
  let sum = 0;
  for (const part of parts.slice(0, count)) {
    const values = part.features.map(name => features[name] ?? Number.NaN);
    sum += logOddsOf(part, values);
  }
  return sum;
}

function rowOf(line: string): Row {
  const { label, source, use, v, f } = JSON.parse(line);
  const { a, b, perHalving } = first!.platt;
  return {
    label,
    source,
    use,
    form: v,
    side: f.long_side,
    appearance: f.appearance,
    first: a * sumOf(FIRST, f) + b + perHalving * halvings(f),
    known: sumOf(SECOND, f),
    all: logOdds(predict(plain, f)) / SHRUNK,
  };
}

/** Returns the score that a share of these genuine pictures reaches. Sources count by the root of their size. */
function passedBy(scores: { z: number; source: string }[], share: number): number {
  const size = new Map<string, number>();
  for (const { source } of scores) size.set(source, (size.get(source) ?? 0) + 1);
  const weight = ({ source }: { source: string }): number => 1 / Math.sqrt(size.get(source)!);
  let left = share * scores.reduce((total, one) => total + weight(one), 0);
  for (const one of [...scores].sort((x, y) => y.z - x.z)) {
    left -= weight(one);
    if (left < 0) return one.z;
  }
  throw new Error('no genuine picture');
}

/** Returns the log odds by everything, and what of it is not measured by the second stage. */
const scoreOf = ({ a, b, perHalving, appearance }: Calibration['platt'], row: Row): { z: number; rest: number } => ({
  z: a * row.all + appearance * row.appearance + perHalving * halvings({ long_side: row.side }) + b,
  rest: a * (row.all - row.known),
});

function thresholdsOf(genuine: (Row & { z: number })[]): Calibration['thresholds'] {
  const ranges = RANGES.map(([low, high]) => genuine.filter(({ side }) => side >= low && side < high));
  const doubtful = Math.max(...ranges.filter(part => part.length > 0).map(part => passedBy(part, DOUBTFUL)));
  const originals = genuine
    .filter(({ form }) => form === 'orig')
    .map(({ z }) => z)
    .sort((x, y) => y - x);
  const tail = originals.slice(0, Math.ceil(TAIL * originals.length));
  const start = tail.at(-1)!;
  const excess = mean(tail) - start;
  const highest = Math.max(...genuine.map(({ z }) => z));
  // Above every known genuine picture, in any form.
  const confident = Math.max(highest, start + excess * Math.log(TAIL / CONFIDENT));
  const above = (z: number): number => Math.ceil(1e5 * logistic(z + 1e-6)) / 1e5;
  return { doubtful: above(doubtful), confident: above(confident) };
}

/** Returns the highest level at which the first stage clears no display that is above 99% of the genuine pictures of its form. */
function clearingOf(scored: (Row & { z: number })[]): number {
  const forms = [...new Set(scored.map(({ form }) => form))];
  const found = forms.flatMap(form => {
    const part = scored.filter(one => one.form === form);
    const limit = passedBy(
      part.filter(({ label }) => label === 0),
      DOUBTFUL,
    );
    return part.filter(({ label, z }) => label === 1 && z > limit);
  });
  return CLEARING.findLast(level => found.every(one => one.first >= level)) ?? CLEARING[0]!;
}

function calibrate(rows: Row[]): Calibration {
  const { weights, bias } = logisticRegression(
    rows.map(({ all, appearance, side }) => [all, appearance, halvings({ long_side: side })]),
    rows.map(({ label }) => label),
  );
  const [a = 0, appearance = 0, perHalving = 0] = weights.map(digits);
  const platt = { a, b: digits(bias), perHalving, appearance };
  const scored = rows.map(row => ({ ...row, ...scoreOf(platt, row) }));
  const genuine = scored.filter(({ label }) => label === 0);
  const thresholds = thresholdsOf(genuine);
  const most = digits(Math.max(...scored.map(({ rest }) => rest)));
  const quiet = genuine.filter(
    ({ form, z, rest }) => form === 'orig' && z - rest + most < logOdds(thresholds.doubtful),
  );
  return {
    platt,
    thresholds,
    clears: clearingOf(scored),
    most,
    typical: digits(mean(quiet.map(({ rest }) => rest))),
  };
}

/** Returns the probability, through all stages. */
function probabilityOf({ platt, thresholds, clears, most, typical }: Calibration, row: Row): number {
  if (row.first < clears) return logistic(row.first);
  const { z, rest } = scoreOf(platt, row);
  return logistic(z - rest + most < logOdds(thresholds.doubtful) ? z - rest + typical : z);
}

interface Judged extends Row {
  /** Log odds above those of `doubtful`. */
  above: number;
  confident: boolean;
  cleared: boolean;
}

function judge(rows: Row[]): Judged[] {
  return Array.from({ length: GROUPS }, (_, group) => group).flatMap(group => {
    const calibration = calibrate(rows.filter(({ source }) => groupOf(source) !== group));
    return rows
      .filter(({ source }) => groupOf(source) === group)
      .map(row => {
        const p = probabilityOf(calibration, row);
        return {
          ...row,
          above: logOdds(p) - logOdds(calibration.thresholds.doubtful),
          confident: p >= calibration.thresholds.confident,
          cleared: row.first < calibration.clears,
        };
      });
  });
}

function print(title: string, judged: Judged[]): void {
  for (const form of new Set(judged.map(one => one.form))) {
    const of = (label: 0 | 1): Judged[] => judged.filter(one => one.form === form && one.label === label);
    const [genuine, displays] = [of(0), of(1)];
    const scores = (part: Judged[]): number[] => part.map(({ above }) => above);
    const count = (part: Judged[], hit: (one: Judged) => boolean): number => part.filter(hit).length;
    const numbers =
      displays.length > 0
        ? `${areaUnderCurve(scores(displays), scores(genuine)).toFixed(3)} | ${[0.01, 0.05].map(share => foundAt(scores(displays), scores(genuine), share).toFixed(2)).join(' | ')} | ${count(displays, one => one.above >= 0)} | ${count(displays, one => one.confident)}`
        : ' | | | | ';
    console.log(
      `| ${title}, ${form} | ${displays.length} / ${genuine.length} | ${numbers} | ${count(genuine, one => one.above >= 0)} | ${count(genuine, one => one.confident)} | ${count(genuine, one => one.cleared)} | ${count(displays, one => one.cleared)} |`,
    );
  }
}

const { positionals } = parseArgs({ allowPositionals: true });
const rows = positionals.flatMap(path => readFileSync(path, 'utf8').split('\n').filter(Boolean).map(rowOf));
const judged = judge(rows);
console.log(
  '| pictures | displays / genuine | AUC | TPR at 1% | at 5% | found | confident | genuine doubtful | confident | cleared first | displays cleared first |',
);
print('all', judged);
print(
  '700 to 1,600 pixels',
  judged.filter(({ form, side }) => form === 'orig' && side >= LEAST && side <= FULL),
);
print(
  'above',
  judged.filter(({ form, side }) => form === 'orig' && side > FULL),
);
for (const use of new Set(rows.map(row => row.use)))
  print(
    use,
    judged.filter(one => one.use === use),
  );

const { platt, thresholds, clears, most, typical } = calibrate(rows);
const calibrated = {
  ...screenModel,
  name: NAME,
  platt,
  thresholds,
  first: { ...first!, parts: FIRST, clears },
  second: { parts: SECOND, most, typical },
};
const folder = new URL('../../forensics/src/screen/', import.meta.url);
writeFileSync(new URL('model.generated.json', folder), `${JSON.stringify(calibrated)}\n`);
const originals = rows.filter(({ label, form }) => label === 0 && form === 'orig');
const scores = originals
  .map(row => Number(probabilityOf({ platt, thresholds, clears, most, typical }, row).toFixed(5)))
  .sort((x, y) => x - y);
const sources = new Set(originals.map(({ source }) => source)).size;
writeFileSync(
  new URL('genuine.generated.json', folder),
  `${JSON.stringify({ model: NAME, thresholds, sources, scores })}\n`,
);
console.log(
  `${new Set(rows.map(({ source }) => source)).size} people; ${JSON.stringify({ platt, thresholds, clears, most, typical })}`,
);
