/**
 * Measures the two-frame test on simulated flat subjects against real and simulated deep ones:
 *
 * npm run bench:frames -- [--frames FOLDER] [--data FOLDER] [--subjects N] [--tuning] [--cache FOLDER] [--workers N] [--json OUT] [--write
 * FILE] [--gate]
 *
 * FOLDER of `--frames` holds the sets of `frame-sets.tsv`, each in a folder of its name. Missing sets are skipped. `--data` (or
 * FIRSTHAND_DATA) names a folder with MANIFEST.tsv, whose camera photographs are shown on the simulated displays and prints; without it
 * they show only drawn pictures. N subjects, each seen from three positions, make 3 N pairs. Simulated pictures are cached, so an
 * interrupted run resumes. `--tuning` uses the sets and seeds that the coefficients were set on instead of the reported ones. `--gate`
 * fails when fewer than 0.9 of the simulated pairs with an answer are correct.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { LEAST_DIFFER } from '@firsthand/forensics/motion/two-frames.ts';
import { FLAT_BY_FRAMES } from '@firsthand/forensics/signals.ts';
import { createReport, optionsOf } from '../report.ts';
import { frameSets, type Row, realTasks, type Task } from './frames/tasks.ts';
import { inWorkers } from './in-workers.ts';
import { areaUnderCurve, foundAt, upperBound } from './statistics.ts';

const options = optionsOf({
  frames: undefined,
  data: process.env.FIRSTHAND_DATA,
  subjects: '4',
  tuning: false,
  cache: '.tmp/frames',
  workers: '1',
  json: undefined,
  gate: false,
});
const split = options.tuning ? 'tuning' : 'report';
const GATE = 0.9;

async function runAll(tasks: Task[], workers: number): Promise<Row[]> {
  const started = performance.now();
  const rows = await inWorkers<Task, Row[]>(new URL('./frames/worker.ts', import.meta.url), tasks, workers, done => {
    const left = ((performance.now() - started) / done) * (tasks.length - done);
    process.stderr.write(`\r${done} of ${tasks.length} runs, ${Math.round(left / 60_000)} min left  `);
  });
  return rows.flat();
}

const sets = (options.frames && existsSync(options.frames) ? frameSets(options.frames) : []).filter(
  set => set.split === split,
);
const subjects = Number(options.subjects);
const simulated = (kind: 'flat' | 'deep', count: number): Task[] =>
  Array.from({ length: count }, (_, index) => ({ kind, split, index, data: options.data, cache: options.cache }));
const rows = await runAll(
  [...sets.flatMap(realTasks), ...simulated('flat', subjects), ...simulated('deep', Math.ceil(subjects / 8))],
  Number(options.workers),
);
rows.sort((a, b) => a.group.localeCompare(b.group) || a.name.localeCompare(b.name, 'en', { numeric: true }));

const airborne = new Set(sets.filter(({ view }) => view === 'air').map(({ name }) => name));
const handheld = new Set(sets.filter(({ view }) => view === 'hand').map(({ name }) => name));
const FLAT = ['display', 'halftone print', 'photographic print'];
const groups = [...new Set(rows.map(({ group }) => group))];
const of = (...names: string[]): Row[] => rows.filter(({ group }) => names.includes(group));
const scores = (list: Row[]): number[] =>
  list.flatMap(({ test }) => (test.probability === undefined ? [] : [test.probability]));
const count = (list: Row[], answer: string): number => list.filter(({ test }) => test.answer === answer).length;
const percent = (value: number | undefined): string =>
  value === undefined || Number.isNaN(value) ? '' : value.toFixed(3);

const report = createReport('Two frames: flat or deep');
report.print(`\nFlat or deep (${split})\n`);
report.print('| pairs | number | answered | flat | deep | not moved enough | too few matches | flat at 0.95 |');
report.print('|---|---|---|---|---|---|---|---|');
const line = (name: string, list: Row[]): void => {
  const answered = scores(list);
  const cells = [
    list.length,
    answered.length,
    count(list, 'flat'),
    count(list, 'deep'),
    count(list, 'not_enough_movement'),
    count(list, 'not_enough_matches'),
    answered.filter(p => p >= FLAT_BY_FRAMES.confident).length,
  ];
  report.print(`| ${name} | ${cells.join(' | ')} |`);
};
for (const group of groups) line(group, of(group));
const flat = of(...FLAT);
const hand = of(...handheld);
line('all flat', flat);
line('all real, hand-held', hand);

interface Rates {
  pairs: { flat: number; deep: number };
  answered: { flat: number; deep: number };
  auc?: number;
  /** Share of the answered flat pairs found at the threshold that 1% of the deep ones exceed. */
  found_at_1?: number;
  fixed: Record<string, { found: number; found_lower: number; wrong: number; wrong_of: number; wrong_upper: number }>;
}
function rates(
  positives: Row[],
  negatives: Row[],
  scoreOf: (row: Row) => number | undefined,
  thresholds: number[],
): Rates {
  const known = (list: Row[]): number[] => list.flatMap(row => scoreOf(row) ?? []);
  const [p, n] = [known(positives), known(negatives)];
  const fixed: Rates['fixed'] = {};
  for (const threshold of thresholds) {
    const found = p.filter(score => score >= threshold).length;
    const wrong = n.filter(score => score >= threshold).length;
    fixed[threshold] = {
      found: found / p.length,
      found_lower: 1 - upperBound(p.length - found, p.length),
      wrong,
      wrong_of: n.length,
      wrong_upper: upperBound(wrong, n.length),
    };
  }
  return {
    pairs: { flat: positives.length, deep: negatives.length },
    answered: { flat: p.length, deep: n.length },
    ...(p.length > 0 && n.length > 0 && { auc: areaUnderCurve(p, n), found_at_1: foundAt(p, n, 0.01) }),
    fixed,
  };
}

