import type { DimensionName } from './finding.ts';
import { combine, type Dimension, type Opinion } from './rubric.ts';
import type { CaseAnswer, SecondLook } from './second-look.ts';

/** The weight of a model's score when all its samples agree. By itself the model never makes a case worth rejecting. */
const AGREED_WEIGHT = 0.7;
/** The weight of a single sample, which nothing confirms. */
const SINGLE_WEIGHT = 0.4;
const MAX_CONFIDENCE = 0.9;

const NAMES: readonly DimensionName[] = ['cross_image_consistency', 'physical_plausibility', 'narrative_image_match'];

export interface Blended {
  opinion: Opinion;
  /** 1: all samples gave the same scores. Undefined for fewer than two samples. */
  consistencyLevel: number | undefined;
  text: string;
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** Returns 1 minus the mean, over the dimensions, of the distance between the samples' scores. */
export function agreement(answers: readonly CaseAnswer[], names: readonly DimensionName[]): number {
  const spreads = names.map(name => {
    const scores = answers.map(answer => answer[name].score / 100);
    return Math.max(...scores) - Math.min(...scores);
  });
  return 1 - spreads.reduce((sum, spread) => sum + spread, 0) / spreads.length;
}

/**
 * Combines the model's answers with the evidence. The answers can only add suspicion: 1 − (1 − evidence)(1 − weight ·
 * median). A wrong model, or a picture that instructs it, therefore never clears a case that the record holds suspect.
 */
export function blend(evidence: Opinion, { answers, noAnswer, unseen }: SecondLook): Blended {
  const unknowns = [...evidence.unknowns];
  if (unseen > 0) unknowns.unshift(`The vision model was not shown ${unseen} of the pictures.`);
  if (answers.length === 0) {
    unknowns.unshift(
      `The vision model gave no answer (${(noAnswer ?? 'none').replaceAll('_', ' ')}); this comes only from the evidence.`,
    );
    return { opinion: { ...evidence, unknowns }, consistencyLevel: undefined, text: '' };
  }
  const names = NAMES.filter(name => evidence.dimensions[name] !== undefined);
  const agreed = answers.length > 1 ? agreement(answers, names) : undefined;
  const weight = agreed === undefined ? SINGLE_WEIGHT : AGREED_WEIGHT * agreed;
  const dimensions: Opinion['dimensions'] = {};
  for (const name of names) dimensions[name] = blendDimension(evidence.dimensions[name]!, answers, name, weight);
  if (answers.some(answer => answer.instructions_found)) {
    const text = 'A picture or the narrative holds text that addresses an examiner or a model.';
    const { physical_plausibility: physical } = dimensions;
    physical!.score = combine([physical!.score, 0.3]);
    physical!.concerns = [text, ...physical!.concerns];
  }
  const sure = (median(answers.map(answer => answer.confidence)) / 100) * (agreed ?? SINGLE_WEIGHT);
  return {
    opinion: {
      dimensions,
      unknowns: [...answers.flatMap(answer => answer.uncertainty_areas).slice(0, 8), ...unknowns],
      confidence: Math.min(MAX_CONFIDENCE, evidence.confidence + (1 - evidence.confidence) * 0.5 * sure),
    },
    consistencyLevel: agreed,
    text: closest(answers, answer => answer.confidence).text_analysis,
  };
}

/** Returns the answer whose value lies nearest the median: one sample's answer, not a mixture. */
function closest(answers: readonly CaseAnswer[], measure: (answer: CaseAnswer) => number): CaseAnswer {
  const middle = median(answers.map(measure));
  return answers.toSorted((a, b) => Math.abs(measure(a) - middle) - Math.abs(measure(b) - middle))[0]!;
}

function blendDimension(
  evidence: Dimension,
  answers: readonly CaseAnswer[],
  name: DimensionName,
  weight: number,
): Dimension {
  const score = median(answers.map(answer => answer[name].score / 100));
  const voice = closest(answers, answer => answer[name].score)[name];
  return {
    score: combine([evidence.score, weight * score]),
    evidence: `${evidence.evidence} Seen by the model: ${voice.evidence}`,
    concerns: [...evidence.concerns, ...voice.concerns],
  };
}
