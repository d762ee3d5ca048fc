import { asHigh, logistic } from '../odds.ts';
import type { Picture } from '../pixels/picture.ts';
import { round } from '../pixels/round.ts';
import type { AiResult } from './assess.ts';
import { genuineGenerated } from './genuine.ts';
import { logOddsOfGenerated } from './patches.ts';

const { model, threshold, log_odds } = genuineGenerated;
const SCORES = log_odds.map(scoreOf);

function scoreOf(logOdds: number): number {
  return round(logistic(logOdds));
}

/**
 * Looks at the pixels of a picture for whose origin neither a mark nor a signer speaks. A score that one genuine picture in 200 reaches makes it doubtful, never more:
 * a person must look.
 */
export function withBuiltInModel(found: AiResult, picture: Picture): AiResult {
  if (found.label !== 'unknown') return found;
  const logOdds = logOddsOfGenerated(picture);
  if (logOdds === undefined) return found;
  const score = scoreOf(logOdds);
  const calibrated = { model, score, genuine: SCORES.length, as_high: asHigh(SCORES, score) };
  const value = `score ${score}, reached by ${calibrated.as_high} of ${SCORES.length} genuine pictures`;
  const evidence = [...found.evidence, { source: 'model', field: model, value }];
  const result = { ...found, calibrated, evidence };
  if (logOdds < threshold) return result;
  return { ...result, label: 'likely_ai', confidence: score, band: 'doubtful', found_by: 'model' };
}