const parallax = rates(flat, hand, ({ test }) => test.probability, [0.5, FLAT_BY_FRAMES.confident]);
const moireOf = ({ test }: Row): number | undefined =>
  test.evidence.blocks > 0 ? test.evidence.waves_differ : undefined;
const shown = of('display', 'display in a room');
const honest = [...hand, ...of('photographic print', 'deep')];
const moire = rates(shown, honest, moireOf, [LEAST_DIFFER]);
const summarize = (name: string, { answered, pairs, auc, found_at_1, fixed }: Rates): void => {
  report.print(
    `\n${name}: answered ${answered.flat} of ${pairs.flat} and ${answered.deep} of ${pairs.deep}; AUC ${percent(auc)}, found at 1% ${percent(found_at_1)}`,
  );
  for (const [threshold, rate] of Object.entries(fixed))
    report.print(
      `  at ${threshold}: found ${percent(rate.found)} (at least ${percent(rate.found_lower)}), wrong ${rate.wrong} of ${rate.wrong_of} (at most ${percent(rate.wrong_upper)})`,
    );
};
summarize('Flat pairs against real hand-held ones', parallax);
summarize('Moire that moves wrongly, displays against what is none', moire);
if (airborne.size > 0)
  summarize(
    'Flat pairs against pairs from the air',
    rates(flat, of(...airborne), ({ test }) => test.probability, [0.5, FLAT_BY_FRAMES.confident]),
  );

report.print('\n| moire by kind | pairs | compared | found | most blocks that differ |\n|---|---|---|---|---|');
const moireLine = (name: string, list: Row[]): void => {
  const differing = list.flatMap(row => moireOf(row) ?? []);
  const found = differing.filter(blocks => blocks >= LEAST_DIFFER).length;
  const most = Math.max(0, ...differing);
  if (list.length > 0) report.print(`| ${name} | ${list.length} | ${differing.length} | ${found} | ${most} |`);
};
for (const layout of [...new Set(shown.map(row => row.layout ?? ''))].sort())
  moireLine(
    `display, ${layout}`,
    shown.filter(row => row.layout === layout),
  );
for (const [low, high] of [
  [0.7, 1],
  [1, 1.5],
  [1.5, 2],
  [2, 3],
] as const)
  moireLine(
    `display, ${low} to ${high} camera pixels a display pixel`,
    shown.filter(({ scale = 0 }) => scale >= low && scale < high),
  );
for (const group of groups.filter(name => !name.startsWith('display'))) moireLine(group, of(group));

report.print('\nReal hand-held pairs called flat:');
for (const { name, test } of hand.filter(({ test }) => test.answer === 'flat'))
  report.print(`  ${name}: ${test.probability?.toFixed(3)} ${JSON.stringify(test.evidence)}`);

const sorted = (values: number[]): number[] => values.sort((a, b) => a - b);
const at = (values: number[], share: number): number =>
  Math.round(values[Math.floor(share * (values.length - 1))] ?? 0);
const [wall, cpu] = [sorted(rows.map(({ ms }) => ms)), sorted(rows.map(({ cpu_ms }) => cpu_ms))];
const time = { ms_p50: at(wall, 0.5), ms_p95: at(wall, 0.95), cpu_ms_p50: at(cpu, 0.5), cpu_ms_p95: at(cpu, 0.95) };
report.print(`\nA pair: ${JSON.stringify(time)}`);
report.write(options.write);
if (options.json) writeFileSync(options.json, `${JSON.stringify({ split, parallax, moire, time, rows }, null, 2)}\n`);

if (options.gate) {
  const right = count(flat, 'flat') + count(of('deep'), 'deep');
  const answered = scores(flat).length + scores(of('deep')).length;
  if (answered === 0 || right < GATE * answered) {
    console.error(`${right} of ${answered} simulated pairs with an answer are told right; at least ${GATE} should be`);
    process.exitCode = 1;
  }
}
