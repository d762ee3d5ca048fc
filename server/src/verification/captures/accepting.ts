import { expired, Problem, redacted, verificationClosed } from '../../platform/http/problem.ts';
import { isTerminal, type VerificationRow } from '../verifications/row.ts';
import { type Held, pickSlot, type Slot } from '../verifications/steps.ts';

/** What every route of the capture page has. */
export const CAPTURE_ROUTE = {
  tag: 'Capture',
  credentials: ['capture'],
  asClaimant: true,
  target: 'token',
} as const;

/** No step has a longer name. The message does not repeat a name over this length. */
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
 * True when the link takes nothing more because its time is up. The status may say so later: a verification that only
 * waits for its analysis can still complete after the deadline.
 */
export const isOver = (row: Pick<VerificationRow, 'status' | 'expires_at'>, now: Date): boolean =>
  row.status === 'expired' || (!isTerminal(row.status) && row.expires_at <= now);

/**
 * Returns the step that a capture fills. Throws, in this order: `unknown_step`, `expired`, `step_full` (also after
 * completion) and `verification_closed` (closed, though the step has room).
 */
export function openSlot(row: VerificationRow, held: Held, stepKey: string | undefined, now: Date) {
  const slot: Slot = pickSlot(row.config.steps, held, stepKey);
  if ('fault' in slot && slot.fault === 'unknown_step') throw unknownStep(stepKey);
  if (row.redacted_at) throw redacted();
  if (isOver(row, now)) throw expired();
  if ('fault' in slot) throw stepFull(stepKey);
  if (row.status === 'completed' || row.status === 'failed') throw verificationClosed();
  return slot.step;
}
