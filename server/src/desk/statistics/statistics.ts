import { conflict, type Fault, fault, noSuchDate } from '@firsthand/contract/base/fault.ts';
import { DateTime, instantOf } from '@firsthand/contract/base/ids.ts';
import {
  FUNNEL_STEPS,
  STATISTICS_GROUPINGS,
  STATISTICS_INTERVALS,
  Statistics,
  type StatisticsBucket,
} from '@firsthand/contract/statistics/statistics.ts';
import { Type } from 'typebox';
import { many, type Queryable } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { readableModes } from '../../platform/http/principal.ts';
import { add, bucketOf, type Counts, plainCounts } from './counts.ts';
import { type ChangeRow, dayOf, groupsOf, measuresOf } from './fold.ts';

type Interval = (typeof STATISTICS_INTERVALS)[number];

const HOUR = 3_600_000;
const LENGTH: Readonly<Record<Interval, number>> = { hour: HOUR, day: 24 * HOUR, week: 168 * HOUR };
/** How many buckets an answer has when the request names no beginning. */
const USUAL: Readonly<Record<Interval, number>> = { hour: 24, day: 30, week: 26 };
const MAX_BUCKETS = 800;
/** Monday, 5 January 1970. */
const FIRST_MONDAY = 4 * 24 * HOUR;

/** The start of the bucket that holds this moment. Buckets follow UTC; weeks begin on Mondays. */
function startOf(at: Date, interval: Interval): Date {
  const offset = interval === 'week' ? FIRST_MONDAY : 0;
  return new Date(Math.floor((at.getTime() - offset) / LENGTH[interval]) * LENGTH[interval] + offset);
}

/** The range that a request asks for: from the start of the bucket that holds `from`, up to `to`. */
function rangeOf(query: { from?: string; to?: string; interval?: Interval }, now: Date) {
  const interval = query.interval ?? 'day';
  const to = query.to === undefined ? now : instantOf(query.to)!;
  const usual = to.getTime() - (USUAL[interval] - 1) * LENGTH[interval];
  const from = startOf(query.from === undefined ? new Date(usual) : instantOf(query.from)!, interval);
  return { interval, from, to };
}

function rangeFaults(query: unknown, now: Date): Fault[] {
  const asked = query as { from?: string; to?: string; interval?: Interval };
  const faults: Fault[] = [];
  for (const path of ['from', 'to'] as const) {
    const text = asked[path];
    if (text !== undefined && !instantOf(text)) faults.push(noSuchDate(path));
  }
  if (faults.length > 0) return faults;
  const { interval, from, to } = rangeOf(asked, now);
  if (from >= to) return [conflict('from', 'must be before `to`', ['to'])];
  if ((to.getTime() - from.getTime()) / LENGTH[interval] > MAX_BUCKETS) {
    const message = `must be at most ${MAX_BUCKETS} ${interval}s before \`to\``;
    return [fault('from', 'conflict', message, { with: ['to'], max: MAX_BUCKETS })];
  }
  return [];
}

interface Row extends Partial<ChangeRow> {
  start: Date;
  grouping: string | null;
  key: string | null;
  counts: Counts | null;
}

export const getStatistics = tenantEndpoint({
  operationId: 'getStatistics',
  summary: 'Count verifications over time',
  description:
    'Every count is of the verifications that were created in the bucket, whenever the rest happened, so recent buckets ' +
    'still change. Buckets follow UTC and weeks begin on Monday; the bucket that holds `from` counts whole. Without ' +
    '`from`: the last 24 hours, 30 days or 26 weeks. Seconds to capture and to verdict run from the creation, seconds to ' +
    'review from the moment the case was open for review. A secret key sees live verifications unless `mode=test`.',
  tag: 'Statistics',
  credentials: ['session', 'secret'],
  query: Type.Object(
    {
      from: Type.Optional(DateTime),
      to: Type.Optional(DateTime),
      interval: Type.Optional(Type.Enum([...STATISTICS_INTERVALS], { title: 'StatisticsInterval', default: 'day' })),
      by: Type.Optional(Type.Enum([...STATISTICS_GROUPINGS], { title: 'StatisticsGrouping' })),
      mode: Type.Optional(Type.Enum(['live', 'test'], { title: 'Mode' })),
    },
    { additionalProperties: false },
  ),
  recordFaults: ({ deps, query }) => rangeFaults(query, deps.clock.now()),
  responses: { 200: Statistics },
  async handler({ deps, principal, query }) {
    const range = rangeOf(query, deps.clock.now());
    const livemode = query.mode === undefined ? principal.livemode : query.mode === 'live';
    const seen = readableModes(principal).includes(livemode);
    const rows = seen ? await readRows(deps.db, { tenantId: principal.tenantId, livemode, by: query.by, range }) : [];
    return ok(present(countsByBucket(rows, range.interval), range, query.by));
  },
});

