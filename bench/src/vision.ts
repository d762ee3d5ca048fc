// Measures how far a vision model agrees with a labelled folder, with the same questions, prompts and rules as the
// service:
//   VISION_BASE_URL=… VISION_MODEL=… node bench/src/vision.ts FOLDER
// The folder holds pictures and a labels.json; docs/vision.md describes it. Prints one JSON object.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePreview } from '@firsthand/forensics/files/decode.ts';
import { round } from '@firsthand/forensics/pixels/round.ts';
import { mean } from '@firsthand/forensics/pixels/statistics.ts';
import { askAboutSubject } from 'firsthand/inspection/checks/subject.ts';
import { scaled } from 'firsthand/inspection/checks/vision-check.ts';
import { readConfig } from 'firsthand/platform/config/config.ts';
import { loadEnvironment } from 'firsthand/platform/config/environment.ts';
import { createLog } from 'firsthand/platform/lib/log.ts';
import type { Vision } from 'firsthand/platform/vision/client.ts';
import { connectVision } from 'firsthand/platform/vision/connect.ts';
import { PROMPTS } from 'firsthand/platform/vision/prompt.ts';
import { Registry } from 'prom-client';
import { percentile } from './measure.ts';
import { type Label, readLabels } from './vision-labels.ts';

const STATUSES = ['match', 'mismatch', 'inconclusive'] as const;
type Status = (typeof STATUSES)[number];

export interface VisionReport {
  model: string;
  prompts: { object: number; condition: number };
  pictures: number;
  /** Rows: the person's answer; columns: the model's answer. */
  object?: {
    asked: number;
    agreement: number;
    /** Share of matching pictures that the model calls a mismatch, which means honest people are doubted. */
    false_mismatch: number | null;
    /** Share of mismatching pictures that the model calls a match. */
    false_match: number | null;
    /** Share of pictures for which the model gave an answer. */
    determined: number;
    confusion: Confusion;
  };
  condition?: {
    asked: number;
    answered: number;
    /** Mean of |model − person| over the answered aspects, in points of ten. */
    mean_absolute_error: number | null;
    /** Share of answered pictures for which the label (good, fair, poor) equals the person's. */
    label_agreement: number | null;
  };
  seconds: { p50: number; p95: number };
}

const share = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 1e4) / 1e4;
const labelOf = (score: number) => (score >= 7.5 ? 'good' : score >= 5 ? 'fair' : 'poor');

/** Asks the model about every labelled picture, one after another, and counts. */
export async function measureVision(vision: Vision, folder: string): Promise<VisionReport> {
  const labels = await readLabels(folder);
  const seconds: number[] = [];
  const confusion = Object.fromEntries(
    STATUSES.map(row => [row, Object.fromEntries(STATUSES.map(column => [column, 0]))]),
  ) as Confusion;
  const errors: number[] = [];
  const sameLabel: boolean[] = [];
  for (const label of labels) {
    const started = performance.now();
    const { object, condition } = await lookAt(vision, folder, label);
    seconds.push((performance.now() - started) / 1_000);
    if (label.object && object) confusion[label.object.status][object.status] += 1;
    if (!label.condition || !condition) continue;
    errors.push(...condition.aspects.map(({ name, score }) => Math.abs(score - label.condition![name]!)));
    sameLabel.push(condition.label === labelOf(mean(Object.values(label.condition))));
  }
  const conditions = labels.filter(label => label.condition).length;
  const object = objectOf(confusion);
  return {
    model: vision.config.model,
    prompts: { object: PROMPTS.object, condition: PROMPTS.condition },
    pictures: labels.length,
    ...(object.asked > 0 && { object }),
    ...(conditions > 0 && {
      condition: {
        asked: conditions,
        answered: sameLabel.length,
        mean_absolute_error: errors.length === 0 ? null : Math.round(mean(errors) * 100) / 100,
        label_agreement: share(sameLabel.filter(Boolean).length, sameLabel.length),
      },
    }),
    seconds: { p50: round(percentile(seconds, 0.5)), p95: round(percentile(seconds, 0.95)) },
  };
}

type Confusion = Record<Status, Record<Status, number>>;

function objectOf(confusion: Confusion): NonNullable<VisionReport['object']> {
  const sum = (of: (row: Status, column: Status) => boolean): number => {
    const counted = STATUSES.flatMap(row => STATUSES.map(column => (of(row, column) ? confusion[row][column] : 0)));
    return counted.reduce((total, count) => total + count, 0);
  };
  const asked = sum(() => true);
  const matching = sum(row => row === 'match');
  const mismatching = sum(row => row === 'mismatch');
  const determined = sum((_, column) => column !== 'inconclusive');
  return {
    asked,
    agreement: share(
      sum((row, column) => row === column),
      asked,
    )!,
    false_mismatch: share(confusion.match.mismatch, matching),
    false_match: share(confusion.mismatch.match, mismatching),
    determined: share(determined, asked)!,
    confusion,
  };
}

async function lookAt(vision: Vision, folder: string, label: Label) {
  const preview = await makePreview(await readFile(join(folder, label.file)));
  const picture = await scaled(preview, vision.config.imageSide);
  const expectation = {
    expectedObject: label.object?.expected,
    conditionAspects: label.condition && Object.keys(label.condition),
  };
  return askAboutSubject(vision, expectation, picture ? [picture] : [], { account: 'bench' });
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  const { vision: config } = readConfig(loadEnvironment());
  const registry = new Registry();
  if (!folder || !config) {
    console.error('usage: VISION_BASE_URL=… VISION_MODEL=… node bench/src/vision.ts FOLDER');
    process.exit(2);
  }
  const vision = connectVision(config, registry, createLog('warn', process.stderr));
  const report = await measureVision(vision, folder);
  const total = async (name: string) => {
    const values = (await registry.getSingleMetric(name)?.get())?.values ?? [];
    return values.reduce((sum, { value }) => sum + value, 0);
  };
  const spent = {
    tokens: await total('firsthand_vision_tokens_total'),
    cost: await total('firsthand_vision_cost_total'),
  };
  console.log(JSON.stringify({ ...report, ...spent }, null, 2));
}
