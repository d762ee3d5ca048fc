import { type KnownFault, known } from '@firsthand/contract/base/fault.ts';
import { faultOfAnswer as brokenRule } from '@firsthand/contract/capture/answer-rules.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import type { CaptureView, Step } from '@firsthand/sdk/capture/wire.ts';

/**
 * Where the person is. `step` is one step of the request, which manages its own camera and review. A step opened from the summary returns
 * there. `replaces` is the held capture that an accepted retake replaces.
 */
export type Place =
  | { at: 'landing' }
  | { at: 'step'; index: number; fromSummary?: boolean; replaces?: string }
  | { at: 'summary' }
  | { at: 'sending' }
  | { at: 'success' };

export type End =
  | 'expired'
  | 'withdrawn'
  | 'completed'
  | 'failed'
  | 'unknown'
  | 'revoked'
  | 'redacted'
  | 'staff'
  | 'reviewing';

/** Photos and answers on the device that have not been sent. */
export type Held = { captures: readonly { stepKey: string }[]; answers: Readonly<Record<string, string>> };

/** Counts for one step: sent, held on the device, free, and still needed. */
export type Filling = { sent: number; held: number; free: number; needed: number };

/** Returns the counts for a step. A text step has at most one answer. */
export function fillingOf(view: CaptureView, step: Step, held: Held): Filling {
  const state = view.step_states.find(candidate => candidate.key === step.key);
  if (step.type === 'text') {
    const sent = state?.type === 'text' && state.answered ? 1 : 0;
    const own = held.answers[step.key] ? 1 : 0;
    return { sent, held: own, free: 1 - Math.min(1, sent + own), needed: step.required && sent + own === 0 ? 1 : 0 };
  }
  const sent = state && state.type !== 'text' ? state.captured : 0;
  const own = held.captures.filter(capture => capture.stepKey === step.key).length;
  return { sent, held: own, free: Math.max(0, step.max - sent - own), needed: Math.max(0, step.min - sent - own) };
}

/** Pixels that a picture of this step must have on its long side; undefined where any size will do. */
export function leastSideOf(view: CaptureView, step: Step): number | undefined {
  const state = view.step_states.find(candidate => candidate.key === step.key);
  return state && state.type !== 'text' ? state.min_long_side : undefined;
}

/** Where the example picture of this step is shown; undefined where it has none. */
export function exampleOf(view: CaptureView, step: Step): string | undefined {
  const state = view.step_states.find(candidate => candidate.key === step.key);
  return state && state.type !== 'text' ? state.example_url : undefined;
}

/** True where the page asks for moves after a photo of this step. */
export const asksForMoves = (view: CaptureView, step: Step): boolean =>
  view.requires?.motion_frame === true &&
  !view.step_states.some(state => state.key === step.key && state.type !== 'text' && state.motion_frame === false);

export const isRequired = (step: Step): boolean => (step.type === 'text' ? step.required : step.min > 0);

/** True when everything required was sent or is held. */
export const isComplete = (view: CaptureView, held: Held): boolean =>
  view.config.steps.every(step => fillingOf(view, step, held).needed === 0);

/** True when everything required was already sent, so a reopened link has nothing to ask. */
export const isDelivered = (view: CaptureView): boolean =>
  view.captures_count > 0 && isComplete(view, { captures: [], answers: {} });

/** True when the device holds anything unsent. */
export const isHeld = (held: Held): boolean => held.captures.length > 0 || Object.keys(held.answers).length > 0;

/** Returns the first step from `from` on that still needs something. */
export function firstOpenStep(view: CaptureView, held: Held, from = 0): number | undefined {
  const index = view.config.steps.findIndex((step, i) => i >= from && fillingOf(view, step, held).needed > 0);
  return index < 0 ? undefined : index;
}

/** Returns the place after step `index`: the next step with room, else the summary. */
export function placeAfter(view: CaptureView, held: Held, index: number): Place {
  const next = view.config.steps.findIndex((step, i) => i > index && fillingOf(view, step, held).free > 0);
  return next < 0 ? { at: 'summary' } : { at: 'step', index: next };
}

/** Returns the place where an opened or reopened link starts. */
export function placeToResume(view: CaptureView, held: Held): Place {
  const open = firstOpenStep(view, held);
  if (open !== undefined) return { at: 'step', index: open };
  const started = view.captures_count > 0 || isHeld(held);
  return started ? { at: 'summary' } : { at: 'step', index: 0 };
}

/**
 * Returns why nothing is left to do, if so. The API has no cancelled status: a cancelled verification expires early. Held photos and
 * answers must still be sent, even when nothing more is required.
 */
export function endOf(view: CaptureView, now: number, held: Held): End | undefined {
  switch (view.status) {
    case 'completed':
      return view.under_review ? 'reviewing' : 'completed';
    case 'failed':
      return 'failed';
    case 'expired':
      return Date.parse(view.expires_at) > now + 60_000 ? 'withdrawn' : 'expired';
    default:
      return isDelivered(view) && !isHeld(held) ? 'completed' : undefined;
  }
}

/** Returns the end that an answer of the service tells of; undefined for any other failure. */
export function endOfError(error: unknown): 'unknown' | 'redacted' | 'expired' | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 404) return 'unknown';
  return error.code === 'redacted' || error.code === 'expired' ? error.code : undefined;
}

/** Converts digits from other keyboards (Arabic-Indic, Persian, Devanagari) to ASCII, the form of identifiers. */
const withAsciiDigits = (text: string): string =>
  text.replace(/[٠-٩۰-۹०-९]/g, digit =>
    String((digit.codePointAt(0)! - (digit < '۰' ? 0x660 : digit < '०' ? 0x6f0 : 0x966)) % 10),
  );

/** What a person wrote, as it is sent. */
export const answerOf = (step: Extract<Step, { type: 'text' }>, text: string): string =>
  step.validation.format === 'free_text' ? text.trim() : withAsciiDigits(text.trim());

export type AnswerFault =
  | { key: 'text.required' | 'text.digits' | 'text.alphanumeric' }
  | { key: 'text.tooShort' | 'text.tooLong'; n: number };

/** Returns why the service would reject an answer, by its own rules; undefined when it would accept it. */
export function faultOfAnswer(step: Extract<Step, { type: 'text' }>, value: string): AnswerFault | undefined {
  if (value === '') return step.required ? { key: 'text.required' } : undefined;
  const fault = brokenRule(step, value);
  return fault ? answerWords(known(fault)) : undefined;
}

/** Returns the message that tells a person of a fault of their answer; undefined for one that no answer can cause. */
export function answerWords(fault: KnownFault): AnswerFault | undefined {
  switch (fault.code) {
    case 'too_short':
      return { key: 'text.tooShort', n: fault.params.min };
    case 'too_long':
      return { key: 'text.tooLong', n: fault.params.max };
    case 'format':
      return { key: fault.params.format === 'numeric_id' ? 'text.digits' : 'text.alphanumeric' };
    default:
      return undefined;
  }
}
