import { setTimeout as sleep } from 'node:timers/promises';
import { type Bell, type Channels, createBell, startListening } from '../../platform/db/listen.ts';
import type { Deps } from '../../platform/deps.ts';
import { newUlid, timeOfId } from '../../platform/lib/ids.ts';
import { WEBHOOKS_CHANNEL } from '../../record/events/record.ts';
import type { Resolve } from './allowed-address.ts';
import { announceEvents } from './announce.ts';
import { type Claims, claimDeliveries, endClaims, handBack, takeBackClaims, whatIsDue } from './claim.ts';
import { createHoldings, type Held } from './holdings.ts';
import { createLanes, type Flight, type Ready } from './lanes.ts';
import { startOutcomeWriter } from './outcome-writer.ts';
import { type Outcome, recordAttempts } from './record-attempts.ts';
import { nextAfter, type Sent } from './schedule.ts';
import { ATTEMPT_TIMEOUT_MS, createSender } from './send.ts';
import { signedHeaders } from './sign.ts';
import { createSigningKeys } from './signing-keys.ts';
import { traceAttempt } from './trace-attempt.ts';

/** An attempt that waits this long for an answer leaves the prompt pool, and its endpoint leaves with it. */
const PROMPT_MS = 2_000;
/** A claim outlives the longest attempt, the wait of deliveries taken ahead, and the record of the attempt. */
const CLAIM_MS = ATTEMPT_TIMEOUT_MS + 15_000;
/** The dispatcher looks this often even without a notification, because retries come due silently. */
const POLL_MS = 1_000;
const LOOK_ANYWAY_MS = 30_000;
const LOOK_FOR_LATE_MS = 250;
const BATCH = 500;
const RECONNECT_MS = 1_000;
/** How long open attempts may take to finish after the process is asked to stop. */
const GRACE_MS = 5_000;

/** The result when no key can sign: nothing was sent. */
const UNSIGNED: Sent = { statusCode: null, error: 'no_secret', excerpt: null, latencyMs: 0, retryAfterSeconds: null };

export interface Dispatcher {
  /** Takes no more deliveries, gives open attempts a moment to finish, and hands the rest back. */
  stop(): Promise<void>;
}

export interface DispatcherOptions {
  /** The database belongs to this process alone. Existing claims are therefore from a process that ended. */
  alone: boolean;
  /** For tests: how host names resolve. */
  resolve?: Resolve;
  /** Other channels to listen to over the same connection. */
  also?: Channels;
}

/**
 * Announces events and sends their deliveries for as long as it runs. Any number of nodes may run it. It waits on
 * LISTEN, so an idle queue starts an attempt within milliseconds of the commit. {@link createLanes} bounds its memory,
 * however much is queued.
 */
