import { many, type Queryable } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import type { Principal } from '../../platform/http/principal.ts';
import { type FilterQuery, type Filters, type Parameter, type Place, pairsOf, picksRows } from './filters.ts';

import { idsBeginning, isBetween, searchWords, wordsJoined } from './search.ts';
import {
  among,
  countUpTo,
  estimate,
  inOrder,
  type PageOptions,
  readPage,
  type Selected,
  type Source,
  scopesOf,
} from './sources.ts';

// Bulk acts take the list's filters.
export { dateFaults, type FilterQuery, type Place } from './filters.ts';

export interface Selection {
  /** The newest rows after a place. */
  page<R extends object = object>(o: PageOptions): Promise<(Selected & R)[]>;
  /** How many rows match: exact up to {@link COUNTED}, the planner's estimate beyond and for common words with a filter of many rows. */
  total(): Promise<number>;
}

const COUNTED = 1_000;
/** A member of the metadata is rare when no more rows have it. */
const RARE = 5_000;

/** Selects the verifications that pass all filters, newest first. */
export async function select(
  { db, clock }: { db: Queryable } & Pick<Deps, 'clock'>,
  { tenantId, reads }: Pick<Principal, 'tenantId' | 'reads'>,
  query: FilterQuery,
): Promise<Selection> {
  const filters: Filters = { tenantId, reads, query, now: clock.now() };
  const { q } = query;
  // Every id begins with this prefix.
  if (q === undefined || 'vfy_'.startsWith(q.toLowerCase())) return selectFiltered(db, filters);
  return selectSearched(db, filters, q);
}

async function selectFiltered(db: Queryable, filters: Filters): Promise<Selection> {
  const pair = await pairToRead(db, filters);
  const source = pair ? havingPair(filters, pair) : inOrder(filters);
  return {
    page: o => readPage(db, source, o),
    total: () => totalOf(db, [source], () => estimate(db, filters, pair ? pairJoined(filters, pair) : {})),
  };
}

function selectSearched(db: Queryable, filters: Filters, text: string): Selection {
  const words = searchWords(db, filters, text);
  const ids = idsBeginning(text);
  if (ids) {
    const named = inOrder(filters, p => ` and ${isBetween(ids, p)}`);
    return {
      async page<R extends object>(o: PageOptions) {
        const pages = await Promise.all([readPage<R>(db, named, o), words.indexed().then(s => readPage<R>(db, s, o))]);
        return [...new Map(pages.flat().map(row => [row.id, row])).values()].sort(newestFirst).slice(0, o.limit);
      },
      async total() {
        const { from } = await words.indexed();
        const besides: Pick<Source, 'from'> = {
          from: (p, ...of) => `${from(p, ...of)} and not (${isBetween(ids, p)})`,
        };
        const counts = [named, besides].map(source => countUpTo(db, source, COUNTED + 1));
        return (await Promise.all(counts)).reduce((sum, n) => sum + n);
      },
    };
  }
  return {
    async page<R extends object>(o: PageOptions) {
      for await (const source of words.page()) {
        const rows = await readPage<R>(db, source, o);
        if (rows.length >= o.limit || (await isComplete(source, o.after))) return rows;
      }
      throw new Error('no source of a page is complete');
    },
    total: () => totalOf(db, words.total(), () => estimate(db, filters, wordsJoined(filters, text))),
  };
}

const isComplete = async (source: Source, after: Place | null): Promise<boolean> =>
  (await source.isComplete?.(after)) ?? true;

/** The count of the first source that is complete, or an estimate, which is at least what any of them holds. */
async function totalOf(
  db: Queryable,
  sources: Iterable<Source> | AsyncIterable<Source>,
  estimated: () => Promise<number>,
): Promise<number> {
  let least = 0;
  for await (const source of sources) {
    const n = await countUpTo(db, source, COUNTED + 1);
    if (n <= COUNTED && (await isComplete(source, null))) return n;
    least = Math.max(least, n);
    if (least > COUNTED) break;
  }
  return Math.max(least, await estimated());
}

const newestFirst = (a: Selected, b: Selected): number =>
  b.created_at.getTime() - a.created_at.getTime() ||
  (a.place < b.place || (a.place === b.place && a.id < b.id) ? 1 : -1);

interface Pair {
  key: string;
  value: string;
  /** How many verifications have it, up to one more than {@link RARE}. */
  n: number;
}

/**
 * The member of the metadata whose index to read: the one that the fewest verifications have, if it is rare. The index of
 * another filter reads fewer rows than that of a common member.
 */
async function pairToRead(db: Queryable, filters: Filters): Promise<Pair | null> {
  const pairs = pairsOf(filters.query);
  if (pairs.length === 0) return null;
  const [rarest] = await many<Pair>(
    db,
    `select p.key, p.value, (select count(*)::int from (select from verification_metadata m
       where m.scope = any($1) and m.pair = metadata_pair(p.key, p.value) limit $4) counted) as n
     from unnest($2::text[], $3::text[]) as p (key, value) order by n limit 1`,
    [scopesOf(filters), pairs.map(([key]) => key), pairs.map(([, value]) => value), RARE + 1],
  );
  return rarest && (rarest.n <= RARE || !picksRows(filters.query)) ? rarest : null;
}

const hashOf = ({ key, value }: Pair, p: Parameter): string => `metadata_pair(${p(key)}, ${p(value)})`;

/** Rows with a member of the metadata, by the index of members. */
const havingPair = (filters: Filters, pair: Pair): Source =>
  among(filters, (p, after) => {
    const place = after
      ? `and (created_at, verification_id) < (${p(after.created_at)}::timestamptz, ${p(after.id)})`
      : '';
    const newest = 'order by created_at desc, verification_id desc';
    const each = scopesOf(filters).map(
      scope => `(select verification_id, created_at from verification_metadata
        where scope = ${p(scope)} and pair = ${hashOf(pair, p)} ${place} ${newest})`,
    );
    return `select * from (${each.join(' union all ')}) m ${newest}`;
  });

const pairJoined = (filters: Filters, pair: Pair) => ({
  join: 'join verification_metadata m on m.verification_id = v.id',
  also: (p: Parameter) => ` and m.scope = any(${p(scopesOf(filters))}) and m.pair = ${hashOf(pair, p)}`,
});