type Range = ReturnType<typeof rangeOf>;
type Grouping = (typeof STATISTICS_GROUPINGS)[number] | undefined;
const grainOf = (interval: Interval) => (interval === 'hour' ? 'hour' : 'day');

/** The totals of a range, and the changes that are in no total yet. One statement, so that a change is one of both. */
const readRows = (
  db: Queryable,
  { tenantId, livemode, by, range }: { tenantId: string; livemode: boolean; by: Grouping; range: Range },
): Promise<Row[]> =>
  many<Row>(
    db,
    `select start, grouping, key, counts, null::timestamptz as hour, null as verdict, null as reason, null as template,
       null as brand, null::smallint as sign, null::text[] as measures
     from statistics
     where tenant_id = $1 and livemode = $2 and grain = $3 and grouping = any($4) and start >= $5 and start < $6
     union all
     select hour, null, null, null, hour, verdict, reason, template, brand, sign, measures
     from verification_changes cross join lateral jsonb_to_recordset(counted)
       as d (hour timestamptz, verdict text, reason text, template text, brand text, sign smallint, measures text[])
     where recorded_in >= (select upto from statistics_position) and scope = verification_scope($1, $2)
       and hour >= $5 and date_trunc($3, hour, 'UTC') < $6`,
    [tenantId, livemode, grainOf(range.interval), ['', ...(by ? [by] : [])], range.from, range.to],
  );

/** Counts by the start of the bucket, the grouping and the key. */
type Buckets = Map<number, Map<string, Map<string, Counts>>>;

function countsByBucket(rows: readonly Row[], interval: Interval): Buckets {
  const buckets: Buckets = new Map();
  const count = (start: Date, grouping: string, key: string, measures: Counts) => {
    const at = startOf(start, interval).getTime();
    const groupings = buckets.get(at) ?? new Map<string, Map<string, Counts>>();
    const keys = groupings.get(grouping) ?? new Map<string, Counts>();
    const before = keys.get(key);
    keys.set(key, before ? add(before, Object.entries(measures)) : measures);
    buckets.set(at, groupings.set(grouping, keys));
  };
  for (const row of rows) {
    if (row.counts) count(row.start, row.grouping!, row.key!, row.counts);
    else {
      const change = row as ChangeRow;
      const start = grainOf(interval) === 'hour' ? change.hour : dayOf(change.hour);
      for (const [grouping, key] of groupsOf(change)) count(start, grouping, key, add({}, measuresOf(change)));
    }
  }
  return buckets;
}

/** Every bucket of the range, also an empty one. */
function present(buckets: Buckets, { interval, from, to }: Range, by: Grouping): Statistics {
  const funnel: Counts = {};
  const shown: StatisticsBucket[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += LENGTH[interval]) {
    const groupings = buckets.get(at);
    const counts = groupings?.get('')?.get('') ?? {};
    for (const [rank, step] of FUNNEL_STEPS.entries()) {
      funnel[step] = (funnel[step] ?? 0) + (counts[`step:${rank + 1}`] ?? 0);
    }
    const groups = () =>
      [...(groupings?.get(by ?? '') ?? [])]
        .map(([key, ofKey]) => ({ key, ...plainCounts(ofKey) }))
        .filter(group => group.created > 0)
        .sort((a, b) => b.created - a.created || (a.key < b.key ? -1 : 1));
    shown.push({ ...bucketOf(new Date(at), counts), ...(by ? { groups: groups() } : {}) });
  }
  return { buckets: shown, funnel: funnel as Statistics['funnel'] };
}
