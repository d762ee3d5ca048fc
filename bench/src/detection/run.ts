/**
 * Measures the screen detector and its robustness on pictures of unseen sources, per source and pooled:
 *
 * npm run bench:detection -- --data FOLDER [--repositories FOLDER [--displays | --genuine | --held | --confounders | --further | --next]] [--unaltered | --forms A,B ...] [--workers 1] [--measured
 * FILE.jsonl] [--json OUT] [--scores OUT.tsv] [--write FILE] [--baseline FILE] [--kept-apart SUMS]
 *
 * FOLDER of `--data` holds MANIFEST.tsv (class, path, repository ...): `camera` against `screen`. `--repositories` adds the pictures that
 * `research/screen/sets.tsv.gz` lists by repository, commit and path, from clones at FOLDER/OWNER/NAME. With `--displays`, `--genuine`, `--held`,
 * `--confounders`, `--further` or `--next` it scores only those pictures, which no fit has seen. Each source is scored by the model that was fitted without it
 * (folds.generated.json), unseen ones by the published model. Senders found later (`develop`) are pooled separately. `--unaltered` leaves
 * the altered copies out, `--forms` scores some of `FORMS`. Fetches nothing.
 * `--measured` reads features that `research/screen/measure.ts` wrote and measures the rest. `--scores` writes one line per
 * picture, for `people.ts`. With a baseline, fails when a number drops by more than noise. `--kept-apart` (or KEPT_APART) names a file of SHA-256 sums of
 * pictures that must not be measured here, nor any other of their repositories: with one among those to be read, nothing is.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { screenModel } from '@firsthand/forensics/screen/detect.ts';
import type { Features } from '@firsthand/forensics/screen/feature-values.ts';
import { type Model, predict } from '@firsthand/forensics/screen/model.ts';
import { createReport, optionsOf } from '../report.ts';
import { inWorkers } from './in-workers.ts';
import { refuseKeptApart } from './kept-apart.ts';
import type { Measured, MeasureTask } from './measure-worker.ts';
import { type Baseline, type Row, regressions, share } from './regressions.ts';
import { type LabelledPicture, listedPictures, listedSnapshots, manifestPictures, type Use } from './sets.ts';
import { areaUnderCurve, calibrationError, foundAt, upperBound } from './statistics.ts';
import { FORMS } from './vary.ts';

const options = optionsOf({
  data: process.env.FIRSTHAND_DATA,
  repositories: undefined,
  displays: false,
  genuine: false,
  held: false,
  confounders: false,
  further: false,
  next: false,
  unaltered: false,
  forms: undefined,
  workers: '1',
  measured: undefined,
  json: undefined,
  scores: undefined,
  baseline: undefined,
  'kept-apart': process.env.KEPT_APART,
});

/** Options that score pictures which no fit has seen, and their uses. */
const UNSEEN = [
  ['displays', 'display-held'],
  ['genuine', 'genuine-held'],
  ['held', 'held'],
  ['confounders', 'confounder'],
  ['further', 'further-held'],
  ['next', 'next'],
] as const satisfies [string, Use][];
const unseen = UNSEEN.find(([option]) => options[option])?.[1];
const baseline: Baseline | undefined = options.baseline && JSON.parse(readFileSync(options.baseline, 'utf8'));
/** The forms of each picture to score; the first is the picture as it is. With a baseline, its forms. */
const VARIANTS = options.unaltered ? ['orig'] : (baseline?.forms ?? options.forms?.split(',') ?? FORMS);

const REPORTED = ['report', 'develop'] as const;

function readItems(): LabelledPicture[] {
  const { data, repositories } = options;
  if (unseen) return repositories ? listedPictures(repositories, unseen) : [];
  return [
    ...(data ? manifestPictures(data) : []),
    ...(repositories ? REPORTED.flatMap(use => listedPictures(repositories, use)) : []),
  ];
}

