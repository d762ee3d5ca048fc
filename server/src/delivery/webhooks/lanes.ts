import type { KeyObject } from 'node:crypto';
import type { Claimed, Room, Target } from './claim.ts';

/** Limits on open attempts and on deliveries taken ahead, for all endpoints, one tenant and one endpoint. */
interface Bounds {
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
const PROMPT: Bounds = {
  open: 128,
  held: 2_048,
  tenantHeld: 1_024,
  tenantOpen: 96,
  endpointOpen: 32,
  endpointHeld: 1_024,
};
const AILING: Bounds = { open: 128, held: 128, tenantHeld: 32, tenantOpen: 32, endpointOpen: 8, endpointHeld: 8 };
/** No delivery starts that was taken longer ago than this, because its claim might lapse while it is open. */
const MAX_WAIT_MS = 10_000;

/** A claimed delivery with its endpoint and the keys that sign it. */
export interface Ready extends Claimed {
  /** The id of its claim. */
  claim: string;
  to: Omit<Target, 'secrets'> & { keys: readonly KeyObject[] };
}

/** An attempt that is open. */
export interface Flight {
  delivery: Ready;
  lane: Lane;
  /** Milliseconds, by the clock of `performance.now()`. */
  startedAt: number;
  /** It has been open so long that it no longer counts among the prompt attempts. */
  late: boolean;
}

/** One endpoint's deliveries in this process. */
interface Lane {
  endpointId: string;
  tenantId: string;
  ailing: boolean;
  waiting: { delivery: Ready; takenAt: number }[];
  open: number;
  /** How many open attempts are late. */
  late: number;
}

const POOLS = { prompt: PROMPT, ailing: AILING } as const;
const poolOf = (ailing: boolean) => (ailing ? 'ailing' : 'prompt');
const heldBy = (lane: Lane) => lane.open + lane.waiting.length;
/** An endpoint that holds this many gets no more. It refills in one go once it holds fewer. */
const enoughOf = (ailing: boolean) => Math.ceil(POOLS[poolOf(ailing)].endpointHeld / (ailing ? 1 : 2));

/**
 * Holds one node's deliveries, bounded for each endpoint, for each tenant and in total. Endpoints start attempts in
 * turn.
 */
export function createLanes() {
  const lanes = new Map<string, Lane>();
  const flights = new Set<Flight>();
  const open = { prompt: 0, ailing: 0 };
  const tenantOpen = { prompt: new Map<string, number>(), ailing: new Map<string, number>() };
  let expired: Ready[] = [];
  // Whether a bound other than an endpoint's own prevented a claim.
  let bound = false;
  let whenIdle: (() => void) | null = null;

  const openOf = (lane: Lane) => tenantOpen[poolOf(lane.ailing)].get(lane.tenantId) ?? 0;
  const count = (pool: keyof typeof open, tenantId: string, by: number) => {
    open[pool] += by;
    const now = (tenantOpen[pool].get(tenantId) ?? 0) + by;
    if (now > 0) tenantOpen[pool].set(tenantId, now);
    else tenantOpen[pool].delete(tenantId);
  };
  const laneOf = (delivery: Ready, ailing: boolean): Lane => {
    const known = lanes.get(delivery.endpoint_id);
    const lane = known ?? {
      endpointId: delivery.endpoint_id,
      tenantId: delivery.to.tenant_id,
      ailing,
      waiting: [],
      open: 0,
      late: 0,
    };
    if (lane.ailing !== ailing) {
      count(poolOf(lane.ailing), lane.tenantId, lane.late - lane.open);
      count(poolOf(ailing), lane.tenantId, lane.open - lane.late);
      lane.ailing = ailing;
    }
    lanes.set(lane.endpointId, lane);
    return lane;
  };
  const forget = (lane: Lane) => {
    if (heldBy(lane) === 0) lanes.delete(lane.endpointId);
  };

  return {
    /** Returns what one of the pools may claim now. */
    room(ailing: boolean): Room {
      const bounds = POOLS[poolOf(ailing)];
      const held = new Map<string, number>();
      const tenants = new Map<string, number>();
      let total = 0;
      for (const lane of lanes.values()) {
        const mine = heldBy(lane);
        // Late attempts count as ailing. Their endpoint gets nothing more until they end.
        const late = lane.ailing ? 0 : lane.late;
        const counted = lane.ailing === ailing ? mine - late : ailing ? late : 0;
        total += counted;
        tenants.set(lane.tenantId, (tenants.get(lane.tenantId) ?? 0) + counted);
        held.set(lane.endpointId, late > 0 || mine >= enoughOf(ailing) ? bounds.endpointHeld : mine);
      }
      const fullTenants = [...tenants].filter(([, count]) => count >= bounds.tenantHeld).map(([id]) => id);
      const free = Math.max(0, bounds.held - total);
      bound ||= free === 0 || fullTenants.length > 0;
      return { free, perEndpoint: bounds.endpointHeld, held, fullTenants };
    },

    /** Takes claimed deliveries. Returns those that must not start now. */
    take(claimed: readonly Ready[], ailing: boolean): Ready[] {
      const refused: Ready[] = [];
      for (const delivery of claimed) {
        if ((lanes.get(delivery.endpoint_id)?.late ?? 0) > 0) refused.push(delivery);
        else laneOf(delivery, ailing).waiting.push({ delivery, takenAt: performance.now() });
      }
      return refused;
    },

    /** Returns the next attempt to start and counts it as open; null when none may start. */
    next(): Flight | null {
      for (const lane of lanes.values()) {
        const pool = poolOf(lane.ailing);
        const bounds = POOLS[pool];
        if (lane.open >= bounds.endpointOpen || open[pool] >= bounds.open || openOf(lane) >= bounds.tenantOpen)
          continue;
        const first = lane.waiting.shift();
        if (!first) continue;
        if (performance.now() - first.takenAt > MAX_WAIT_MS) {
          expired.push(first.delivery, ...lane.waiting.splice(0).map(({ delivery }) => delivery));
          forget(lane);
          continue;
        }
        lane.open += 1;
        count(pool, lane.tenantId, 1);
        // Moves the lane to the back, so the others come first.
        lanes.delete(lane.endpointId);
        lanes.set(lane.endpointId, lane);
        const flight: Flight = { delivery: first.delivery, lane, startedAt: performance.now(), late: false };
        flights.add(flight);
        return flight;
      }
      return null;
    },

    /**
     * Marks attempts that have been open longer than `ms` as late. Returns how many, and the deliveries that waited behind them,
     * for other nodes or for later.
     */
    findLate(ms: number): { late: number; behind: Ready[] } {
      const before = performance.now() - ms;
      const behind: Ready[] = [];
      let late = 0;
      for (const flight of flights) {
        // Attempts lie in the order they began.
        if (flight.startedAt > before) break;
        if (flight.late || flight.lane.ailing) continue;
        flight.late = true;
        late += 1;
        flight.lane.late += 1;
        count('prompt', flight.lane.tenantId, -1);
        count('ailing', flight.lane.tenantId, 1);
        behind.push(...flight.lane.waiting.splice(0).map(({ delivery }) => delivery));
      }
      return { late, behind };
    },

    /** Removes an attempt that ended. Returns true when a claim may now take something that it could not before. */
    ended(flight: Flight): boolean {
      const { lane } = flight;
      const late = flight.late || lane.ailing;
      flights.delete(flight);
      lane.open -= 1;
      if (flight.late) lane.late -= 1;
      count(poolOf(late), lane.tenantId, -1);
      forget(lane);
      if (open.prompt + open.ailing === 0) whenIdle?.();
      const mine = heldBy(lane);
      const room = bound || late || mine === 0 || mine === enoughOf(false) - 1;
      bound = false;
      return room;
    },

    /** Returns deliveries that waited too long, to hand back. */
    takeExpired(): Ready[] {
      const taken = expired;
      expired = [];
      return taken;
    },

    /** Resolves when no attempt is open. */
    idle: () =>
      new Promise<void>(resolve => {
        if (open.prompt + open.ailing === 0) resolve();
        else whenIdle = resolve;
      }),
  };
}
