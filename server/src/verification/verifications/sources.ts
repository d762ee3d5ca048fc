import { many, one, type Queryable } from '../../platform/db/sql.ts';
import { type Filters, type Parameter, type Place, rangesOf } from './filters.ts';
import { scopeOf, type VerificationRow } from './row.ts';

export type Selected = VerificationRow & { place: string };

export interface PageOptions {
  after: Place | null;
  limit: number;
  /** More columns, as SQL over the row `v`. */
  columns?: string;
}

/** Where a statement finds rows `v` that pass the filters. */
export interface Source {
  /** What follows `from`: rows after a place, at least the first `limit` of them. */
  from(p: Parameter, after: Place | null, limit: number): string;
  order: string;
  /** The same rows, cheaper to count. Absent: as `from`. */
  counted?: Source['from'];
  /** Whether the source holds every row after the place. Absent: it does. */
  isComplete?(after: Place | null): Promise<boolean>;
}

export const NEWEST = 'order by v.created_at desc, v.id desc';

export const scopesOf = ({ tenantId, reads }: Filters): string[] => reads.map(livemode => scopeOf(tenantId, livemode));

/** Each range's newest rows, merged. `also`: one more condition. */
export function newestOfRanges(o: Filters, p: Parameter, after: Place | null, limit: number, also = ''): string {
  const ranges = rangesOf(o, p, after).map(
    range => `(select * from verifications v where ${range}${also} ${NEWEST} limit ${limit})`,
  );
  return `(select * from (${ranges.join(' union all ')}) v ${NEWEST} limit ${limit}) v`;
}

/** The rows in the order of the list. `also`: one more condition, as SQL. */
export const inOrder = (o: Filters, also: (p: Parameter) => string = () => ''): Source => ({
  from: (p, after, limit) => newestOfRanges(o, p, after, limit, also(p)),
  order: NEWEST,
});

/** Those of found rows that pass the filters. `found` gives their ids and times, as SQL. */
export const among = (o: Filters, found: (p: Parameter, after: Place | null) => string): Source => ({
  from(p, after) {
    const conditions = rangesOf(o, p, after).map(range => `(${range})`);
    // `offset 0` keeps the filters out: each row is read by its id, whatever the planner's statistics say.
    return `(${found(p, after)}) f cross join lateral (select * from verifications v where v.id = f.verification_id offset 0) v
      where (${conditions.join(' or ')})`;
  },
  order: 'order by f.created_at desc, f.verification_id desc',
});

/** Reads the newest rows of a source. */
export function readPage<R extends object>(db: Queryable, source: Source, { after, limit, columns = '' }: PageOptions) {
  const values: unknown[] = [];
  const from = source.from(value => `$${values.push(value)}`, after, limit);
  return many<Selected & R>(
    db,
    `select v.*, v.created_at::text as place${columns} from ${from} ${source.order} limit ${limit}`,
    values,
  );
}

/** Counts the rows of a source after a place, up to `most`. */
export async function countUpTo(
  db: Queryable,
  source: Pick<Source, 'from' | 'counted'>,
  most: number,
  after: Place | null = null,
): Promise<number> {
  const values: unknown[] = [];
  const from = (source.counted ?? source.from)(value => `$${values.push(value)}`, after, most);
  const row = await one<{ n: number }>(
    db,
    `select count(*)::int as n from (select from ${from} limit ${most}) m`,
    values,
  );
  return row?.n ?? 0;
}

/** One more table of an estimate, and a condition on it. */
interface Joined {
  join?: string;
  also?: (p: Parameter) => string;
}

/** The planner's estimate of how many rows pass the filters. */
export async function estimate(
  db: Queryable,
  o: Filters,
  { join = '', also = () => '' }: Joined = {},
): Promise<number> {
  const values: unknown[] = [];
  const p: Parameter = value => `$${values.push(value)}`;
  const more = also(p);
  const every = rangesOf(o, p, null).map(range => `select from verifications v ${join} where ${range}${more}`);
  const plan = await one<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
    db,
    `explain (format json) ${every.join(' union all ')}`,
    values,
  );
  return plan?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}
