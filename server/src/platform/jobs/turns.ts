import type { QueryResultRow } from 'pg';
import { one, type Queryable, ringAfterCommit, type Tx } from '../db/sql.ts';
import { traceparentOf } from '../lib/tracing.ts';

// Chooses the next piece of work. Start-time fair queueing (Goyal, Vin, Cheng 1996) with one lane for each kind of work,
// tenant and mode; the trial's tenant is one lane. A piece's turn is the later of the clock's turn and one cost past the
// last turn in its lane. The lowest turn goes first. A lane of a thousand pieces therefore spreads over a thousand turns,
// and a lane that was idle goes next.

/**
 * Turns that one piece of work uses in its lane, by class. While all three classes wait, 16 of every 21 pieces are live
 * and one is a trial's.
 */
const COST = { live: 1, test: 4, trial: 16 } as const;

/** A claim lapses this long after its node last renewed it: the node is dead. */
export const CLAIM_SECONDS = 10;

/** Whose work it is. */
export interface Owner {
  tenant_id: string;
  livemode: boolean;
}

/** Describes the table that holds the work of one kind, and the names of its columns. The caller's room owns the table. */
export interface Work {
  /** The name of its lanes and of its clock. */
  kind: string;
  /** The channel that PostgreSQL notifies when work waits. */
  channel: string;
  table: string;
  /** SQL: the row still waits for its work. */
  waiting: string;
  turn: string;
  class: string;
  attempts: string;
  due: string;
}

/** A row claimed for its work. */
export interface Claim {
  id: string;
  tenant_id: string;
  traceparent: string | null;
  /** Attempts begun, with this one. */
  claimed_attempts: number;
  /** 0 live, 1 test, 2 trial. */
  claimed_class: number;
}

export interface PutBack {
  pauseSeconds: number;
  /** The attempt says nothing about the work. */
  uncounted: boolean;
}

/** Work of one kind that takes turns by account and mode. */
export interface Turns<Row extends Claim> {
  readonly channel: string;
  /** Gives a new row its turn, in the transaction that inserts it. Call this last: it locks the lane until the commit. */
  join(tx: Tx, owner: Owner, id: string): Promise<void>;
  /**
   * Claims the row that goes next on a node with so many places, for {@link CLAIM_SECONDS} unless renewed. Undefined when
   * none is due, or no place is free. Counts the attempt before it runs, so an attempt that kills the process counts too.
   * Never takes one of `held`: a node so busy that its own claim lapsed does not begin again.
   */
  claim(db: Queryable, held?: readonly Claim[], places?: number): Promise<Row | undefined>;
  /** Renews the claims on the rows that this node works on. */
  renew(db: Queryable, ids: readonly string[]): Promise<void>;
  /** Puts rows back for another attempt after a pause. */
  putBack(db: Queryable, ids: readonly string[], o: PutBack): Promise<void>;
  /**
   * Ends the claims of a process that died while no other node was alive. Its rows pause as after any attempt, because one
   * of them may have killed it.
   */
  endDead(db: Queryable, retrySeconds: readonly number[]): Promise<void>;
}

/** A row of a lane with work never has a turn further than this from the clock at its head. */
const NEXT = Math.max(...Object.values(COST));

