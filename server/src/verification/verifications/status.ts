import type { Status } from '@firsthand/contract/verification/verification.ts';

export type Trigger =
  | 'capture_submitted'
  | 'verdict_written'
  | 'left'
  | 'deadline_passed'
  | 'cancelled'
  | 'analysis_failed';

/**
 * The complete state machine. A trigger that a state does not list leaves the state unchanged. `completed`, `expired`
 * and `failed` list no trigger, so nothing leaves a terminal state.
 */
export const TRANSITIONS: Readonly<Record<Status, Partial<Record<Trigger, Status>>>> = {
  pending: {
    capture_submitted: 'partially_captured',
    left: 'abandoned',
    deadline_passed: 'expired',
    cancelled: 'expired',
  },
  partially_captured: {
    capture_submitted: 'partially_captured',
    verdict_written: 'completed',
    left: 'abandoned',
    deadline_passed: 'expired',
    cancelled: 'expired',
    analysis_failed: 'failed',
  },
  // A claimant who left may have sent everything before. Analysis goes on and may still settle the verification.
  abandoned: {
    capture_submitted: 'partially_captured',
    verdict_written: 'completed',
    deadline_passed: 'expired',
    cancelled: 'expired',
    analysis_failed: 'failed',
  },
  completed: {},
  expired: {},
  failed: {},
};

export const TERMINAL: readonly Status[] = ['completed', 'expired', 'failed'];
export const isTerminal = (status: Status): boolean => TERMINAL.includes(status);

/** The state after `trigger`, or null when nothing changes. */
export const next = (status: Status, trigger: Trigger): Status | null => TRANSITIONS[status][trigger] ?? null;

/** The states a trigger may start from, for guarded updates in SQL. */
export const statesThatAllow = (trigger: Trigger): Status[] =>
  (Object.keys(TRANSITIONS) as Status[]).filter(status => TRANSITIONS[status][trigger] !== undefined);
