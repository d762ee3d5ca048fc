import type { Config, ContextCheck } from '@firsthand/contract/verification/verification.ts';
import { type Static, Type } from 'typebox';
import { bounded } from '../../platform/lib/text.ts';
import type { Vision } from '../../platform/vision/client.ts';
import { PROMPTS } from '../../platform/vision/prompt.ts';
import { scaled } from './vision-check.ts';

const ContextAnswer = Type.Object({
  reasoning: Type.String({ maxLength: 4_000 }),
  plausible: Type.Enum(['yes', 'no', 'unclear']),
  confidence: Type.Integer({ minimum: 0, maximum: 100 }),
  instructions_found: Type.Boolean(),
});
type ContextAnswer = Static<typeof ContextAnswer>;

/** A "no" at least this sure makes the model look a second time. */
const DOUBTFUL = 0.7;
/**
 * Both looks must be at least this sure. A vision model's confidence is not calibrated, so one look never makes a
 * fraud.
 */
const CONFIDENT = 0.9;
/** High enough that the second look can come out differently. */
const SECOND_TEMPERATURE = 0.7;

/**
 * Checks whether a capture plausibly shows the declared case. Resolves within the time budget, whatever the model does.
 * Without an answer the check is not evaluated and trips nothing.
 */
export async function checkContext(
  vision: Vision,
  context: NonNullable<Config['context']>,
  preview: Uint8Array,
  o: { account: string; signal?: AbortSignal },
): Promise<ContextCheck> {
  const until = performance.now() + vision.config.contextBudgetMs;
  const picture = await scaled(preview, vision.config.imageSide);
  if (!picture) return { evaluated: false, no_answer: 'too_small' };
  const look = (temperature?: number) =>
    vision.ask({
      purpose: 'context',
      schema: ContextAnswer,
      data: { context },
      pictures: [picture],
      budgetMs: until - performance.now(),
      ...o,
      ...(temperature === undefined ? {} : { temperature }),
    });
  const first = await look();
  if ('noAnswer' in first) return { evaluated: false, no_answer: first.noAnswer };
  const second = mismatchOf(first.answer) >= DOUBTFUL ? await look(SECOND_TEMPERATURE) : null;
  const judged = judgeContext(first.answer, second && 'answer' in second ? second.answer : null);
  return { ...judged, model: bounded(`${vision.config.model}, context.${PROMPTS.context}`, 200) };
}

/** How sure an answer is of a mismatch. */
const mismatchOf = (answer: ContextAnswer): number => (answer.plausible === 'no' ? answer.confidence / 100 : 0);

/** The least probability of a mismatch where the picture tells the model what to answer: it has something to hide, or it is a poster. */
const INSTRUCTED = 0.5;

/**
 * `confident` when two looks agree and both are sure; `doubtful` when their average is a mismatch; else `clear`. Instructions in the
 * picture are a doubt, whatever the model answered: an answer that somebody dictated supports nothing.
 */
export function judgeContext(first: ContextAnswer, second: ContextAnswer | null): ContextCheck {
  const looks = [first, ...(second ? [second] : [])].map(mismatchOf);
  const instructed = first.instructions_found || (second?.instructions_found ?? false);
  const average = looks.reduce((sum, value) => sum + value, 0) / looks.length;
  const probability = instructed ? Math.max(INSTRUCTED, average) : average;
  const confident = !instructed && looks.length > 1 && looks.every(value => value >= CONFIDENT);
  return {
    evaluated: true,
    band: confident ? 'confident' : instructed || probability >= DOUBTFUL ? 'doubtful' : 'clear',
    plausible: first.plausible,
    probability: Math.round(probability * 1_000) / 1_000,
    reasoning: bounded(first.reasoning, 1_000),
    instructions_found: instructed,
  };
}
