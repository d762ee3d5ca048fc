import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { cosign } from './cosign.ts';
import { checkHighWater, publish } from './publisher.ts';
import { sequence } from './sequencer.ts';

const SEQUENCE_EVERY_MS = 200;
/** The most between two looks at a log that nothing is added to, and the least between two questions whether to publish. */
const IDLE_MS = 1_000;

/** Keeps the log: gives pending entries their places and publishes the state, until stopped. Safe on every node at once. */
export function startLog(deps: Deps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let asked = Number.NEGATIVE_INFINITY;
  let checked = false;
  const round = async (): Promise<number> => {
    // A restored database is known before anything is added to it.
    if (!checked) await checkHighWater(deps);
    checked = true;
    const added = await sequence(deps);
    if (performance.now() - asked >= IDLE_MS) {
      asked = performance.now();
      await publish(deps);
    }
    return added;
  };
  const running = (async () => {
    let pause = SEQUENCE_EVERY_MS;
    while (!signal.aborted) {
      const added = await round().catch(error => {
        deps.log.error({ err: error }, 'the log could not go on; it tries again');
        return 0;
      });
      if (added > 0) {
        pause = SEQUENCE_EVERY_MS;
        continue;
      }
      await sleep(pause, undefined, { signal }).catch(() => {});
      pause = Math.min(2 * pause, IDLE_MS);
    }
  })();
  const witnessing = deps.config.witnesses.length > 0 ? askWitnesses(deps, signal) : null;
  return {
    async stop() {
      stopping.abort();
      await running;
      await witnessing;
    },
  };
}

/** Beside the sequencer, which a slow witness must not hold up. */
async function askWitnesses(deps: Deps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await cosign(deps).catch(error => deps.log.error({ err: error }, 'witnesses could not be asked; it tries again'));
    await sleep(IDLE_MS, undefined, { signal }).catch(() => {});
  }
}
