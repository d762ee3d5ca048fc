import { isFlatStep } from '@firsthand/contract/capture/flat-steps.ts';
import { minLongSideOf } from '@firsthand/contract/capture/sizes.ts';
import type { Attributes } from '@firsthand/contract/capture/step-attributes.ts';
import { isPictureStep, type PictureStep, type Step } from '@firsthand/contract/capture/steps.ts';
import type { Config, StepState } from '@firsthand/contract/verification/verification.ts';

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
  attributes: Attributes = undefined,
): StepState[] =>
  steps.map(step =>
    isPictureStep(step)
      ? {
          key: step.key,
          type: step.type,
          captured: held[step.key] ?? 0,
          remaining: Math.max(0, step.max - (held[step.key] ?? 0)),
          ...leastSizeOf(attributes, step.key),
          ...(isFlatStep(attributes, step.key) ? { motion_frame: false as const } : {}),
        }
      : { key: step.key, type: 'text', answered: answered.has(step.key) },
  );

function leastSizeOf(attributes: Attributes, key: string): { min_long_side?: number } {
  const min_long_side = minLongSideOf(attributes, key);
  return min_long_side === undefined ? {} : { min_long_side };
}

/** The signals that are asked of the photos of one step: `depth` not where they show flat things. */
export const signalsAsked = (
  { signals_required, context }: Pick<Config, 'signals_required' | 'context'>,
  stepKey: string,
): Config['signals_required'] =>
  isFlatStep(context?.attributes, stepKey) ? signals_required.filter(name => name !== 'depth') : signals_required;
