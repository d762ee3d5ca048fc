import { many, one, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
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

/** Adds waiting changes to the totals, one node at a time, until few are left. */
export async function foldStatistics(deps: Pick<Deps, 'db'>): Promise<void> {
  while ((await transaction(deps.db, foldBatch)) === BATCH);
}

async function foldBatch(tx: Tx): Promise<number> {
  const lock = await one<{ taken: boolean }>(tx, 'select pg_try_advisory_xact_lock($1) as taken', [LOCK]);
  if (!lock?.taken) return 0;
  const changes = await many<ChangeRow & { tenant_id: string; livemode: boolean }>(
    tx,
    `delete from statistics_changes where id in (select id from statistics_changes order by id limit $1)
     returning tenant_id, livemode, hour, verdict, reason, template, brand, sign, measures`,
    [BATCH],
  );
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
  return changes.length;
}
