import { setTimeout as sleep } from 'node:timers/promises';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { cosign } from './cosign.ts';
import { checkHighWater, publish } from './publisher.ts';
import { BATCH, sequence } from './sequencer.ts';

/** An entry counts once it is signed, so giving it its place sooner gains nobody anything. */
const ROUND_MS = 1_000;

/** Keeps the log: gives pending entries their places and publishes the state, until stopped. Safe on every node at once. */
export function startLog(deps: Pick<Deps, 'config' | 'log' | 'db' | 'blobs' | 'keyring' | 'clock'>): {
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const { signal } = stopping;
  let checked = false;
  const round = async (): Promise<void> => {
    // A restored database is known before anything is added to it.
    if (!checked) await checkHighWater(deps);
    checked = true;
    if (!(await hasWork(deps.db))) return;
    let more = true;
    const until = performance.now() + ROUND_MS;
    while (more && performance.now() < until && !signal.aborted) more = (await sequence(deps)) >= BATCH;
    await publish(deps);
  };
  const running = (async () => {
    while (!signal.aborted) {
      const began = performance.now();
      await round().catch(error => deps.log.error({ err: error }, 'the log could not go on; it tries again'));
      await sleep(Math.max(0, began + ROUND_MS - performance.now()), undefined, { signal }).catch(() => {});
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

/** Whether entries wait for their places or the log has grown since it was signed. */
const hasWork = async (db: Queryable): Promise<boolean> =>
  (
    await one<{ due: boolean }>(
      db,
      `select exists (select from evidence_pending) or size > checkpoint_size as due
       from evidence_logs where id = (select max(id) from evidence_logs)`,
    )
  )?.due === true;

/** Beside the sequencer, which a slow witness must not hold up. */
async function askWitnesses(deps: Pick<Deps, 'config' | 'log' | 'db' | 'clock'>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await cosign(deps).catch(error => deps.log.error({ err: error }, 'witnesses could not be asked; it tries again'));
    await sleep(ROUND_MS, undefined, { signal }).catch(() => {});
  }
}
