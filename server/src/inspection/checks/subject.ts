import type { Condition, ObjectMatch } from '@firsthand/contract/verification/verification.ts';
import { type Static, Type } from 'typebox';
import { transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { bounded } from '../../platform/lib/text.ts';
import type { Vision } from '../../platform/vision/client.ts';
import { settle } from '../../verification/verdict/settle.ts';
import { openForLateCheck } from '../../verification/verifications/reviews.ts';
import {
  capturesOf,
  findVerification,
  lockVerification,
  type VerificationRow,
} from '../../verification/verifications/row.ts';
import { noteInstructions, storeChecks } from '../../verification/verifications/write.ts';
import { picturesForModel } from './vision-check.ts';

export const ObjectAnswer = Type.Object({
  reasoning: Type.String({ maxLength: 4_000 }),
  visible: Type.Enum(['yes', 'no', 'unclear']),
  confidence: Type.Integer({ minimum: 0, maximum: 100 }),
  instructions_found: Type.Boolean(),
});

export const ConditionAnswer = Type.Object({
  aspects: Type.Array(
    Type.Object({
      aspect: Type.Integer({ minimum: 1 }),
      assessable: Type.Boolean(),
      score: Type.Number({ minimum: 0, maximum: 10 }),
      reasoning: Type.String({ maxLength: 4_000 }),
    }),
    { maxItems: 50 },
  ),
  instructions_found: Type.Boolean(),
});

/** An answer less sure than this determines nothing. */
const SURE = 60;

/**
 * Converts the answer to the interface's three words. A doubtful answer determines nothing. Instructions in the picture
 * can make no match: the check notes them, and people look.
 */
export function judgeObject(answer: Static<typeof ObjectAnswer> | null, expected: string): ObjectMatch {
  const sure = answer !== null && answer.confidence >= SURE ? answer.visible : 'unclear';
  const matches = sure === 'yes' && !answer!.instructions_found;
  const status = matches ? 'match' : sure === 'no' ? 'mismatch' : 'inconclusive';
  return { status, expected_object: expected };
}

/** Describes what is wrong with a list of scores beyond its shape: it needs exactly one score for each aspect. */
export function conditionFault(answer: Static<typeof ConditionAnswer>, aspects: readonly string[]): string | null {
  const numbers = answer.aspects.map(({ aspect }) => aspect).sort((a, b) => a - b);
  const right = numbers.length === aspects.length && numbers.every((number, index) => number === index + 1);
  return right ? null : `aspects must have exactly one entry for each of the numbers 1 to ${aspects.length}.`;
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

/**
 * Converts scores to the interface's shape. We compute the average and the label (good from 7.5, fair from 5). Aspects
 * that the pictures do not show are left out. Null when they show none, or when the pictures contain instructions to
 * the model: the check notes them, and people look.
 */
export function judgeCondition(
  answer: Static<typeof ConditionAnswer> | null,
  aspects: readonly string[],
): Condition | null {
  if (!answer || answer.instructions_found) return null;
  const seen = answer.aspects
    .filter(({ assessable }) => assessable)
    .toSorted((a, b) => a.aspect - b.aspect)
    .map(({ aspect, score, reasoning }) => ({
      name: aspects[aspect - 1]!,
      score: tenths(score),
      reasoning: bounded(reasoning, 1_000),
    }));
  if (seen.length === 0) return null;
  const score = tenths(seen.reduce((sum, aspect) => sum + aspect.score, 0) / seen.length);
  return { score, label: score >= 7.5 ? 'good' : score >= 5 ? 'fair' : 'poor', aspects: seen };
}

export interface Expectation {
  expectedObject: string | undefined;
  conditionAspects: readonly string[] | undefined;
}

/** Asks the model about object and condition at the same time. An unanswered question is null. */
export async function askAboutSubject(
  vision: Vision,
  { expectedObject, conditionAspects }: Expectation,
  pictures: readonly Uint8Array[],
  o: { account: string; signal?: AbortSignal },
) {
  const common = { pictures, budgetMs: vision.config.answerBudgetMs, ...o };
  const [object, condition] = await Promise.all([
    expectedObject === undefined || pictures.length === 0
      ? null
      : vision.ask({ ...common, purpose: 'object', schema: ObjectAnswer, data: { expected_object: expectedObject } }),
    conditionAspects === undefined || pictures.length === 0
      ? null
      : vision.ask({
          ...common,
          purpose: 'condition',
          schema: ConditionAnswer,
          data: { aspects: conditionAspects.map((name, index) => ({ aspect: index + 1, name })) },
          fault: answer => conditionFault(answer, conditionAspects),
        }),
  ]);
  const found = { object, condition };
  return {
    /** The questions in which the model found instructions in a picture. */
    instructed: (['object', 'condition'] as const).filter(name => {
      const one = found[name];
      return one !== null && 'answer' in one && one.answer.instructions_found;
    }),
    /** Whether the model answered every question. */
    answered: [object, condition].every(one => one === null || 'answer' in one),
    object:
      expectedObject === undefined
        ? null
        : judgeObject(object && 'answer' in object ? object.answer : null, expectedObject),
    condition:
      conditionAspects === undefined
        ? null
        : judgeCondition(condition && 'answer' in condition ? condition.answer : null, conditionAspects),
  };
}

const isOpen = (row: VerificationRow): boolean =>
  row.checks_started_at !== null && row.checks_done_at === null && row.redacted_at === null;

/**
 * Job: asks the vision model about object and condition and stores the answers. The verdict then stops waiting, if it
 * still waits. Never touches the verdict's label.
 */
export async function checkSubject(deps: Deps, verificationId: string, signal: AbortSignal): Promise<void> {
  const { vision } = deps;
  const seen = await findVerification(deps.db, verificationId);
  if (!vision || !seen || !isOpen(seen)) {
    deps.log.info({ verificationId }, 'nothing to check');
    return;
  }
  const { expected_object: expectedObject, condition_aspects: conditionAspects } = seen.config;
  const shown = await picturesForModel(deps, await capturesOf(deps.db, verificationId), vision.config.imageSide);
  const pictures = shown.map(({ jpeg }) => jpeg);
  const expected = { expectedObject, conditionAspects };
  const found = await askAboutSubject(vision, expected, pictures, { account: seen.tenant_id, signal });
  if (signal.aborted) throw new Error('asked to stop before the vision model answered');
  await transaction(deps.db, async tx => {
    const row = await lockVerification(tx, verificationId);
    if (!row || !isOpen(row)) return;
    const at = deps.clock.now();
    await storeChecks(tx, row.id, { ...found, at });
    await noteInstructions(tx, row.id, found.instructed);
    await openForLateCheck(tx, row.id, at);
    await settle(tx, deps, row.id);
  });
}
