import { instantOf } from '@firsthand/contract/base/ids.ts';
import { many, type Queryable } from '../../platform/db/sql.ts';
import { timeOfId } from '../../platform/lib/ids.ts';
import { type Filters, isFiltered, type Parameter, type Place } from './filters.ts';
import { among, countUpTo, inOrder, newestOfRanges, type Source, scopesOf } from './sources.ts';

// Searches the table of words that the trigger `index_verification` fills. Why the order of reading is decided here and not by
// PostgreSQL: `bench/results/search.md`.

/** Up to this many found rows are read whole; a larger set is read in the order of the list. */
const FEW = 5_000;
/** Words are common when {@link COMMON} of so many newest rows have them. The list's own order then finds them sooner than their index. */
const SAMPLED = 5_000;
const COMMON = 50;
/** So many of the newest rows are searched in the order of the list. */
const WALKED = 25_000;
/** So many where other filters pass only some: each row's words are then read by its id. */
const WALKED_BY_ID = 10_000;
/** So many where the words are common. Of two conditions that hardly meet, the index of the filter reads fewer rows. */
const WALKED_FAR = 100_000;

/** The text in compatibility form, where "％" has become a "%". SQL's `search_form` does the rest, as the index does. */
const foldedOf = (text: string): string => text.normalize('NFKC');
/** A pattern for LIKE that finds the text anywhere. */
const patternOf = (text: string): string => `%${foldedOf(text).replaceAll(/[\\%_]/g, '\\$&')}%`;
const matches = (p: Parameter, text: string): string => `s.words like search_form(${p(patternOf(text))})`;

/** SQL of the newest rows with words, whatever other filters say. */
function newestWords(o: Filters, p: Parameter, after: Place | null, limit: number): string {
  const { created_after, created_before } = o.query;
  const since = p(created_after ? instantOf(created_after) : '-infinity');
  const before = p(after?.created_at ?? (created_before ? instantOf(created_before) : 'infinity'));
  const order = `order by s.created_at desc, s.verification_id desc limit ${limit}`;
  const each = scopesOf(o).map(
    scope => `(select * from verification_search s where s.scope = ${p(scope)} and s.created_at > ${since}::timestamptz
       and (s.created_at, s.verification_id) < (${before}::timestamptz, ${p(after?.id ?? '')}) ${order})`,
  );
  return `(select * from (${each.join(' union all ')}) s ${order}) s`;
}

/** The newest rows that have a text among their words. Where nothing else is filtered, their words are enough to count them. */
function newestWith(o: Filters, text: string, walked: number): Source {
  const found = (p: Parameter, after: Place | null) => `${newestWords(o, p, after, walked)} where ${matches(p, text)}`;
  return {
    ...among(o, (p, after) => `select s.verification_id, s.created_at from ${found(p, after)}`),
    counted: found,
  };
}

/** Searches the newest rows in the order of the list. `byId`: so many of those that pass other filters. */
function walk(db: Queryable, o: Filters, text: string, byId = WALKED_BY_ID): Source {
  const endsWithin = async (read: typeof newestWords, walked: number, after: Place | null) =>
    (await countUpTo(db, { from: (p, place) => read(o, p, place, walked) }, walked, after)) < walked;
  if (!isFiltered(o.query)) {
    return { ...newestWith(o, text, WALKED), isComplete: after => endsWithin(newestWords, WALKED, after) };
  }
  return {
    ...inOrder(o),
    from: (p, after) => `${newestOfRanges(o, p, after, byId)} cross join lateral (
      select from verification_search s where s.verification_id = v.id and ${matches(p, text)} offset 0) s`,
    isComplete: after => endsWithin(newestOfRanges, byId, after),
  };
}

/** Searches the index of words. `most`: of each mode, in no order. */
const indexed = (o: Filters, p: Parameter, text: string, most: number | null): string =>
  `select s.* from unnest(${p(scopesOf(o))}::text[]) as scopes (scope),
     search_verifications(scope, search_form(${p(foldedOf(text))}), search_form(${p(patternOf(text))}), ${most}) s`;