export async function startDispatcher(deps: Deps, o: DispatcherOptions): Promise<Dispatcher> {
  const node = newUlid();
  if (o.alone) await takeBackClaims(deps, 'all');
  const stopping = new AbortController();
  const bells = { event: createBell(), due: createBell(), lapsed: createBell() };
  const sender = createSender(deps, o.resolve ? { resolve: o.resolve } : {});
  const keysOf = createSigningKeys(deps);
  const holdings = createHoldings();
  /** Claims that failed, and when: the database may have made them although its answer was lost. */
  const lost = new Map<string, number>();
  const writer = startOutcomeWriter<Outcome & Held>(deps, {
    async write(batch) {
      const ended = holdings.endingWith(batch);
      await recordAttempts(deps, batch, ended);
      holdings.settle(batch, ended);
    },
    caughtUp: bells.due.ring,
  });
  const lanes = createLanes();
  const giveBack = async (deliveries: readonly Held[]) => {
    if (deliveries.length === 0) return;
    try {
      const claims = [...new Set(deliveries.map(({ claim }) => claim))];
      await handBack(deps, { ids: deliveries.map(({ id }) => id), claims });
      holdings.settle(deliveries, []);
    } catch (error) {
      deps.log.warn({ err: error }, 'claims on webhooks were not handed back; they lapse by themselves');
    }
  };
  const listener = startListening(deps, {
    ...o.also,
    [WEBHOOKS_CHANNEL]: payload => {
      // An unknown message may mean either.
      if (payload !== 'due') bells.event.ring();
      bells.due.ring();
    },
  });

  const succeeded = deps.metrics.webhookAttempts.labels('succeeded');
  const start = (flight: Flight) => {
    const { delivery } = flight;
    const at = deps.clock.now();
    const traced = delivery.traceparent === null ? null : traceAttempt(delivery);
    if (delivery.attempts === 0) {
      deps.metrics.webhookFirstAttempt.observe(Math.max(0, at.getTime() - timeOfId(delivery.event_id)) / 1_000);
    }
    const done = (sent: Sent) => {
      const attempts = sent.error === null ? succeeded : deps.metrics.webhookAttempts.labels(sent.error);
      attempts.observe(sent.latencyMs / 1_000);
      traced?.end(sent);
      writer.write(outcomeOf(deps, delivery, at, sent));
      const room = lanes.ended(flight);
      startAll();
      if (room) bells.due.ring();
    };
    const { tenant_id, url, keys } = delivery.to;
    // Calls `done` after this function returns, as the sender does.
    if (keys.length === 0) setImmediate(done, UNSIGNED);
    else {
      const headers = { ...signedHeaders(delivery.event_id, at, delivery.body, keys), ...traced?.headers };
      sender.send(tenant_id, url, delivery.body, headers, done);
    }
  };
  const startAll = () => {
    if (!stopping.signal.aborted) for (let next = lanes.next(); next; next = lanes.next()) start(next);
  };
  const lateness = setInterval(() => {
    const { late, behind } = lanes.findLate(PROMPT_MS);
    if (late === 0) return;
    void giveBack(behind);
    bells.due.ring();
  }, LOOK_FOR_LATE_MS);

  /** Starts what a claim took. */
  const takeClaimed = async (id: string, { deliveries, targets }: Claims, ailing: boolean): Promise<void> => {
    holdings.add(
      id,
      deliveries.map(delivery => delivery.id),
    );
    const to = new Map(
      Object.entries(targets).map(([endpoint, { secrets, ...target }]) => [
        endpoint,
        { ...target, keys: keysOf(target.tenant_id, secrets) },
      ]),
    );
    const ready = deliveries.map(delivery => ({ ...delivery, claim: id, to: to.get(delivery.endpoint_id)! }));
    const refused = lanes.take(ready, ailing);
    startAll();
    await giveBack(refused);
  };
  const newClaim = () => ({ id: newUlid(), node, lapseMs: CLAIM_MS });
  /** Remembers a claim whose answer was lost. */
  const losing = (id: string) => (error: unknown) => {
    lost.set(id, performance.now());
    throw error;
  };

  /** More was due at the last look than this node could take. */
  let backlog = false;
  /** Returns whether more may be due. */
  const claim = async (ailing: boolean): Promise<boolean> => {
    await giveBack(lanes.takeExpired());
    const room = lanes.room(ailing);
    if (room.free <= 0 || writer.behind()) {
      backlog = true;
      return false;
    }
    const own = newClaim();
    const now = deps.clock.now();
    const claims = await claimDeliveries(deps.db, { ...own, now, ailing, ...room }).catch(losing(own.id));
    await takeClaimed(own.id, claims, ailing);
    return claims.more;
  };

  /** Announces recorded events. Returns whether more may be left. */
  const announce = async (): Promise<boolean> => {
    const room = lanes.room(false);
    const own = newClaim();
    // Behind a backlog nothing is sent directly, so that what waits longest goes first.
    const direct = backlog || room.free <= 0 || writer.behind() ? undefined : { ...own, ...room };
    const { taken, claims } = await announceEvents(deps, { batch: BATCH, ...(direct ? { direct } : {}) }).catch(
      losing(own.id),
    );
    await takeClaimed(own.id, claims, false);
    if (taken > claims.deliveries.length) bells.due.ring();
    return taken === BATCH;
  };

  const loop = async (bell: Bell, work: () => Promise<boolean>) => {
    while (!stopping.signal.aborted) {
      bell.quiet();
      try {
        if (await work()) continue;
      } catch (error) {
        deps.log.warn({ err: error }, 'webhooks stopped for a moment');
        await sleep(RECONNECT_MS, undefined, { signal: stopping.signal }).catch(() => {});
      }
      await bell.wait(LOOK_ANYWAY_MS);
    }
  };
  /** Rings for what nobody notified, with one statement however little there is to do. */
  const watch = async () => {
    while (!stopping.signal.aborted) {
      try {
        const due = await whatIsDue(deps.db, deps.clock.now());
        if (due.prompt || due.ailing) bells.due.ring();
        if (due.events) bells.event.ring();
        if (due.lapsed || lost.size > 0) bells.lapsed.ring();
      } catch (error) {
        deps.log.warn({ err: error }, 'webhooks could not be looked for');
      }
      await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = [
    watch(),
    loop(bells.event, announce),
    loop(bells.due, async () => {
      const due = await whatIsDue(deps.db, deps.clock.now());
      backlog = false;
      const more = due.prompt && (await claim(false));
      backlog ||= more;
      return (due.ailing && (await claim(true))) || more;
    }),
    loop(bells.lapsed, async () => {
      await takeBackClaims(deps, 'lapsed', [...lost.keys()]);
      // By then the claim lapses by itself.
      for (const [id, at] of lost) if (performance.now() - at > CLAIM_MS) lost.delete(id);
      return false;
    }),
  ];

  return {
    async stop() {
      stopping.abort();
      bells.event.ring();
      bells.due.ring();
      bells.lapsed.ring();
      await Promise.all([...running, listener.stop()]);
      clearInterval(lateness);
      await Promise.race([lanes.idle(), sleep(GRACE_MS, undefined, { ref: false })]);
      await sender.close();
      await writer.stop();
      await endClaims(deps, { node, ids: holdings.ids() }).catch(error =>
        deps.log.warn({ err: error }, 'claims on webhooks were not handed back; they lapse by themselves'),
      );
    },
  };
}

function outcomeOf(deps: Pick<Deps, 'config'>, delivery: Ready, at: Date, sent: Sent): Outcome & Held {
  // A disabled endpoint gets one attempt, because somebody asked for it.
  const schedule = delivery.to.disabled ? [] : deps.config.webhookRetrySeconds;
  return {
    id: delivery.id,
    claim: delivery.claim,
    endpointId: delivery.endpoint_id,
    attempt: attemptOf(at, sent),
    next: nextAfter(sent, schedule, delivery.attempts + 1),
    slow: sent.latencyMs > PROMPT_MS,
    wellBefore: delivery.to.well,
  };
}

let lastIso = { time: Number.NaN, text: '' };
/**
 * Caches the last text: several attempts begin in the same millisecond, and formatting costs more than everything else
 * here.
 */
function isoOf(at: Date): string {
  if (at.getTime() !== lastIso.time) lastIso = { time: at.getTime(), text: at.toISOString() };
  return lastIso.text;
}

const attemptOf = (at: Date, sent: Sent): Outcome['attempt'] => ({
  at: isoOf(at),
  latency_ms: sent.latencyMs,
  ...(sent.statusCode === null ? {} : { status_code: sent.statusCode }),
  ...(sent.error === null ? {} : { error: sent.error }),
  ...(sent.excerpt ? { response_excerpt: sent.excerpt } : {}),
});
