import type { Deps } from '../deps.ts';
import { logNameOf } from '../lib/log-name.ts';
import { SLOW_JOBS, type SlowJobRow, type SlowTask } from './queue.ts';
import { startTaking, type Taking } from './taking.ts';

export type SlowTasks = Record<SlowTask, (deps: Deps, subjectId: string, signal: AbortSignal) => Promise<void>>;

/** Seconds before each further attempt: from 3 s to 6 h, about four days in all. */
const RETRY_SECONDS = Array.from({ length: 24 }, (_, n) => Math.exp(Math.min(n + 1, 10)));

/** Runs the jobs that wait for a model or a text reader, in the order of their turns, until stopped. */
export async function startSlowJobs(
  deps: Deps,
  tasks: SlowTasks,
  o: { alone: boolean; places: number },
): Promise<Taking> {
  if (o.alone) await SLOW_JOBS.endDead(deps.db, RETRY_SECONDS);
  const remove = (id: string) => deps.db.query('delete from slow_jobs where id = $1', [id]);
  return startTaking<SlowJobRow>(deps, {
    turns: SLOW_JOBS,
    places: o.places,
    nameOf: ({ task }) => task,
    attributesOf: ({ subject_id: id }) =>
      id.startsWith('vfy_') ? { 'firsthand.verification': logNameOf(id) } : { 'firsthand.capture.id': id },
    async work(row, signal) {
      await tasks[row.task](deps, row.subject_id, signal);
      await remove(row.id);
    },
    maxAttempts: RETRY_SECONDS.length + 1,
    afterFailure(_, { claimed_attempts }) {
      const pauseSeconds = RETRY_SECONDS[claimed_attempts - 1];
      return pauseSeconds === undefined ? { do: 'give_up' } : { do: 'try_again', pauseSeconds, uncounted: false };
    },
    async giveUp({ id }) {
      await remove(id);
    },
  });
}
