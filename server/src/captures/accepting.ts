import { expired, Problem, verificationClosed } from '../http/problem.ts';
import type { VerificationRow } from '../verifications/row.ts';
import { isTerminal } from '../verifications/status.ts';
import type { Held, Slot } from '../verifications/steps.ts';
import { pickSlot } from '../verifications/steps.ts';

/** A longer name is no step's. The message does not repeat it. */
const MAX_NAME = 64;

export const unknownStep = (key = ''): Problem =>
  new Problem(
    'unknown_step',
    key.length > MAX_NAME
      ? `A step name has at most ${MAX_NAME} characters.`
      : `There is no image or upload step ${JSON.stringify(key)}.`,
  );
const stepFull = (key: string | undefined): Problem =>
  new Problem(
    'step_full',
    key === undefined ? 'Every image step is full.' : `The step ${JSON.stringify(key)} is full.`,
  );

/**
 * True when the link takes nothing more because its time is up. That may be before the status says so: what only waits
 * for its analysis past the deadline is still to be completed.
 */
export const isOver = (row: Pick<VerificationRow, 'status' | 'expires_at'>, now: Date): boolean =>
  row.status === 'expired' || (!isTerminal(row.status) && row.expires_at <= now);

/**
 * The step that a capture fills. Throws, in this order, `unknown_step`, `expired`, `step_full` (also after completion)
 * and `verification_closed` (closed, though there would be room).
 */
export function openSlot(row: VerificationRow, held: Held, stepKey: string | undefined, now: Date) {
  const slot: Slot = pickSlot(row.config.steps, held, stepKey);
  if ('fault' in slot && slot.fault === 'unknown_step') throw unknownStep(stepKey);
  if (isOver(row, now)) throw expired();
  if ('fault' in slot) throw stepFull(stepKey);
  if (row.status === 'completed' || row.status === 'failed') throw verificationClosed();
  return slot.step;
}
