import type { KeyObject } from 'node:crypto';
import type { Claimed, Room, Target } from './claim.ts';

/** Limits on open attempts and on deliveries taken ahead, for all endpoints, one tenant and one endpoint. */
interface Limits {
  open: number;
  held: number;
  tenantHeld: number;
  tenantOpen: number;
  endpointOpen: number;
  endpointHeld: number;
}

/**
 * Prompt endpoints have one pool, and endpoints that failed or were slow last time have another. However many of these
 * there are, the prompt ones never wait for them. One account leaves room for others. Only prompt endpoints have
 * deliveries taken ahead.
 */
const LIMITS = {
  prompt: { open: 128, held: 2_048, tenantHeld: 1_024, tenantOpen: 96, endpointOpen: 32, endpointHeld: 1_024 },
  ailing: { open: 128, held: 128, tenantHeld: 32, tenantOpen: 32, endpointOpen: 8, endpointHeld: 8 },
} as const satisfies Record<string, Limits>;
type Pool = keyof typeof LIMITS;

/** A prompt endpoint that holds this many gets no more. It refills in one go once it holds fewer. */
const REFILL_BELOW = LIMITS.prompt.endpointHeld / 2;
/** No delivery starts that was taken longer ago than this, because its claim might lapse while it is open. */
const MAX_WAIT_MS = 10_000;

/** A claimed delivery with its endpoint and the keys that sign it. */
export interface Ready extends Claimed {
  /** The id of its claim. */
  claim: string;
  to: Omit<Target, 'secrets'> & { keys: readonly KeyObject[] };
}

export interface OpenAttempt {
  delivery: Ready;
  queue: EndpointQueue;
  /** Milliseconds, by the clock of `performance.now()`. */
  startedAt: number;
  /** The pool that it counts in: an attempt that is late moves to the ailing ones. */
  pool: Pool;
  late: boolean;
}

/** One endpoint's deliveries in this process. */
interface EndpointQueue {
  endpointId: string;
  tenantId: string;
  pool: Pool;
  waiting: { delivery: Ready; takenAt: number }[];
  open: number;
  /** How many open attempts are late. */
  late: number;
}

const heldBy = ({ open, waiting }: EndpointQueue) => open + waiting.length;
const takeWaiting = ({ waiting }: EndpointQueue) => waiting.splice(0).map(({ delivery }) => delivery);

/** Counts the open attempts of each pool, in all and by tenant. */
class OpenCounts {
  readonly #all = { prompt: 0, ailing: 0 };
  readonly #ofTenant = { prompt: new Map<string, number>(), ailing: new Map<string, number>() };

  add(pool: Pool, tenantId: string, by: 1 | -1): void {
    this.#all[pool] += by;
    const counts = this.#ofTenant[pool];
    const count = (counts.get(tenantId) ?? 0) + by;
    if (count > 0) counts.set(tenantId, count);
    else counts.delete(tenantId);
  }

  hasRoom({ pool, tenantId, open }: EndpointQueue): boolean {
    return (
      open < LIMITS[pool].endpointOpen &&
      this.#all[pool] < LIMITS[pool].open &&
      (this.#ofTenant[pool].get(tenantId) ?? 0) < LIMITS[pool].tenantOpen
    );
  }
}

/**
 * Holds one node's deliveries in a queue for each endpoint, bounded for each endpoint, for each tenant and in total.
 * Endpoints start attempts in turn.
 */
export class EndpointQueues {
  readonly #queues = new Map<string, EndpointQueue>();
  /** In the order they began. */
  readonly #attempts = new Set<OpenAttempt>();
  readonly #openCounts = new OpenCounts();
  readonly #expired: Ready[] = [];
  /** Whether a limit other than an endpoint's own prevented a claim. */
  #limited = false;
  #whenIdle: (() => void) | null = null;

  /** Returns what one of the pools may claim now. */
  room(pool: Pool): Room {
    const limits = LIMITS[pool];
    const held = new Map<string, number>();
    const ofTenant = new Map<string, number>();
    let total = 0;
    for (const queue of this.#queues.values()) {
      const mine = heldBy(queue);
      // Late attempts count as ailing.
      const inQueuesPool = queue.pool === 'prompt' ? mine - queue.late : mine;
      const counted = queue.pool === pool ? inQueuesPool : pool === 'ailing' ? queue.late : 0;
      total += counted;
      ofTenant.set(queue.tenantId, (ofTenant.get(queue.tenantId) ?? 0) + counted);
      // An endpoint with a late attempt gets nothing more until that ends.
      const full = queue.late > 0 || (pool === 'prompt' && mine >= REFILL_BELOW);
      held.set(queue.endpointId, full ? limits.endpointHeld : mine);
    }
    const fullTenants = [...ofTenant].filter(([, count]) => count >= limits.tenantHeld).map(([id]) => id);
    const free = Math.max(0, limits.held - total);
    this.#limited ||= free === 0 || fullTenants.length > 0;
    return { free, perEndpoint: limits.endpointHeld, held, fullTenants };
  }

