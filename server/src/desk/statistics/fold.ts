import { forgetAllChanges } from '../../delivery/changes/hub.ts';
import { putEntriesBefore } from '../../identity/audit/audit.ts';
import { many, one, type Pool, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { putEventsBefore } from '../../record/events/outbox.ts';
import { add, type Counts, isDuration } from './counts.ts';

/** An arbitrary number that stands for "folding statistics" among the advisory locks of a database. */
const LOCK = 7_141_986_241;
const BATCH = 5_000;

export interface ChangeRow {
  hour: Date;
  verdict: string | null;
  reason: string | null;
  template: string | null;
  brand: string | null;
  sign: number;
  measures: string[];
}

/** The groups that a change counts in; `''` counts everything. */
export const groupsOf = (change: ChangeRow): [grouping: string, key: string][] =>
  (
    [
      ['', ''],
      ['verdict', change.verdict],
      ['reason', change.reason],
      ['template', change.template],
      ['brand', change.brand],
    ] as [string, string | null][]
  ).filter((group): group is [string, string] => group[1] !== null);

export const measuresOf = ({ measures, sign }: ChangeRow): [string, number][] =>
  measures.map(measure => [measure, sign]);

/** The start of the day in UTC. */
export const dayOf = (at: Date): Date => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()));

interface Total {
  tenant_id: string;
  livemode: boolean;
  grain: string;
  grouping: string;
  start: Date;
  key: string;
  counts: Counts;
}

type TenantChange = ChangeRow & { tenant_id: string; livemode: boolean };

/** Adds waiting changes to the totals, one node at a time, until few are left. */
export async function foldStatistics(deps: Pick<Deps, 'db'>): Promise<void> {
  while (await transaction(deps.db, foldBatch));
}

/** Returns whether more may wait. */
async function foldBatch(tx: Tx): Promise<boolean> {
  const lock = await one<{ taken: boolean }>(tx, 'select pg_try_advisory_xact_lock($1) as taken', [LOCK]);
  if (!lock?.taken) return false;
  // Every transaction before the oldest open one has ended. Each is taken whole, however much it changed.
  const reach = (await one<{ upto: string; full: boolean }>(
    tx,
    `select coalesce((last::text::bigint + 1)::text, pg_snapshot_xmin(pg_current_snapshot())::text) as upto, last is not null as full
     from statistics_position p left join lateral (
       select recorded_in as last from verification_changes
       where recorded_in >= p.upto and recorded_in < pg_snapshot_xmin(pg_current_snapshot())
       order by recorded_in offset $1 limit 1) batch on true`,
    [BATCH - 1],
  ))!;
  await addToTotals(tx, await takeNoted(tx, reach.upto));
  return reach.full;
}

/** Returns what no total holds yet of the changes before a transaction, and moves the position there. */
async function takeNoted(tx: Tx, upto: string): Promise<TenantChange[]> {
  const changes = await many<TenantChange>(
    tx,
    `select left(scope, -5) as tenant_id, right(scope, 4) = 'live' as livemode, d.*
     from verification_changes cross join lateral jsonb_to_recordset(counted)
       as d (hour timestamptz, verdict text, reason text, template text, brand text, sign smallint, measures text[])
     where recorded_in >= (select upto from statistics_position) and recorded_in < $1::text::xid8`,
    [upto],
  );
  await tx.query(
    `update statistics_position p set upto = $1::text::xid8
     where exists (select from verification_changes where recorded_in >= p.upto and recorded_in < $1::text::xid8)`,
    [upto],
  );
  return changes;
}

const LAST_TRANSACTION = '18446744073709551615';

/**
 * Goes on after a dump was restored into a cluster that has run fewer transactions: their numbers begin again, before the
 * position. Call before anything else is written.
 */
export async function resumeStatistics(db: Pool): Promise<void> {
  await transaction(db, async tx => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
    const restored = await one(
      tx,
      'select upto from statistics_position where upto > pg_snapshot_xmin(pg_current_snapshot())',
    );
    if (!restored) return;
    await addToTotals(tx, await takeNoted(tx, LAST_TRANSACTION));
    await forgetAllChanges(tx);
    await putEventsBefore(tx);
    await putEntriesBefore(tx);
    await tx.query('update statistics_position set upto = pg_snapshot_xmin(pg_current_snapshot())');
  });
}

async function addToTotals(tx: Tx, changes: readonly TenantChange[]): Promise<void> {
  const totals = new Map<string, Total>();
  for (const change of changes) {
    for (const [grain, start] of [['hour', change.hour] as const, ['day', dayOf(change.hour)] as const]) {
      for (const [grouping, key] of groupsOf(change)) {
        const { tenant_id, livemode } = change;
        const name = JSON.stringify([tenant_id, livemode, grain, grouping, start, key]);
        const total = totals.get(name) ?? { tenant_id, livemode, grain, grouping, start, key, counts: {} };
        // Durations are shown of all verifications, never of a group.
        const counted = measuresOf(change).filter(([measure]) => grouping === '' || !isDuration(measure));
        add(total.counts, counted);
        totals.set(name, total);
      }
    }
  }
  const changed = [...totals.values()].filter(({ counts }) => Object.keys(counts).length > 0);
  if (changed.length > 0) {
    await tx.query(
      `insert into statistics as s (tenant_id, livemode, grain, grouping, start, key, counts)
       select tenant_id, livemode, grain, grouping, start, key, counts
       from jsonb_to_recordset($1::jsonb) as c (tenant_id text, livemode boolean, grain text, grouping text, start timestamptz, key text, counts jsonb)
       on conflict (tenant_id, livemode, grain, grouping, start, key) do update set counts = (
         select coalesce(jsonb_object_agg(measure, n), '{}') from (
           select measure, sum(value::int) as n from (
             select * from jsonb_each_text(s.counts) as a (measure, value)
             union all select * from jsonb_each_text(excluded.counts) as b (measure, value)) both_of group by measure having sum(value::int) <> 0) summed)`,
      [JSON.stringify(changed)],
    );
  }
}