export function createTurns<Row extends Claim & QueryResultRow>(work: Work): Turns<Row> {
  const { kind, channel, table, waiting } = work;
  /** `$1`: rows that this node holds. */
  const claimOf = (more: string) => `with next as (
      select id from ${table} where ${waiting} and ${work.due} <= now() and id <> all($1) ${more}
      order by ${work.turn}, ${work.class}, id limit 1 for update skip locked
    ), taken as (
      update ${table} set ${work.attempts} = ${work.attempts} + 1, ${work.due} = now() + make_interval(secs => ${CLAIM_SECONDS})
      from next where ${table}.id = next.id
      returning ${table}.*, ${work.attempts} as claimed_attempts, ${work.class} as claimed_class
    ), ticked as (
      update turn_clocks set turn = taken.${work.turn} from taken
      where turn_clocks.kind = '${kind}' and turn_clocks.turn < taken.${work.turn}
    )
    select * from taken`;
  const ofAnybody = claimOf('');
  // The bound on the turn keeps the search from reading all that the excluded accounts have waiting.
  const ofOthers = claimOf(`and tenant_id <> all($2) and ${work.class} <= $3
      and ${work.turn} <= (select turn + ${NEXT} from turn_clocks where kind = '${kind}')`);

  return {
    channel,
    async join(tx, owner, id) {
      await tx.query(
        `with lane as (
           insert into turn_lanes as lane (kind, tenant_id, livemode, class, cost, next_turn)
           select '${kind}', t.id, $2, of.class, of.cost, clock.turn + of.cost
           from tenants t, turn_clocks clock, lateral (
             select case when t.is_trial then 2 when $2 then 0 else 1 end as class,
               case when t.is_trial then ${COST.trial} when $2 then ${COST.live} else ${COST.test} end as cost
           ) of
           where t.id = $1 and clock.kind = '${kind}'
           on conflict (kind, tenant_id, livemode) do update set class = excluded.class, cost = excluded.cost,
             next_turn = greatest(lane.next_turn + excluded.cost, excluded.next_turn)
           returning class, next_turn - cost as turn
         )
         update ${table} set ${work.turn} = lane.turn, ${work.class} = lane.class, traceparent = $4 from lane where ${table}.id = $3`,
        [owner.tenant_id, owner.livemode, id, traceparentOf()],
      );
      ringAfterCommit(tx, channel);
    },
    async claim(db, held = [], places = Number.POSITIVE_INFINITY) {
      const { others, anybody } = mayGoNext(held, places);
      const ids = held.map(({ id }) => id);
      const first = others && (await one<Row>(db, ofOthers, [ids, others.than, others.upToClass]));
      return first ?? (anybody ? one<Row>(db, ofAnybody, [ids]) : undefined);
    },
    async renew(db, ids) {
      if (ids.length === 0) return;
      await db.query(
        `update ${table} set ${work.due} = now() + make_interval(secs => ${CLAIM_SECONDS}) where id = any($1) and ${waiting}`,
        [ids],
      );
    },
    async putBack(db, ids, { pauseSeconds, uncounted }) {
      await db.query(
        `update ${table} set ${work.due} = now() + make_interval(secs => $2), ${work.attempts} = ${work.attempts} - $3
         where id = any($1) and ${waiting}`,
        [ids, pauseSeconds, uncounted ? 1 : 0],
      );
    },
    async endDead(db, retrySeconds) {
      await db.query(
        `update ${table} set ${work.due} = now() + make_interval(secs => coalesce(($1::float8[])[${work.attempts}], 0))
         where ${waiting} and ${work.attempts} > 0 and ${work.due} > now()`,
        [retrySeconds],
      );
    },
  };
}

interface MayGo {
  /** Accounts other than these go first, with work of this class or a more important one. */
  others: { than: string[]; upToClass: number } | undefined;
  /** Whoever has the lowest turn, if none of them waits. */
  anybody: boolean;
}

/**
 * Decides who may take the next place of a node. Turns share work by its number, and one account's work may take a
 * hundred times as long as another's, so places are shared too:
 * - While other accounts wait, an account holds at most half of the places.
 * - One place beyond the last is for an account that holds none, so it waits for nobody's work to end.
 *
 * Neither rule lets a test or a trial go before what is live.
 */
export function mayGoNext(held: readonly Claim[], places: number): MayGo {
  const holding = Map.groupBy(held, ({ tenant_id }) => tenant_id);
  const full = held.length >= places;
  const crowd = full ? held : [...holding.values()].filter(({ length }) => 2 * length >= places).flat();
  const others =
    crowd.length > 0 && held.length <= places
      ? {
          than: [...new Set(crowd.map(({ tenant_id }) => tenant_id))],
          upToClass: Math.min(...crowd.map(({ claimed_class }) => claimed_class)),
        }
      : undefined;
  return { others, anybody: !full };
}
