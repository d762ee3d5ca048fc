import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Deps } from '../deps.ts';
import { WEBHOOKS_CHANNEL } from '../events/record.ts';
import { newUlid } from '../lib/ids.ts';
import type { Resolve } from './address.ts';
import { announceEvents } from './announce.ts';
import { type Claimed, claimDeliveries, releaseClaims } from './claim.ts';
import { type Outcome, recordAttempts } from './record-attempts.ts';
import { nextAfter, type Sent } from './schedule.ts';
import { ATTEMPT_TIMEOUT_MS, createSender, type Sender } from './send.ts';
import { keyOf, signedHeaders } from './sign.ts';

/** Attempts that one node has open at once, in each of two pools: endpoints that are well, and endpoints that are not. */
const POOL = 128;
/** Of these, to one endpoint. */
const PER_ENDPOINT = 32;
const PER_AILING_ENDPOINT = 8;
/** Of these, of one tenant, as long as others want their turn. */
const PER_TENANT = 64;
const PER_TENANT_AILING = 32;
/** An attempt without an answer for this long leaves the pool of the well ones, and its endpoint with it. */
const PROMPT_MS = 2_000;
/** A claim outlives the longest attempt and the note of it. */
const CLAIM_MS = ATTEMPT_TIMEOUT_MS + 15_000;
/** How long nothing may be heard before looking anyway: retries come due in silence. */
const POLL_MS = 1_000;
const BATCH = 200;
/** Outcomes that may wait to be written down before nothing more is taken. */
const MAX_UNWRITTEN = 512;
const RETRY_WRITE_MS = 250;
const RECONNECT_MS = 1_000;
/** How long open attempts may take to end once the process is asked to stop. */
const GRACE_MS = 5_000;

export interface Dispatcher {
  /** Takes nothing more, lets open attempts end for a moment, hands the rest back. */
  stop(): Promise<void>;
}

export interface DispatcherOptions {
  /** The database is this process's own: what is claimed was claimed by a process that ended. */
  alone: boolean;
  /** For tests: how host names resolve. */
  resolve?: Resolve;
}

interface Flight {
  endpointId: string;
  tenantId: string;
  ailing: boolean;
}

/**
 * Announces events and sends what follows from them, as long as it runs; any number of nodes may. It waits on
 * LISTEN, so an idle queue starts an attempt within milliseconds of the commit. What it holds in memory is bounded by
 * the attempts that are open, however much is queued.
 */
export async function startDispatcher(deps: Deps, o: DispatcherOptions): Promise<Dispatcher> {
  const node = newUlid();
  if (o.alone) await releaseClaims(deps, null);
  const stopping = new AbortController();
  const giveUp = new AbortController();
  const bell = createBell();
  const sender = createSender(deps, o.resolve ? { resolve: o.resolve } : {});
  const writer = startWriter(deps, bell.ring);
  const flights = createFlights();
  let fresh = true;
  const listening = listen(deps, stopping.signal, payload => {
    // An unknown message may be anything: look at everything.
    if (payload !== 'due') fresh = true;
    bell.ring();
  });

  const start = (delivery: Claimed, ailing: boolean, keys: Buffer[]) => {
    const flight: Flight = { endpointId: delivery.endpoint_id, tenantId: delivery.tenant_id, ailing };
    flights.add(flight);
    const late = setTimeout(() => {
      flights.move(flight);
      bell.ring();
    }, PROMPT_MS);
    void attempt(deps, sender, delivery, keys, giveUp.signal)
      .then(outcome => {
        if (outcome) writer.write(outcome);
      })
      .finally(() => {
        clearTimeout(late);
        flights.remove(flight);
        bell.ring();
      });
  };

  const claim = async (ailing: boolean): Promise<number> => {
    const { open, free, fullTenants } = flights.pool(ailing);
    if (free <= 0 || writer.length() >= MAX_UNWRITTEN) return 0;
    const now = deps.clock.now();
    const claimed = await claimDeliveries(deps.db, {
      node,
      now,
      until: new Date(now.getTime() + CLAIM_MS),
      ailing,
      free,
      perEndpoint: ailing ? PER_AILING_ENDPOINT : PER_ENDPOINT,
      open,
      fullTenants,
    });
    const keys = new Map<string, Buffer>();
    const keyFor = (sealed: string): Buffer => {
      const known = keys.get(sealed) ?? keyOf(deps.keyring.decrypt(sealed));
      keys.set(sealed, known);
      return known;
    };
    for (const delivery of claimed) start(delivery, ailing, delivery.secrets.map(keyFor));
    return claimed.length;
  };

  const run = async () => {
    let polledAt = 0;
    while (!stopping.signal.aborted) {
      let found = 0;
      try {
        bell.quiet();
        if (Date.now() - polledAt >= POLL_MS) {
          polledAt = Date.now();
          fresh = true;
        }
        if (fresh) {
          fresh = false;
          const announced = await announceEvents(deps, BATCH);
          if (announced === BATCH) fresh = true;
          found += announced;
        }
        found += (await claim(false)) + (await claim(true));
      } catch (error) {
        deps.log.warn({ err: error }, 'webhooks stopped for a moment');
        await sleep(RECONNECT_MS, undefined, { signal: stopping.signal }).catch(() => {});
      }
      if (found === 0 && !fresh) await bell.wait(POLL_MS);
    }
  };
  const running = run();

  return {
    async stop() {
      stopping.abort();
      bell.ring();
      await Promise.all([running, listening]);
      const ended = flights.none();
      const patience = setTimeout(() => giveUp.abort(), GRACE_MS);
      await ended;
      clearTimeout(patience);
      await writer.stop();
      await sender.close();
      await releaseClaims(deps, node).catch(error =>
        deps.log.warn({ err: error }, 'claims on webhooks were not handed back; they lapse by themselves'),
      );
    },
  };
}