/** Reads features by name and variant from a file that `measure.ts` wrote. */
function readMeasured(): Map<string, Features> {
  const lines = options.measured ? readFileSync(options.measured, 'utf8').trim().split('\n') : [];
  const rows = lines.map((line): { name: string; v: string; f: Features } => JSON.parse(line));
  return new Map(rows.map(({ name, v, f }) => [`${name}\t${v}`, f]));
}

/** Measures on `workers` threads what `known` lacks of the items' forms. */
async function measureItems(
  items: LabelledPicture[],
  known: Map<string, Features>,
  workers: number,
): Promise<Measured[]> {
  const knownOf = ({ name }: LabelledPicture, form: string) => known.get(`${name}\t${form}`);
  function* tasks(): Generator<MeasureTask> {
    for (const [index, item] of items.entries()) {
      const forms = VARIANTS.filter(form => !knownOf(item, form));
      yield { bytes: forms.length > 0 ? item.read() : new Uint8Array(), index, forms };
    }
  }
  const url = new URL('./measure-worker.ts', import.meta.url);
  const measured = await inWorkers<MeasureTask, Measured>(url, tasks(), workers, done =>
    process.stderr.write(`\r${done} of ${items.length} pictures`),
  );
  return items.map(
    (item, index) => new Map(VARIANTS.map(form => [form, knownOf(item, form) ?? measured[index]!.get(form)])),
  );
}

/** Returns the probability by form, undefined without an answer. The benchmark leaves out a file that no decoder takes as it is. */
function scoreItem(measured: Measured, model: Model): Pick<Scored, 'scores' | 'longSide'> | undefined {
  if (measured.get('orig') === 'unreadable') return undefined;
  const answered = [...measured.values()].map(features => (features === 'unreadable' ? undefined : features));
  return { scores: answered.map(features => features && predict(model, features)), longSide: answered[0]?.long_side };
}

/** Models that were each fitted without a group of sources, and the group of each source. */
const folds: { models: Model[]; groups: Record<string, number> } = JSON.parse(
  readFileSync(new URL('./folds.generated.json', import.meta.url), 'utf8'),
);
/** Returns the model that was fitted without a source. */
const modelWithout = (source: string): Model | undefined => folds.models[folds.groups[source] ?? -1];
/** Thresholds of the models that score. Those fitted without a group lack the network of the appearance, so they have their own. */
const { thresholds } = unseen ? screenModel : (folds.models[0] ?? screenModel);

interface Scored {
  item: LabelledPicture;
  scores: (number | undefined)[];
  /** Of the picture in the first form, in pixels. */
  longSide: number | undefined;
}

function summarize(name: string, scored: Scored[], variant: number): Row {
  const answered = scored.filter(({ scores }) => scores[variant] !== undefined);
  const of = (label: number): number[] =>
    answered.filter(({ item }) => item.label === label).map(({ scores }) => scores[variant] ?? 0);
  const [positives, negatives] = [of(1), of(0)];
  const row: Row = {
    name,
    positives: positives.length,
    negatives: negatives.length,
    coverage: scored.length > 0 ? answered.length / scored.length : 0,
    apcer: {},
    bpcer: {},
    bpcer_upper: {},
  };
  if (positives.length > 0 && negatives.length > 0) {
    row.auc = areaUnderCurve(positives, negatives);
    row.found_at_1 = foundAt(positives, negatives, 0.01);
    row.found_at_5 = foundAt(positives, negatives, 0.05);
    row.calibration_error = calibrationError(positives, negatives);
  }
  for (const band of ['doubtful', 'confident'] as const) {
    const threshold = thresholds[band];
    if (positives.length > 0) row.apcer[band] = positives.filter(p => p < threshold).length / positives.length;
    if (negatives.length > 0) {
      const wrong = negatives.filter(p => p >= threshold).length;
      row.bpcer[band] = wrong / negatives.length;
      row.bpcer_upper[band] = upperBound(wrong, negatives.length);
    }
  }
  return row;
}

