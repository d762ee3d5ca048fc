import { isFlatStep } from '@firsthand/contract/capture/flat-steps.ts';
import { minLongSideOf } from '@firsthand/contract/capture/sizes.ts';
import type { Attributes } from '@firsthand/contract/capture/step-attributes.ts';
import { isPictureStep, type PictureStep, type Step } from '@firsthand/contract/capture/steps.ts';
import { evaluated, SIGNALS, type SignalName } from '@firsthand/contract/verification/signals.ts';
import { type Chooser, chooserOf } from '@firsthand/contract/verification/unanswered.ts';
import type { Config, StepState, Verdict } from '@firsthand/contract/verification/verification.ts';
import type { CaptureRow } from './row.ts';

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

/** What a required signal says of one photo: an answer, none, or that it does not apply to an uploaded file. */
type Answered =
  | { answered: true }
  | { answered: 'not_applicable' }
  | { answered: false; reason: string | undefined; chosenBy: Chooser };

/** Returns whether a required signal answered for a photo and, if not, who chose that. */
export function answeredBy(
  name: SignalName,
  { signals, context }: Pick<CaptureRow, 'signals' | 'context'>,
  policy: Config['depth_policy'],
): Answered {
  const missing = (reason: string | undefined): Answered => ({
    answered: false,
    reason,
    chosenBy: chooserOf(name, reason, policy),
  });
  const { key } = SIGNALS.find(signal => signal.name === name)!;
  if (key === null) return context?.evaluated ? { answered: true } : missing(context?.no_answer);
  const found = signals?.[key];
  if (found?.status === 'not_applicable') return { answered: 'not_applicable' };
  return evaluated(found) ? { answered: true } : missing(found?.reason);
}

/** True for a verdict that is suspicious because a required check is missing: nothing tripped, so it has no reason. */
export const lacksCheck = (verdict: Pick<Verdict, 'label' | 'reason_code'> | null): boolean =>
  verdict?.label === 'suspicious' && verdict.reason_code === undefined;