/** One attempt; null when the process stopped before it ended. */
async function attempt(
  deps: Deps,
  sender: Sender,
  delivery: Claimed,
  keys: readonly Buffer[],
  signal: AbortSignal,
): Promise<Outcome | null> {
  const at = deps.clock.now();
  if (delivery.attempts === 0) {
    deps.metrics.webhookFirstAttempt.observe(Math.max(0, at.getTime() - delivery.recorded_at.getTime()) / 1_000);
  }
  const sent = await sender.send(
    delivery.url,
    delivery.body,
    signedHeaders(delivery.event_id, at, delivery.body, keys),
    signal,
  );
  if (!sent) return null;
  deps.metrics.webhookAttempts.observe({ outcome: sent.error ?? 'succeeded' }, sent.latencyMs / 1_000);
  // A disabled endpoint is tried because somebody asked, once.
  const schedule = delivery.disabled ? [] : deps.config.webhookRetrySeconds;
  return {
    deliveryId: delivery.id,
    endpointId: delivery.endpoint_id,
    attempt: attemptOf(at, sent),
    next: nextAfter(sent, schedule, delivery.attempts + 1),
    slow: sent.latencyMs > PROMPT_MS,
  };
}

const attemptOf = (at: Date, sent: Sent): Outcome['attempt'] => ({
  at: at.toISOString(),
  latency_ms: sent.latencyMs,
  ...(sent.statusCode === null ? {} : { status_code: sent.statusCode }),
  ...(sent.error === null ? {} : { error: sent.error }),
  ...(sent.excerpt ? { response_excerpt: sent.excerpt } : {}),
});

/** Who has how much open. */
function createFlights() {
  const open = new Set<Flight>();
  let whenNone: (() => void) | null = null;
  return {
    add: (flight: Flight) => void open.add(flight),
    /** It takes long: from now on it counts, and its endpoint is treated, as not well. */
    move(flight: Flight) {
      flight.ailing = true;
    },
    remove(flight: Flight) {
      open.delete(flight);
      if (open.size === 0) whenNone?.();
    },
    none: () =>
      new Promise<void>(resolve => {
        if (open.size === 0) resolve();
        else whenNone = resolve;
      }),
    pool(ailing: boolean) {
      const endpoints = new Map<string, number>();
      const tenants = new Map<string, number>();
      const unwell = new Set<string>();
      let count = 0;
      for (const flight of open) {
        endpoints.set(flight.endpointId, (endpoints.get(flight.endpointId) ?? 0) + 1);
        if (flight.ailing) unwell.add(flight.endpointId);
        if (flight.ailing !== ailing) continue;
        count += 1;
        tenants.set(flight.tenantId, (tenants.get(flight.tenantId) ?? 0) + 1);
      }
      // An endpoint that hangs gets nothing more as a healthy one, before its row says so.
      if (!ailing) for (const id of unwell) endpoints.set(id, PER_ENDPOINT);
      const share = ailing ? PER_TENANT_AILING : PER_TENANT;
      return {
        open: endpoints,
        free: POOL - count,
        fullTenants: [...tenants].filter(([, n]) => n >= share).map(([id]) => id),
      };
    },
  };
}

/** Writes outcomes down: all that came up while the last ones were written, together. */
function startWriter(deps: Deps, written: () => void) {
  let waiting: Outcome[] = [];
  let writing: Promise<void> | null = null;
  let stopped = false;
  const drain = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH);
      try {
        await recordAttempts(deps, batch);
        waiting = waiting.slice(batch.length);
      } catch (error) {
        deps.log.warn({ err: error, outcomes: waiting.length }, 'webhook attempts could not be written down yet');
        // Unwritten attempts are made again when their claim lapses.
        if (stopped) return;
        await sleep(RETRY_WRITE_MS);
      }
    }
    writing = null;
    written();
  };
  return {
    length: () => waiting.length,
    write(outcome: Outcome) {
      waiting.push(outcome);
      // What ends in the same turn of the event loop goes along.
      writing ??= new Promise(resolve => setImmediate(resolve)).then(drain);
    },
    async stop() {
      stopped = true;
      await writing;
    },
  };
}

/** Remembers a ring that nobody waited for. */
function createBell() {
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

/** Hears what is notified until stopped, over connections that may be lost. */
async function listen(deps: Deps, signal: AbortSignal, heard: (payload: string | undefined) => void): Promise<void> {
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
