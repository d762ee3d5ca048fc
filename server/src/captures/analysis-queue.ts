import { many, one, type Queryable, type Tx } from '../db/sql.ts';
import { storableText } from '../db/storable.ts';
import type { CaptureRow, VerificationRow } from '../verifications/row.ts';

// Which capture is analysed next. Start-time fair queueing (Goyal, Vin, Cheng 1996) with one lane for each tenant and mode: a
// capture's turn is the clock's, or one cost past the last of its lane where that is later, and the lowest turn goes first. A lane of
// a thousand captures so lies spread over a thousand turns, and one that was idle is next. The trial's tenant is one lane.

/** Notified when a capture waits. */
export const ANALYSIS_CHANNEL = 'firsthand_analysis';

/** Turns that one capture takes up in its lane, by class: of 21 captures that go while all wait, 16 are live and one is a trial's. */
const COST = { live: 1, test: 4, trial: 16 } as const;

/** A claim that its node no longer renews ends after this time: the node is dead. */
export const CLAIM_SECONDS = 30;

/** Gives a new capture its turn, in the transaction that inserts it. The last statement of it: the lane is locked until the commit. */
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
     ), placed as (
       update captures set analysis_turn = lane.turn, analysis_class = lane.class from lane where captures.id = $3
     )
     select pg_notify('${ANALYSIS_CHANNEL}', '')`,
    [row.tenant_id, row.livemode, captureId],
  );
}

/** A capture taken to be analysed. `analysis_attempts` counts this attempt. */
export type ClaimedCapture = CaptureRow & { analysis_attempts: number };

/**
 * Takes the capture whose turn it is, for {@link CLAIM_SECONDS} unless renewed; undefined when none is due. The attempt is counted
 * before it runs, so that one that ends the process is counted too.
 */
export async function claimCapture(db: Queryable): Promise<ClaimedCapture | undefined> {
  return one<ClaimedCapture>(
    db,
    `with next as (
       select id from captures where analysis_state = 'pending' and analysis_due_at <= now()
       order by analysis_turn, analysis_class, id limit 1 for update skip locked
     ), taken as (
       update captures set analysis_attempts = analysis_attempts + 1,
         analysis_due_at = now() + make_interval(secs => ${CLAIM_SECONDS})
       from next where captures.id = next.id returning captures.*
     ), ticked as (
       update analysis_clock set turn = taken.analysis_turn from taken where analysis_clock.turn < taken.analysis_turn
     )
     select * from taken`,
  );
}

/** Holds on to what this node works on. */
export async function renewClaims(db: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.query(
    `update captures set analysis_due_at = now() + make_interval(secs => ${CLAIM_SECONDS})
     where id = any($1) and analysis_state = 'pending'`,
    [ids],
  );
}

/** Puts a capture back, to be taken again after a pause. `uncounted`: the attempt says nothing of the picture. */
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
 * Ends the claims of a process that died while nobody else was alive; what it worked on pauses as after any attempt, since it may be
 * what ended it.
 */
export async function endDeadClaims(db: Queryable, retrySeconds: readonly number[]): Promise<void> {
  await db.query(
    `update captures set analysis_due_at = now() + make_interval(secs => coalesce(($1::float8[])[analysis_attempts], 0))
     where analysis_state = 'pending' and analysis_attempts > 0 and analysis_due_at > now()`,
    [retrySeconds],
  );
}

/** Writes a permanent failure down. Nothing in it comes from the picture but a text that is made storable. */
export async function failAnalysis(db: Queryable, id: string, at: Date, reason: string): Promise<void> {
  await db.query(
    `update captures set analysis_state = 'failed', analyzed_at = $2, analysis_error = $3
     where id = $1 and analysis_state = 'pending'`,
    [id, at, storableText(reason, 500)],
  );
}

/** What has waited longer than `minutes`, oldest first: how many there are, how long the oldest waits, and some of them. */
export async function overdueCaptures(
  db: Queryable,
  minutes: number,
): Promise<{ count: number; oldestSeconds: number; some: { id: string; attempts: number }[] }> {
  const rows = await many<{ id: string; attempts: number; count: string; seconds: number }>(
    db,
    `select id, analysis_attempts as attempts, count(*) over () as count,
       extract(epoch from now() - created_at)::float8 as seconds
     from captures where analysis_state = 'pending' and created_at < now() - make_interval(mins => $1)
     order by created_at limit 10`,
    [minutes],
  );
  return {
    count: Number(rows[0]?.count ?? 0),
    oldestSeconds: rows[0]?.seconds ?? 0,
    some: rows.map(({ id, attempts }) => ({ id, attempts })),
  };
}
