import { setTimeout as sleep } from 'node:timers/promises';
import { type Channels, createWakeup, startListening, type Wakeup } from '../../platform/db/listen.ts';
import type { Deps } from '../../platform/deps.ts';
import { newUlid } from '../../platform/lib/ids.ts';
import { WEBHOOKS_CHANNEL } from '../../record/events/record.ts';
import type { Resolve } from './allowed-address.ts';
import { announceEvents } from './announce.ts';
import { createAttempts, PROMPT_MS } from './attempt.ts';
import { type Claims, claimDeliveries, type Held, handBack, takeBackClaims, whatIsDue } from './claim.ts';
import { EndpointQueues, type OpenAttempt } from './endpoint-queues.ts';
import { startOutcomeWriter } from './outcome-writer.ts';
import type { NodeClaim } from './queue.ts';
import { ATTEMPT_TIMEOUT_MS } from './send.ts';
import { createSigningKeys } from './signing-keys.ts';

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

export interface DispatcherOptions {
  /** The database belongs to this process only. Existing claims are therefore from a process that ended. */
  alone: boolean;
  /** For tests: how host names resolve. */
  resolve?: Resolve;
  /** Other channels to listen to over the same connection. */
  also?: Channels;
}

/**
 * Announces events and sends their deliveries for as long as it runs. Any number of nodes may run it. It waits on
 * LISTEN, so an idle queue starts an attempt within milliseconds of the commit. {@link EndpointQueues} bounds its
 * memory, however much is queued.
 */
export async function startDispatcher(deps: Deps, o: DispatcherOptions): Promise<Dispatcher> {
  if (o.alone) await takeBackClaims(deps, { all: true });
  return new Dispatcher(deps, o);
}

class Dispatcher {
  readonly #deps: Deps;
  readonly #node = newUlid();
  readonly #stopping = new AbortController();
  readonly #wakeups = { event: createWakeup(), due: createWakeup(), claims: createWakeup() };
  readonly #queues = new EndpointQueues();
  readonly #writer;
  readonly #attempts;
  readonly #keysOf;
  readonly #listener;
  readonly #lateness;
  readonly #running: Promise<void>[];
  /** Claims whose answer was lost: the database may have made them. */
  readonly #lost = new Set<string>();
  /** More was due at the last look than this node could take. */
  #backlog = false;

