import { readFile } from 'node:fs/promises';
import type { Band } from '@firsthand/contract/verification/signals.ts';
import { asHigh, LEAST_GENUINE } from '../odds.ts';
import type { AiResult } from './assess.ts';
import { ModelFault } from './manifest.ts';
import { type AiModel, loadModel } from './model.ts';

/** A model's scores on pictures that the operator knows to be genuine. */
export interface Calibration {
  format: 'firsthand-calibration/1';
  model_sha256: string;
  /** Scores of the genuine pictures, ascending. */
  scores: number[];
}

/** Accepted share of genuine pictures with a doubtful result, and with a failed one. */
export const DOUBTFUL_RATE = 0.01;
export const CONFIDENT_RATE = 0.001;

/** @throws RangeError for fewer than {@link LEAST_GENUINE} scores, or for a score outside 0..1. */
export function calibrate(model: Pick<AiModel, 'sha256'>, scores: readonly number[]): Calibration {
  if (scores.length < LEAST_GENUINE)
    throw new RangeError(`${scores.length} genuine pictures are too few: a rate of 1% takes at least ${LEAST_GENUINE}`);
  if (scores.some(score => !(score >= 0 && score <= 1))) throw new RangeError('a score is a number from 0 to 1');
  return { format: 'firsthand-calibration/1', model_sha256: model.sha256, scores: scores.toSorted((a, b) => a - b) };
}

/**
 * Conformal p-value (Vovk; split conformal): how often a genuine picture of the operator's kind scores at least this high. Valid for any
 * model, as long as the calibration pictures resemble future ones.
 */
export const pValue = ({ scores }: Pick<Calibration, 'scores'>, score: number): number =>
  (1 + asHigh(scores, score)) / (scores.length + 1);

/** A model's name beside its calibration. */
export interface Calibrated {
  model: { name: string };
  calibration: Calibration;
}

export interface CalibratedModel extends Calibrated {
  model: AiModel;
}

/** Returns the path of a manifest's calibration. */
export const calibrationPath = (manifestPath: string): string =>
  manifestPath.replace(/(\.json)?$/, '.calibration.json');

/** @throws ModelFault when the calibration is missing or broken. */
export async function loadCalibration(manifestPath: string): Promise<Calibration> {
  const path = calibrationPath(manifestPath);
  let calibration: Calibration;
  try {
    calibration = JSON.parse(await readFile(path, 'utf8')) as Calibration;
  } catch {
    throw new ModelFault(
      `${path}: there is no readable calibration; run: firsthand calibrate FOLDER --model ${manifestPath}`,
    );
  }
  if (
    calibration.format !== 'firsthand-calibration/1' ||
    !Array.isArray(calibration.scores) ||
    calibration.scores.length < LEAST_GENUINE
  )
    throw new ModelFault(`${path}: not a calibration`);
  return calibration;
}

/** @throws ModelFault unless the calibration was made for the model with this SHA-256. */
export function mustFit(calibration: Calibration, sha256: string, manifestPath: string): void {
  if (calibration.model_sha256 !== sha256)
    throw new ModelFault(`${calibrationPath(manifestPath)}: was made for another model; calibrate again`);
}

/** @throws ModelFault when the model or its calibration is missing or broken, or the calibration belongs to another model. */
export async function loadCalibrated(manifestPath: string): Promise<CalibratedModel> {
  const model = await loadModel(manifestPath);
  const calibration = await loadCalibration(manifestPath);
  mustFit(calibration, model.sha256, manifestPath);
  return { model, calibration };
}

/**
 * Combines a calibrated model's score with the provenance result. A generator's mark, or a trusted chain that starts at a camera, stays as
 * it is. An unknown origin becomes `likely_ai` when fewer than 1% of genuine pictures score as high. If such a score contradicts a live
 * capture with a passed attestation, the origin becomes unknown and a person must decide.
 */
export function withModel(found: AiResult, o: Calibrated, score: number): AiResult {
  const { model, calibration } = o;
  const { scores } = calibration;
  const calibrated = { model: model.name, score, genuine: scores.length, as_high: asHigh(scores, score) };
  const result = { ...found, calibrated };
  const p = pValue(calibration, score);
  const value = `score ${score.toFixed(3)}, p ${p.toPrecision(2)} among ${calibration.scores.length} genuine pictures`;
  const evidence = [...result.evidence, { source: 'model', field: model.name, value }];
  if (p > DOUBTFUL_RATE || result.label === 'likely_ai') return { ...result, evidence };
  if (result.label === 'likely_human') {
    return result.vouched === 'captured'
      ? { ...result, evidence }
      : { ...result, label: 'unknown', confidence: 0, band: 'clear', evidence };
  }
  const band: Band = p <= CONFIDENT_RATE ? 'confident' : 'doubtful';
  return { ...result, label: 'likely_ai', confidence: 1 - p, band, found_by: 'model', evidence };
}
