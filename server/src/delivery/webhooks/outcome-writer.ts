import { setTimeout as sleep } from 'node:timers/promises';
import { type Outcome, recordAttempts } from './record-attempts.ts';

const BATCH = 500;
/** The dispatcher takes nothing more while this many outcomes wait to be written. */
const MAX_UNWRITTEN = 4 * BATCH;
const RETRY_WRITE_MS = 250;
/** How long outcomes gather before one write: longer when the last batch was large. */
const GATHER_MS = { few: 5, many: 50 } as const;
const MANY = 32;

/** Records outcomes in batches. A batch that fails is written again. */
export function startOutcomeWriter(deps: Parameters<typeof recordAttempts>[0], caughtUp: () => void) {
  let waiting: Outcome[] = [];
  let writing: Promise<void> | null = null;
  let stopped = false;
  let gatherMs: number = GATHER_MS.few;
  let behind = false;
  const drain = async () => {
    while (waiting.length > 0) {
      if (!stopped && waiting.length < BATCH) await sleep(gatherMs);
      gatherMs = waiting.length < MANY ? GATHER_MS.few : GATHER_MS.many;
      const batch = waiting.slice(0, BATCH);
      try {
        await recordAttempts(deps, batch);
        waiting = waiting.slice(batch.length);
      } catch (error) {
        deps.log.warn({ err: error, outcomes: waiting.length }, 'webhook attempts could not be written down yet');
        // A node repeats unwritten attempts when their claim lapses.
        if (stopped) return;
        await sleep(RETRY_WRITE_MS);
      }
      if (behind && waiting.length < MAX_UNWRITTEN) {
        behind = false;
        caughtUp();
      }
    }
    writing = null;
  };
  return {
    /** True when so many outcomes wait that no attempt should start. `caughtUp` is called when that is over. */
    behind(): boolean {
      behind = waiting.length >= MAX_UNWRITTEN;
      return behind;
    },
    write(outcome: Outcome) {
      waiting.push(outcome);
      writing ??= drain();
    },
    async stop() {
      stopped = true;
      await writing;
    },
  };
}
