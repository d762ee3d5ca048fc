import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Deps } from '../deps.ts';
import { WEBHOOKS_CHANNEL } from '../events/record.ts';

const RECONNECT_MS = 1_000;

/** Hears what is notified until stopped, over connections that may be lost. */
export async function listen(
  deps: Deps,
  signal: AbortSignal,
  heard: (payload: string | undefined) => void,
): Promise<void> {
  while (!signal.aborted) {
    let client: pg.PoolClient | undefined;
    try {
      client = await deps.db.connect();
      client.on('notification', message => heard(message.payload));
      await client.query(`listen ${WEBHOOKS_CHANNEL}`);
      // What was notified before this is found by looking.
      heard(undefined);
      await lost(client, signal);
    } catch (error) {
      if (!signal.aborted) deps.log.warn({ err: error }, 'not listening for webhooks; looking every second instead');
    }
    client?.removeAllListeners('notification');
    // It still listens: it is not for others to use.
    client?.release(true);
    await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {});
  }
}

/** Resolves when the client loses its server or `signal` is aborted. */
const lost = (client: pg.PoolClient, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    client.once('error', () => resolve());
    client.once('end', () => resolve());
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
