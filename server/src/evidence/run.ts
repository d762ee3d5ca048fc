import { setTimeout as sleep } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { cosign } from './cosign.ts';
import { checkHighWater, publish } from './publisher.ts';
import { sequence } from './sequencer.ts';

const SEQUENCE_EVERY_MS = 200;
const PUBLISH_EVERY_MS = 1_000;

/** Keeps the log: gives pending entries their places and publishes the state, until stopped. Safe on every node at once. */
export function startLog(deps: Deps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  let published = 0;
  let checked = false;
  const round = async (): Promise<number> => {
    // A restored database is known before anything is added to it.
    if (!checked) await checkHighWater(deps);
    checked = true;
    const added = await sequence(deps);
    if (Date.now() - published >= PUBLISH_EVERY_MS && (await publish(deps))) published = Date.now();
    return added;
  };
  const running = (async () => {
    while (!signal.aborted) {
      const added = await round().catch(error => {
        deps.log.error({ err: error }, 'the log could not go on; it tries again');
        return 0;
      });
      if (added === 0) await sleep(SEQUENCE_EVERY_MS, undefined, { signal }).catch(() => {});
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
    await sleep(PUBLISH_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
