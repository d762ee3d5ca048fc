import type { Review } from '@firsthand/contract/reviews/reviews.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';

interface Done {
  verification: Verification;
  /** Null while it is on its way. */
  review: Review | null;
}

/** The cases that a person holds, and those decided since the page opened. */
export interface Cases {
  cases: readonly Verification[];
  at: number;
  done: readonly Done[];
  /** Nothing more waits for this person. */
  empty: boolean;
  error: unknown;
}

export const NO_CASES: Cases = { cases: [], at: 0, done: [], empty: false, error: null };

/** The place of the case at hand; -1 when none is held. */
export const placeOf = ({ cases, at }: Cases): number => Math.min(at, cases.length - 1);

/**
 * The ids of all cases that are still this person's. A case whose decision is on its way counts: unnamed, it would come
 * back as the next one.
 */
export function heldIds({ cases, done }: Cases): string[] {
  const deciding = done.filter(({ review }) => review === null).map(({ verification }) => verification);
  return [...cases, ...deciding].map(({ id }) => id);
}

/** How many cases this person has decided since the page opened. An escalation decides nothing. */
export const decidedCount = ({ done }: Pick<Cases, 'done'>): number =>
  done.filter(({ review }) => review !== null && review.decision !== 'escalated').length;

export const added = (old: Cases, next: Verification): Cases =>
  old.cases.some(({ id }) => id === next.id) ? old : { ...old, cases: [...old.cases, next], empty: false, error: null };

export const moved = (old: Cases, by: number): Cases => ({
  ...old,
  at: Math.max(0, Math.min(old.cases.length - 1, placeOf(old) + by)),
});

/** The case leaves while its decision is on its way. */
export const sent = (old: Cases, verification: Verification): Cases => ({
  ...old,
  cases: old.cases.filter(one => one.id !== verification.id),
  at: Math.max(0, Math.min(placeOf(old), old.cases.length - 2)),
  done: [...old.done, { verification, review: null }],
});

/** The service has the decision. */
export const decided = (old: Cases, id: string, review: Review): Cases => ({
  ...old,
  done: old.done.map(done => (done.verification.id === id ? { ...done, review } : done)),
});

/** The case was decided by nobody here: somebody else has it. */
export const lost = (old: Cases, id: string): Cases => ({
  ...old,
  done: old.done.filter(done => done.verification.id !== id),
});

/** The case is at hand again, undecided. */
export const putBack = (old: Cases, verification: Verification): Cases => ({
  ...lost(old, verification.id),
  cases: [verification, ...old.cases.filter(({ id }) => id !== verification.id)],
  at: 0,
});
