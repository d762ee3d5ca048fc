import { many, one, type Queryable, ringAfterCommit, type Tx } from '../../platform/db/sql.ts';
import { storableText } from '../../platform/db/storable.ts';
import { traceparentOf } from '../../platform/lib/tracing.ts';
import type { CaptureRow, VerificationRow } from '../verifications/row.ts';

// Chooses the next capture to analyse. Start-time fair queueing (Goyal, Vin, Cheng 1996) with one lane for each tenant
// and mode; the trial's tenant is one lane. A capture's turn is the later of the clock's turn and one cost past the
// last turn in its lane. The lowest turn goes first. A lane of a thousand captures therefore spreads over a thousand
// turns, and a lane that was idle goes next.

/** The channel that PostgreSQL notifies when a capture waits. */
export const ANALYSIS_CHANNEL = 'firsthand_analysis';

/**
 * Turns that one capture uses in its lane, by class. While all three classes wait, 16 of every 21 captures are live and
 * one is a trial's.
 */
const COST = { live: 1, test: 4, trial: 16 } as const;

/** A claim lapses this long after its node last renewed it: the node is dead. */
export const CLAIM_SECONDS = 10;

/**
 * Gives a new capture its turn, in the transaction that inserts it. Call this last: it locks the lane until the commit.
 */
export async function awaitAnalysis(
  tx: Tx,
  row: Pick<VerificationRow, 'tenant_id' | 'livemode'>,
  captureId: string,
): Promise<void> {
  await tx.query(
    `with lane as (
       insert into analysis_lanes as lane (tenant_id, livemode, class, cost, next_turn)
       select t.id, $2, kind.class, kind.cost, clock.turn + kind.cost
       from tenants t, analysis_clock clock, lateral (
         select case when t.is_trial then 2 when $2 then 0 else 1 end as class,
           case when t.is_trial then ${COST.trial} when $2 then ${COST.live} else ${COST.test} end as cost
       ) kind
       where t.id = $1
       on conflict (tenant_id, livemode) do update set class = excluded.class, cost = excluded.cost,
         next_turn = greatest(lane.next_turn + excluded.cost, excluded.next_turn)
       returning class, next_turn - cost as turn
     )
     update captures set analysis_turn = lane.turn, analysis_class = lane.class, traceparent = $4 from lane where captures.id = $3`,
    [row.tenant_id, row.livemode, captureId, traceparentOf()],
  );
  ringAfterCommit(tx, ANALYSIS_CHANNEL);
}

/** A capture claimed for analysis. `analysis_attempts` counts this attempt. */
export type ClaimedCapture = CaptureRow & { analysis_attempts: number; traceparent: string | null };

/**
 * Claims the capture with the lowest turn for {@link CLAIM_SECONDS}, unless renewed. Returns undefined when none is
 * due. Counts the attempt before it runs, so an attempt that kills the process counts too. Never takes one of `inWork`:
 * a node so busy that its own claim lapsed does not begin again.
 */
export async function claimCapture(db: Queryable, inWork: readonly string[] = []): Promise<ClaimedCapture | undefined> {
  return one<ClaimedCapture>(
    db,
    `with next as (
       select id from captures where analysis_state = 'pending' and analysis_due_at <= now() and id <> all($1)
       order by analysis_turn, analysis_class, id limit 1 for update skip locked
     ), taken as (
       update captures set analysis_attempts = analysis_attempts + 1,
         analysis_due_at = now() + make_interval(secs => ${CLAIM_SECONDS})
       from next where captures.id = next.id returning captures.*
     ), ticked as (
       update analysis_clock set turn = taken.analysis_turn from taken where analysis_clock.turn < taken.analysis_turn
     )
     select * from taken`,
    [inWork],
  );
}

/** Renews the claims on the captures this node is analysing. */
export async function renewClaims(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.query(
    `update captures set analysis_due_at = now() + make_interval(secs => ${CLAIM_SECONDS})
     where id = any($1) and analysis_state = 'pending'`,
    [ids],
  );
}

/** Puts captures back for another attempt after a pause. `uncounted`: the attempt says nothing about the picture. */
export async function putBack(
  db: Queryable,
  ids: readonly string[],
  o: { pauseSeconds: number; uncounted: boolean },
): Promise<void> {
  await db.query(
    `update captures set analysis_due_at = now() + make_interval(secs => $2), analysis_attempts = analysis_attempts - $3
     where id = any($1) and analysis_state = 'pending'`,
    [ids, o.pauseSeconds, o.uncounted ? 1 : 0],
  );
}

/**
 * Ends the claims of a process that died while no other node was alive. Its captures pause as after any attempt,
 * because one of them may have killed it.
 */
export async function endDeadClaims(db: Queryable, retrySeconds: readonly number[]): Promise<void> {
  await db.query(
    `update captures set analysis_due_at = now() + make_interval(secs => coalesce(($1::float8[])[analysis_attempts], 0))
     where analysis_state = 'pending' and analysis_attempts > 0 and analysis_due_at > now()`,
    [retrySeconds],
  );
}

/** Records a permanent failure. Nothing from the picture goes into it except text made storable. */
export async function failAnalysis(db: Queryable, id: string, at: Date, reason: string): Promise<void> {
  await db.query(
    `update captures set analysis_state = 'failed', analyzed_at = $2, analysis_error = $3
     where id = $1 and analysis_state = 'pending'`,
    [id, at, storableText(reason, 500)],
  );
}

export const OVERDUE_MINUTES = 10;

/** Captures that have waited longer than {@link OVERDUE_MINUTES}, oldest first: their number, the longest wait, and a few of them. */
export async function overdueCaptures(
  db: Queryable,
): Promise<{ count: number; oldestSeconds: number; some: { id: string; attempts: number }[] }> {
  const rows = await many<{ id: string; attempts: number; count: string; seconds: number }>(
    db,
    `select id, analysis_attempts as attempts, count(*) over () as count,
       extract(epoch from now() - created_at)::float8 as seconds
     from captures where analysis_state = 'pending' and created_at < now() - make_interval(mins => $1)
     order by created_at limit 10`,
    [OVERDUE_MINUTES],
  );
  return {
    count: Number(rows[0]?.count ?? 0),
    oldestSeconds: rows[0]?.seconds ?? 0,
    some: rows.map(({ id, attempts }) => ({ id, attempts })),
  };
}