  constructor(deps: Deps, o: DispatcherOptions) {
    const { event, due, claims } = this.#wakeups;
    this.#deps = deps;
    this.#writer = startOutcomeWriter(deps, due.wake);
    this.#attempts = createAttempts(deps, o.resolve);
    this.#keysOf = createSigningKeys(deps);
    this.#listener = startListening(deps, {
      ...o.also,
      [WEBHOOKS_CHANNEL]: payload => {
        // An unknown message may mean either.
        if (payload !== 'due') event.wake();
        due.wake();
      },
    });
    this.#lateness = setInterval(() => this.#giveBackBehindLate(), LOOK_FOR_LATE_MS);
    this.#running = [
      this.#watch(),
      this.#loop(event, () => this.#announce()),
      this.#loop(due, () => this.#claimDue()),
      this.#loop(claims, () => this.#takeBack()),
    ];
  }

  /** Takes no more deliveries, gives open attempts a moment to finish, and hands the rest back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const wakeup of Object.values(this.#wakeups)) wakeup.wake();
    await Promise.all([...this.#running, this.#listener.stop()]);
    clearInterval(this.#lateness);
    await Promise.race([this.#queues.idle(), sleep(GRACE_MS, undefined, { ref: false })]);
    await this.#attempts.close();
    await this.#writer.stop();
    await takeBackClaims(this.#deps, { node: this.#node }).catch(this.#warnNotHandedBack);
  }

  async #loop(wakeup: Wakeup, work: () => Promise<boolean>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      wakeup.clear();
      try {
        if (await work()) continue;
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'webhooks stopped for a moment');
        await this.#sleep(RECONNECT_MS);
      }
      await wakeup.wait(LOOK_ANYWAY_MS);
    }
  }

  /** Finds what nobody notified, with one statement however little there is to do. */
  async #watch(): Promise<void> {
    const { event, due, claims } = this.#wakeups;
    while (!this.#stopping.signal.aborted) {
      try {
        const found = await whatIsDue(this.#deps.db, this.#deps.clock.now());
        if (found.prompt || found.ailing) due.wake();
        if (found.events) event.wake();
        if (found.claims || this.#lost.size > 0) claims.wake();
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'webhooks could not be looked for');
      }
      await this.#sleep(POLL_MS);
    }
  }

  #sleep(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  /** Announces recorded events. Returns whether more may be left. */
  async #announce(): Promise<boolean> {
    const room = this.#queues.room('prompt');
    // Behind a backlog nothing is sent directly, so that what waits longest goes first.
    const direct = !this.#backlog && room.free > 0 && !this.#writer.behind();
    const claim = this.#newClaim();
    const { taken, claims } = await this.#claiming(
      claim,
      announceEvents(this.#deps, { batch: BATCH, direct: direct ? { ...claim, ...room } : undefined }),
    );
    await this.#start(claim.id, claims, 'prompt');
    if (taken > claims.deliveries.length) this.#wakeups.due.wake();
    return taken === BATCH;
  }

  /** Claims what is due. Returns whether more may be due. */
  async #claimDue(): Promise<boolean> {
    const due = await whatIsDue(this.#deps.db, this.#deps.clock.now());
    this.#backlog = false;
    const more = due.prompt && (await this.#claim('prompt'));
    this.#backlog ||= more;
    return (due.ailing && (await this.#claim('ailing'))) || more;
  }

  async #claim(pool: 'prompt' | 'ailing'): Promise<boolean> {
    await this.#giveBack(this.#queues.takeExpired());
    const room = this.#queues.room(pool);
    if (room.free <= 0 || this.#writer.behind()) {
      this.#backlog = true;
      return false;
    }
    const claim = this.#newClaim();
    const now = this.#deps.clock.now();
    const claims = await this.#claiming(claim, claimDeliveries(this.#deps.db, { ...claim, now, pool, ...room }));
    await this.#start(claim.id, claims, pool);
    return claims.more;
  }

  #newClaim(): NodeClaim {
    return { id: newUlid(), node: this.#node, lapseMs: CLAIM_MS };
  }

  /** Remembers the claim if its answer is lost. */
  async #claiming<T>({ id }: NodeClaim, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      this.#lost.add(id);
      throw error;
    }
  }

  async #takeBack(): Promise<false> {
    const lost = [...this.#lost];
    await takeBackClaims(this.#deps, { ids: lost });
    for (const id of lost) this.#lost.delete(id);
    return false;
  }

  /** Starts what a claim took. */
  async #start(claim: string, { deliveries, targets }: Claims, pool: 'prompt' | 'ailing'): Promise<void> {
    const to = new Map(
      Object.entries(targets).map(([endpoint, { secrets, ...target }]) => [
        endpoint,
        { ...target, keys: this.#keysOf(target.tenant_id, secrets) },
      ]),
    );
    const ready = deliveries.map(delivery => ({ ...delivery, claim, to: to.get(delivery.endpoint_id)! }));
    const refused = this.#queues.take(ready, pool);
    this.#startAttempts();
    await this.#giveBack(refused);
  }

  #startAttempts(): void {
    if (this.#stopping.signal.aborted) return;
    for (let next = this.#queues.startNext(); next; next = this.#queues.startNext()) this.#send(next);
  }

  #send(attempt: OpenAttempt): void {
    this.#attempts.send(attempt.delivery, outcome => {
      this.#writer.write(outcome);
      const room = this.#queues.ended(attempt);
      this.#startAttempts();
      if (room) this.#wakeups.due.wake();
    });
  }

  #giveBackBehindLate(): void {
    const { late, behind } = this.#queues.findLate(PROMPT_MS);
    if (late === 0) return;
    void this.#giveBack(behind);
    this.#wakeups.due.wake();
  }

  async #giveBack(deliveries: readonly Held[]): Promise<void> {
    if (deliveries.length > 0) await handBack(this.#deps, deliveries).catch(this.#warnNotHandedBack);
  }

  readonly #warnNotHandedBack = (error: unknown) =>
    this.#deps.log.warn({ err: error }, 'claims on webhooks were not handed back; they lapse by themselves');
}
