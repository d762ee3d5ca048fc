import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Deps } from '../deps.ts';

const RECONNECT_MS = 1_000;

export type Bell = ReturnType<typeof createBell>;

/** Remembers a ring that nobody waited for. */
export function createBell() {
  let rung = false;
  let wake: (() => void) | null = null;
  return {
    ring: () => {
      rung = true;
      wake?.();
    },
    quiet: () => {
      rung = false;
    },
    wait: (ms: number) =>
      new Promise<void>(resolve => {
        if (rung) return resolve();
        const timer = setTimeout(() => wake?.(), ms);
        wake = () => {
          clearTimeout(timer);
          wake = null;
          resolve();
        };
      }),
  };
}

export interface Listener {
  /** Resolves once it has let go of its connection. */
  stop(): Promise<void>;
}

/** What to do when something is notified on a channel; undefined: it may have been, look. */
export type Channels = Readonly<Record<string, (payload: string | undefined) => void>>;

/** Hears what is notified on these channels until stopped, over one connection at a time, which may be lost. */
export function startListening(deps: Pick<Deps, 'db' | 'log'>, channels: Channels): Listener {
  const stopping = new AbortController();
  const { signal } = stopping;
  const listening = (async () => {
    while (!signal.aborted) {
      let client: pg.PoolClient | undefined;
      try {
        client = await deps.db.connect();
        client.on('notification', ({ channel, payload }) => channels[channel]?.(payload));
        for (const channel of Object.keys(channels)) await client.query(`listen ${channel}`);
        // What was notified before this is found by looking.
        for (const heard of Object.values(channels)) heard(undefined);
        await lost(client, signal);
      } catch (error) {
        if (!signal.aborted)
          deps.log.warn({ err: error }, 'not listening to the database; looking every second instead');
      }
      client?.removeAllListeners('notification');
      // It still listens: it is not for others to use.
      client?.release(true);
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {});
    }
  })();
  return {
    stop() {
      stopping.abort();
      return listening;
    },
  };
}

/** Resolves when the client loses its server or `signal` is aborted. */
const lost = (client: pg.PoolClient, signal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    client.once('error', () => resolve());
    client.once('end', () => resolve());
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
