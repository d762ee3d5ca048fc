import { minLongSideOf } from '@firsthand/contract/sizes.ts';
import { isPictureStep, type PictureStep, type Step, type TextStep } from '@firsthand/contract/steps.ts';
import type { StepState } from '@firsthand/contract/verification.ts';

/** How many captures each step holds, by key. */
export type Held = Readonly<Record<string, number>>;

export type Slot = { step: PictureStep } | { fault: 'unknown_step' | 'step_full' };

/**
 * Picks the step that a capture fills. A named step may be an image or an upload step. Without a name, it is the first
 * image step with room, never an upload step.
 */
export function pickSlot(steps: readonly Step[], held: Held, stepKey: string | undefined): Slot {
  const hasRoom = (step: PictureStep) => (held[step.key] ?? 0) < step.max;
  if (stepKey === undefined) {
    const step = steps.find((candidate): candidate is PictureStep => candidate.type === 'image' && hasRoom(candidate));
    return step ? { step } : { fault: 'step_full' };
  }
  const step = steps.find(candidate => candidate.key === stepKey);
  if (!step || !isPictureStep(step)) return { fault: 'unknown_step' };
  return hasRoom(step) ? { step } : { fault: 'step_full' };
}

/**
 * True when every picture step has its `min`, every required text step has its answer, and there is at least one
 * capture.
 */
export function requirementsMet(steps: readonly Step[], held: Held, answered: ReadonlySet<string>): boolean {
  if (!Object.values(held).some(count => count > 0)) return false;
  return steps.every(step =>
    isPictureStep(step) ? (held[step.key] ?? 0) >= step.min : !step.required || answered.has(step.key),
  );
}

export const stepStates = (
  steps: readonly Step[],
  held: Held,
  answered: ReadonlySet<string>,
  attributes: Parameters<typeof minLongSideOf>[0] = undefined,
): StepState[] =>
  steps.map(step =>
    isPictureStep(step)
      ? {
          key: step.key,
          type: step.type,
          captured: held[step.key] ?? 0,
          remaining: Math.max(0, step.max - (held[step.key] ?? 0)),
          ...leastSizeOf(attributes, step.key),
        }
      : { key: step.key, type: 'text', answered: answered.has(step.key) },
  );

function leastSizeOf(attributes: Parameters<typeof minLongSideOf>[0], key: string): { min_long_side?: number } {
  const min_long_side = minLongSideOf(attributes, key);
  return min_long_side === undefined ? {} : { min_long_side };
}

const FORMATS = { numeric_id: /^[0-9]+$/, alphanumeric_id: /^[\p{L}0-9-]+$/u } as const;

/** Describes what is wrong with an answer, or returns null. Lengths count Unicode code points, as JSON Schema does. */
export function answerFault(step: TextStep, value: string): string | null {
  const length = [...value].length;
  const { min_length = 0, max_length, format } = step.validation;
  if (length < min_length) return `must have at least ${min_length} characters`;
  if (length > max_length) return `must have at most ${max_length} characters`;
  if (format === 'numeric_id' && !FORMATS.numeric_id.test(value)) return 'must hold digits only';
  if (format === 'alphanumeric_id' && !FORMATS.alphanumeric_id.test(value)) {
    return 'must hold letters, digits and hyphens only';
  }
  return null;
}