const allIndexed = (o: Filters, text: string): Source =>
  among(o, p => `${indexed(o, p, text, null)} order by created_at desc, verification_id desc`);

interface Found {
  id: string;
  time: string;
}

/** The first rows that the index finds, read once for a page and its total. */
async function firstIndexed(db: Queryable, o: Filters, text: string) {
  const values: unknown[] = [];
  const sql = indexed(o, value => `$${values.push(value)}`, text, FEW + 1);
  const found = await many<Found>(db, `select verification_id as id, created_at::text as time from (${sql}) f`, values);
  return {
    ...among(
      o,
      p => `select * from unnest(${p(found.map(({ id }) => id))}::text[], ${p(found.map(({ time }) => time))}::timestamptz[])
        as u (verification_id, created_at) order by created_at desc, verification_id desc`,
    ),
    isComplete: async () => found.length <= FEW,
  };
}

export interface WordSearch {
  /** What to read for a page, in this order: the first that fills it or is complete has the newest rows. */
  page(): AsyncGenerator<Source>;
  /** What to count for a total, in this order: the first that is complete has all. */
  total(): AsyncGenerator<Source>;
  /** The rows that the index finds. Complete for rare words. */
  indexed(): Promise<Source>;
}

/** Searches for a text among words, in the order of the list where it is common there, else by the index of words. */
export function searchWords(db: Queryable, o: Filters, text: string): WordSearch {
  let first: ReturnType<typeof firstIndexed> | undefined;
  let common: Promise<boolean> | undefined;
  const indexed = () => (first ??= firstIndexed(db, o, text));
  const isCommon = () => (common ??= countUpTo(db, newestWith(o, text, SAMPLED), COMMON).then(n => n === COMMON));
  const { created_after, created_before } = o.query;
  const isDated = created_after !== undefined || created_before !== undefined;
  return {
    indexed,
    async *page() {
      if (!(await isCommon())) {
        const few = await indexed();
        if (await few.isComplete()) return yield few;
      }
      yield walk(db, o, text);
      if (isFiltered(o.query) && (await isCommon())) yield walk(db, o, text, WALKED_FAR);
      yield allIndexed(o, text);
    },
    async *total() {
      if (!(await isCommon())) yield indexed();
      yield walk(db, o, text);
      if (!(await isCommon())) return;
      // Of common words, a filter leaves some in rows that are not walked through: their number is an estimate.
      if (isFiltered(o.query)) yield walk(db, o, text, WALKED_FAR);
      else if (!isDated) yield indexed();
    },
  };
}

/** A join and a condition for an estimate of the rows that have a text among their words. */
export const wordsJoined = (o: Filters, text: string) => ({
  join: 'join verification_search s on s.verification_id = v.id',
  also: (p: Parameter) => ` and s.scope = any(${p(scopesOf(o))}) and ${matches(p, text)}`,
});

interface IdRange {
  first: string;
  last: string;
  from: Date;
  to: Date;
}

/** The range of ids that begin with the text, and of the creation times they encode. Null: no id begins with it. */
export function idsBeginning(q: string): IdRange | null {
  const ulid = /^VFY_([0-7][0-9A-HJKMNP-TV-Z]{0,25})$/.exec(q.toUpperCase())?.[1];
  if (ulid === undefined) return null;
  const first = `vfy_${ulid.padEnd(26, '0')}`;
  const last = `vfy_${ulid.padEnd(26, 'Z')}`;
  return { first, last, from: new Date(timeOfId(first)), to: new Date(timeOfId(last) + 1) };
}

/** The condition that a row's id is in the range. */
export const isBetween = ({ first, last, from, to }: IdRange, p: Parameter): string =>
  `v.created_at >= ${p(from)} and v.created_at <= ${p(to)} and v.id between ${p(first)} and ${p(last)}`;