  /** Takes claimed deliveries. Returns those that must not start now. */
  take(claimed: readonly Ready[], pool: Pool): Ready[] {
    const refused: Ready[] = [];
    for (const delivery of claimed) {
      const queue = this.#queueOf(delivery);
      if (queue.late > 0) refused.push(delivery);
      else {
        queue.pool = pool;
        queue.waiting.push({ delivery, takenAt: performance.now() });
      }
    }
    return refused;
  }

  /** Returns the next attempt to start and counts it as open; null when none may start. */
  startNext(): OpenAttempt | null {
    for (const queue of this.#queues.values()) {
      const first = queue.waiting[0];
      if (!first || !this.#openCounts.hasRoom(queue)) continue;
      if (performance.now() - first.takenAt > MAX_WAIT_MS) {
        this.#expired.push(...takeWaiting(queue));
        this.#forgetIfEmpty(queue);
        continue;
      }
      queue.waiting.shift();
      return this.#start(queue, first.delivery);
    }
    return null;
  }

  /**
   * Marks prompt attempts that have been open longer than `ms` as late. Returns how many, and the deliveries that waited
   * behind them, for other nodes or for later.
   */
  findLate(ms: number): { late: number; behind: Ready[] } {
    const before = performance.now() - ms;
    const behind: Ready[] = [];
    let late = 0;
    for (const attempt of this.#attempts) {
      if (attempt.startedAt > before) break;
      if (attempt.pool === 'ailing') continue;
      const { queue } = attempt;
      attempt.pool = 'ailing';
      attempt.late = true;
      late += 1;
      queue.late += 1;
      this.#openCounts.add('prompt', queue.tenantId, -1);
      this.#openCounts.add('ailing', queue.tenantId, 1);
      behind.push(...takeWaiting(queue));
    }
    return { late, behind };
  }

  /** Removes an attempt that ended. Returns true when a claim may now take something that it could not before. */
  ended(attempt: OpenAttempt): boolean {
    const { queue, pool, late } = attempt;
    this.#attempts.delete(attempt);
    queue.open -= 1;
    if (late) queue.late -= 1;
    this.#openCounts.add(pool, queue.tenantId, -1);
    this.#forgetIfEmpty(queue);
    if (this.#attempts.size === 0) this.#whenIdle?.();
    const mine = heldBy(queue);
    const room = this.#limited || pool === 'ailing' || mine === 0 || mine === REFILL_BELOW - 1;
    this.#limited = false;
    return room;
  }

  /** Returns deliveries that waited too long, to hand back. */
  takeExpired(): Ready[] {
    return this.#expired.splice(0);
  }

  /** Resolves when no attempt is open. */
  idle(): Promise<void> {
    return new Promise(resolve => {
      if (this.#attempts.size === 0) resolve();
      else this.#whenIdle = resolve;
    });
  }

  #queueOf({ endpoint_id: endpointId, to }: Ready): EndpointQueue {
    const known = this.#queues.get(endpointId);
    if (known) return known;
    const queue: EndpointQueue = { endpointId, tenantId: to.tenant_id, pool: 'prompt', waiting: [], open: 0, late: 0 };
    this.#queues.set(endpointId, queue);
    return queue;
  }

  #start(queue: EndpointQueue, delivery: Ready): OpenAttempt {
    const { pool } = queue;
    queue.open += 1;
    this.#openCounts.add(pool, queue.tenantId, 1);
    // Moves the queue to the back, so the others come first.
    this.#queues.delete(queue.endpointId);
    this.#queues.set(queue.endpointId, queue);
    const attempt = { delivery, queue, startedAt: performance.now(), pool, late: false };
    this.#attempts.add(attempt);
    return attempt;
  }

  #forgetIfEmpty(queue: EndpointQueue): void {
    if (heldBy(queue) === 0) this.#queues.delete(queue.endpointId);
  }
}