function table(rows: Row[]): string {
  const lines = rows.map(row =>
    [
      row.name,
      `${row.positives} / ${row.negatives}`,
      share(row.auc, 3),
      share(row.found_at_1),
      share(row.found_at_5),
      share(row.calibration_error, 3),
      share(row.coverage),
      `${share(row.apcer.doubtful)} / ${share(row.apcer.confident)}`,
      `${share(row.bpcer.doubtful, 3)} / ${share(row.bpcer.confident, 3)}`,
      `${share(row.bpcer_upper.doubtful, 3)} / ${share(row.bpcer_upper.confident, 3)}`,
    ].join(' | '),
  );
  const heads = [
    '',
    'displays / genuine',
    'AUC',
    'TPR at 1%',
    'at 5%',
    'ECE',
    'coverage',
    'APCER',
    'BPCER',
    '95% bound',
  ];
  return (
    [heads, heads.map(() => '---')].map(cells => `| ${cells.join(' | ')} |`).join('\n') +
    lines.map(line => `\n| ${line} |`).join('')
  );
}

const items = readItems();
if (items.length === 0) {
  console.log(
    'No pictures: --data names a folder with MANIFEST.tsv (or FIRSTHAND_DATA), --repositories one of clones. Nothing measured.',
  );
  process.exit(0);
}
if (options['kept-apart']) {
  const single = items.filter(({ use }) => !use);
  const uses: readonly Use[] = unseen ? [unseen] : REPORTED;
  const snapshots = options.repositories ? uses.flatMap(listedSnapshots) : [];
  refuseKeptApart(options['kept-apart'], single, options.repositories, snapshots);
}
const unfitted = items.find(({ source }) => !unseen && !modelWithout(source));
if (unfitted) throw new Error(`${unfitted.name}: no model was fitted without ${unfitted.source}`);
const known = readMeasured();
const measured = await measureItems(items, known, Number(options.workers));
const scored: Scored[] = items.flatMap((item, index) => {
  const found = scoreItem(measured[index]!, (unseen ? undefined : modelWithout(item.source)) ?? screenModel);
  return found ? [{ item, ...found }] : [];
});

const sources = [...new Set(scored.map(({ item }) => item.source))].sort();
const perSource = sources.map(source =>
  summarize(
    source,
    scored.filter(({ item }) => item.source === source),
    0,
  ),
);
const pool = (name: string, of: Scored[]): Row[] =>
  of.length > 0
    ? VARIANTS.map((variant, index) => summarize(variant === 'orig' ? name : `${name}, ${variant}`, of, index))
    : [];
const later = ({ item }: Scored): boolean => item.use === 'develop';
const pooled = [
  ...pool(
    'pooled',
    scored.filter(one => !later(one)),
  ),
  ...pool('found later, pooled', scored.filter(later)),
];
const report = createReport('Photos of screens, one still');
report.print(`Model ${screenModel.name}; thresholds ${JSON.stringify(thresholds)}\n`);
report.print(table([...perSource, ...pooled]));
report.write(options.write);

const rows = [...perSource, ...pooled];
if (options.json)
  writeFileSync(
    options.json,
    `${JSON.stringify({ model: screenModel.name, thresholds: screenModel.thresholds, forms: VARIANTS, rows }, null, 2)}\n`,
  );
if (options.scores) {
  const header = ['label', 'source', 'name', 'long_side', ...VARIANTS].join('\t');
  const rest = scored.map(({ item, scores, longSide }) =>
    [item.label, item.source, item.name, longSide ?? '', ...scores.map(score => score?.toFixed(5) ?? '')].join('\t'),
  );
  writeFileSync(options.scores, `${[header, ...rest].join('\n')}\n`);
}
if (baseline) {
  const faults = regressions(rows, baseline.rows);
  for (const fault of faults) console.error(`worse than the baseline: ${fault}`);
  if (faults.length > 0) process.exit(1);
  console.log('\nNothing fell below the baseline.');
}
