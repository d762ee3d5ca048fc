import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../lib/log.ts';
import type { Pool } from './sql.ts';

const RECONNECT_MS = 1_000;

export type Wakeup = ReturnType<typeof createWakeup>;

/** Wakes one waiter. Remembers a `wake` that nobody waited for, until `clear`. */
export function createWakeup() {
  let woken = false;
  let resume: (() => void) | null = null;
  return {
    wake: () => {
      woken = true;
      resume?.();
    },
    clear: () => {
      woken = false;
    },
    wait: (ms: number) =>
      new Promise<void>(resolve => {
        if (woken) return resolve();
        const timer = setTimeout(() => resume?.(), ms);
        resume = () => {
          clearTimeout(timer);
          resume = null;
          resolve();
        };
      }),
  };
}

export interface Listener {
  /** Resolves when it has released its connection. */
  stop(): Promise<void>;
}

/** Handlers of notifications by channel. An undefined payload means that a notification may have been missed: look. */
export type Channels = Readonly<Record<string, (payload: string | undefined) => void>>;

/** Listens on these channels until stopped, over one connection at a time. Reconnects when a connection is lost. */
export function startListening(deps: { direct: Pool; log: Log }, channels: Channels): Listener {
  const stopping = new AbortController();
  const { signal } = stopping;
  const listening = (async () => {
    while (!signal.aborted) {
      let client: pg.PoolClient | undefined;
      try {
        client = await deps.direct.connect();
        client.on('notification', ({ channel, payload }) => channels[channel]?.(payload));
        for (const channel of Object.keys(channels)) await client.query(`listen ${channel}`);
        // A look finds whatever was notified before this point.
        for (const heard of Object.values(channels)) heard(undefined);
        await lost(client, signal);
      } catch (error) {
        if (!signal.aborted)
          deps.log.warn({ err: error }, 'not listening to the database; looking every second instead');
      }
      client?.removeAllListeners('notification');
      // The connection still listens, so the pool must not reuse it.
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
