import { REVIEW_STATES } from '@firsthand/contract/base/enums.ts';
import { type Fault, noSuchDate } from '@firsthand/contract/base/fault.ts';
import { DateTime, IdSchema, instantOf } from '@firsthand/contract/base/ids.ts';
import { Status, VerdictLabel } from '@firsthand/contract/verification/verification.ts';
import { type Static, type TSchema, Type } from 'typebox';
import { many, one } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import type { Principal } from '../../platform/http/principal.ts';
import type { VerificationRow } from './row.ts';
import { type Found, findByWords, foldedOf, type Pair, patternOf, rarestPair, scopeOf } from './search.ts';

const some = <T extends TSchema>(item: T) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems: 20, description: 'one value, or several between commas' }));

/** The most ids that one filter names: an address holds no more. */
const IDS_MAX = 200;

/** The filters of every list of verifications. */
export const filters = {
  id: Type.Optional(Type.Array(IdSchema('vfy'), { minItems: 1, maxItems: IDS_MAX, description: 'ids between commas' })),
  status: some(Status),
  verdict: some(VerdictLabel),
  template_id: some(IdSchema('tpl')),
  review: some(Type.Enum([...REVIEW_STATES], { title: 'ReviewState' })),
  brand_slug: some(Type.String({ minLength: 2, maxLength: 40 })),
  created_after: Type.Optional(DateTime),
  created_before: Type.Optional(DateTime),
  external_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 120,
      description:
        'the beginning of an id, or any part of `external_ref`, of a metadata value or of the person’s name, in any case',
    }),
  ),
};
export const METADATA_FILTER = { '^metadata\\[[^]+\\]$': { type: 'string', maxLength: 500 } };
const FilterQuery = Type.Object(filters);
export type FilterQuery = Static<typeof FilterQuery>;

/** Faults of dates that have the right form but that no calendar holds. */
export const dateFaults = (query: unknown): Fault[] =>
  (['created_after', 'created_before'] as const).flatMap(path => {
    const text = (query as FilterQuery)[path];
    return typeof text === 'string' && !instantOf(text) ? [noSuchDate(path)] : [];
  });

/** A row's place in the list. The time stays text: a JavaScript date holds milliseconds, the row microseconds. */
export interface Place {
  id: string;
  created_at: string;
}

export type Selected = VerificationRow & { place: string };

interface PageOptions {
  after: Place | null;
  limit: number;
  /** More columns, as SQL over the row `v`. */
  columns?: string;
}

export interface Selection {
  /** The newest rows after a place. */
  page<R extends object = object>(o: PageOptions): Promise<(Selected & R)[]>;
  /** How many rows match: exact up to {@link COUNTED}, the planner's estimate beyond and for common words with a filter of many rows. */
  total(): Promise<number>;
}

const COUNTED = 1_000;
/** Up to this many found rows are read whole; a larger set is read in the order of the list. */
const FEW = 5_000;
/** Words are common when this share of the newest rows has them. The list's own order then finds them sooner than their index. */
const WALKED = 5_000;
const COMMON = 50;
/** This many of the newest rows are searched for common words where {@link WALKED} do not fill a page, and for its total. */
const WALKED_FARTHER = 25_000;
/** This many of the newest rows that pass the other filters are searched for words. */
const PROBED = 10_000;
const NEWEST = 'order by v.created_at desc, v.id desc';

/** Collects the values of a statement; each call gives the parameter of its value. */
const collect = (values: unknown[]) => (value: unknown) => `$${values.push(value)}`;
type Parameter = ReturnType<typeof collect>;

/**
 * Selects the verifications that pass all filters, newest first. Each mode with each value of one filter is a range of an
 * index in the list's order. The query reads the ranges one by one and merges them, so the last page costs no more than
 * the first.
 */
export async function select(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { tenantId, reads }: Pick<Principal, 'tenantId' | 'reads'>,
  query: FilterQuery,
): Promise<Selection> {
  const now = clock.now();
  const scopes = reads.map(livemode => scopeOf(tenantId, livemode));
  const pairs = Object.entries(query)
    .filter(([name]) => name.startsWith('metadata['))
    .map(([name, value]) => [name.slice('metadata['.length, -1), String(value)] as const);
  // Every id begins with this prefix.
  const q = query.q === undefined || 'vfy_'.startsWith(query.q.toLowerCase()) ? null : query.q;
  const id = q === null ? null : idsBeginning(q);
  const rarest = pairs.length > 0 && q === null ? await rarestPair(db, { scopes, pairs, few: FEW }) : null;
  const indexed = [
    query.id,
    query.status,
    query.verdict,
    query.external_ref,
    query.template_id,
    query.brand_slug,
    query.review,
  ];
  // Not the dates: a search walks through those rows alone that lie between them.
  const filtered = pairs.length > 0 || indexed.some(filter => filter !== undefined);
  const dated = query.created_after !== undefined || query.created_before !== undefined;
  // The index of another filter reads fewer rows than that of a common pair.
  const pair = rarest?.few || indexed.every(filter => filter === undefined) ? rarest : null;

  /** The condition of each range. */
  function ranges(p: Parameter, after: Place | null): string[] {
    const all = [`v.tenant_id = ${p(tenantId)}`];
    if (after) all.push(`(v.created_at, v.id) < (${p(after.created_at)}::timestamptz, ${p(after.id)})`);
    if (query.id) all.push(`v.id = any(${p(query.id)})`);
    if (query.created_after) all.push(`v.created_at > ${p(instantOf(query.created_after))}`);
    if (query.created_before) all.push(`v.created_at < ${p(instantOf(query.created_before))}`);
    if (query.external_ref) all.push(`normalize(v.external_ref, nfc) = ${p(query.external_ref.normalize('NFC'))}`);
    if (pairs.length > 0) {
      all.push(
        `metadata_form(v.config -> 'metadata') @> metadata_form(${p(JSON.stringify(Object.fromEntries(pairs)))})`,
      );
    }
    const claimed = (held: string) =>
      `(v.review_claimed_by is not null and v.review_claimed_until > ${p(now)}) is ${held}`;
    const reviewed = (state: string): string => {
      if (state === 'none') return `v.review_state = 'none'`;
      const stored = `v.review_state <> 'none' and v.review_state = ${p(state === 'claimed' ? 'open' : state)}`;
      if (state === 'claimed') return `${stored} and ${claimed('true')}`;
      return state === 'open' ? `${stored} and ${claimed('not true')}` : stored;
    };
    const severals: [readonly string[] | undefined, (value: string) => string][] = [
      [query.template_id, value => `v.private ? 'template' and v.private -> 'template' ->> 'id' = ${p(value)}`],
      [query.brand_slug, value => `v.private ? 'brand_slug' and v.private ->> 'brand_slug' = ${p(value)}`],
      [query.review, reviewed],
      [query.verdict, value => `v.verdict is not null and v.verdict ->> 'label' = ${p(value)}`],
      [query.status, value => `v.status = ${p(value)}`],
    ];
    const [each = ['true'], ...others] = severals.flatMap(([wanted, condition]) =>
      wanted === undefined ? [] : [[...new Set(wanted)].map(condition)],
    );
    for (const conditions of others) all.push(`(${conditions.map(condition => `(${condition})`).join(' or ')})`);
    return reads.flatMap(livemode =>
      each.map(condition => `${all.join(' and ')} and ${condition} and v.livemode = ${livemode}`),
    );
  }

  /** Reads the ranges in order. `also`: one more condition. */
  function inOrder<R extends object>({ after, limit, columns = '' }: PageOptions, also = (_p: Parameter) => '') {
    const values: unknown[] = [];
    const p = collect(values);
    const condition = also(p);
    const stretches = ranges(p, after).map(
      range => `(select * from verifications v where ${range}${condition} ${NEWEST} limit ${limit})`,
    );
    return many<Selected & R>(
      db,
      `select v.*, v.created_at::text as place${columns} from (${stretches.join(' union all ')}) v ${NEWEST} limit ${limit}`,
      values,
    );
  }

  /** SQL of those of the found rows that pass the other filters. `found` gives their ids and times, as SQL. */
  function passing(p: Parameter, after: Place | null, found: string): string {
    const conditions = ranges(p, after).map(range => `(${range})`);
    // `offset 0` keeps the filters out: each row is read by its id, whatever the planner's statistics say.
    return `(${found}) f cross join lateral (select * from verifications v where v.id = f.verification_id offset 0) v
      where (${conditions.join(' or ')})`;
  }
  function among<R extends object>({ after, limit, columns = '' }: PageOptions, found: (p: Parameter) => string) {
    const values: unknown[] = [];
    const p = collect(values);
    return many<Selected & R>(
      db,
      `select v.*, v.created_at::text as place${columns} from ${passing(p, after, found(p))}
       order by f.created_at desc, f.verification_id desc limit ${limit}`,
      values,
    );
  }
  const these = (found: Found) => (p: Parameter) =>
    `select * from unnest(${p(found.ids)}::text[], ${p(found.times)}::timestamptz[]) as u (verification_id, created_at)
     order by created_at desc, verification_id desc`;
  const withPair = ({ key, value }: Pair, p: Parameter, after: Place | null) => {
    const hash = `metadata_pair(${p(key)}, ${p(value)})`;
    const place = after
      ? `and (created_at, verification_id) < (${p(after.created_at)}::timestamptz, ${p(after.id)})`
      : '';
    const stretches = scopes.map(
      scope => `(select verification_id, created_at from verification_metadata where scope = ${p(scope)} and pair = ${hash} ${place}
        order by created_at desc, verification_id desc)`,
    );
    return `select * from (${stretches.join(' union all ')}) m order by created_at desc, verification_id desc`;
  };
  const beginning = ({ from, to, first, last }: IdRange, p: Parameter) =>
    `v.created_at >= ${p(from)} and v.created_at <= ${p(to)} and v.id between ${p(first)} and ${p(last)}`;

  let words: Promise<Found> | null = null;
  /** The rows that match the words of `q`, up to one more than {@link FEW}. The page and its total share the answer. */
  function worded(text: string): Promise<Found> {
    words ??= findByWords(db, { scopes, text, most: FEW + 1 });
    return words;
  }
  /** Where the walk through a page's rows begins and ends. */
  const walk = (p: Parameter, after: Place | null) => ({
    beforeAt: p(after?.created_at ?? (query.created_before ? instantOf(query.created_before) : 'infinity')),
    beforeId: p(after?.id ?? ''),
    since: p(query.created_after ? instantOf(query.created_after) : '-infinity'),
  });
  /** The condition that a row `s` lies on the walk. */
  function onWalk(p: Parameter, after: Place | null): string {
    const { beforeAt, beforeId, since } = walk(p, after);
    return `s.created_at > ${since}::timestamptz and (s.created_at, s.verification_id) < (${beforeAt}::timestamptz, ${beforeId})`;
  }
  /** SQL of those of the newest rows of each scope whose words match, in the order of the list. */
  function newest(text: string, p: Parameter, after: Place | null, walked: number): string {
    const { beforeAt, beforeId, since } = walk(p, after);
    return `select n.* from unnest(${p(scopes)}::text[]) as scopes (scope),
       search_newest(scope, search_form(${p(patternOf(text))}), ${beforeAt}, ${beforeId}, ${walked}, ${since}) n
     order by created_at desc, verification_id desc`;
  }
  /** The same, without rows older than the last one walked through in another scope: that scope may have newer matches. */
  function newestOfAll(text: string, p: Parameter, after: Place | null, walked: number): string {
    if (scopes.length === 1) return newest(text, p, after, walked);
    return `with ends as materialized (select e.* from unnest(${p(scopes)}::text[]) as scopes (scope), lateral (
         select s.created_at, s.verification_id from verification_search s where s.scope = scopes.scope and ${onWalk(p, after)}
         order by s.created_at desc, s.verification_id desc offset ${walked - 1} limit 1) e)
       select n.* from (${newest(text, p, after, walked)}) n
       where not exists (select from ends where (n.created_at, n.verification_id) < (ends.created_at, ends.verification_id))
       order by n.created_at desc, n.verification_id desc`;
  }
  /** Whether that many rows are all between the dates. */
  async function walksAll(after: Place | null, walked: number): Promise<boolean> {
    const n = await countUpTo(
      p => [`verification_search s where s.scope = any(${p(scopes)}) and ${onWalk(p, after)}`],
      walked,
    );
    return n <= walked;
  }
  let common: Promise<boolean> | null = null;
  function isCommon(text: string): Promise<boolean> {
    common ??= countUpTo(p => [`(${newest(text, p, null, WALKED)}) n`]).then(n => n >= COMMON);
    return common;
  }
  /** SQL of the newest {@link PROBED} rows that pass the filters. */
  const passingFirst = (p: Parameter, after: Place | null) => {
    const stretches = ranges(p, after).map(
      range => `(select * from verifications v where ${range} ${NEWEST} limit ${PROBED})`,
    );
    return `(select * from (${stretches.join(' union all ')}) v ${NEWEST} limit ${PROBED}) v`;
  };
  /** SQL of those of them whose words match. `offset 0`: each row's words are read by its id. */
  const probed = (text: string, p: Parameter, after: Place | null) =>
    `${passingFirst(p, after)} cross join lateral (select from verification_search s
       where s.verification_id = v.id and s.words like search_form(${p(patternOf(text))}) offset 0) s`;
  /** Whether every row that passes the filters is probed. */
  const probesAll = async (after: Place | null): Promise<boolean> =>
    (await countUpTo(p => [passingFirst(p, after)], PROBED)) < PROBED;
  async function probe<R extends object>(text: string, { after, limit, columns = '' }: PageOptions) {
    const values: unknown[] = [];
    const from = probed(text, collect(values), after);
    return many<Selected & R>(
      db,
      `select v.*, v.created_at::text as place${columns} from ${from} ${NEWEST} limit ${limit}`,
      values,
    );
  }

  async function bySearch<R extends object>(text: string, o: PageOptions): Promise<(Selected & R)[]> {
    if (id) {
      const named = await inOrder<R>(o, p => ` and ${beginning(id, p)}`);
      const inWords = await among<R>(o, these(await worded(text)));
      const once = new Map([...named, ...inWords].map(row => [row.id, row]));
      return [...once.values()].sort(newestFirst).slice(0, o.limit);
    }
    const inListOrder = async () => {
      if (filtered) {
        const rows = await probe<R>(text, o);
        return rows.length >= o.limit || (await probesAll(o.after)) ? rows : null;
      }
      for (const walked of [WALKED, WALKED_FARTHER]) {
        const rows = await among<R>(o, p => newestOfAll(text, p, o.after, walked));
        if (rows.length >= o.limit || (await walksAll(o.after, walked))) return rows;
      }
      return null;
    };
    const first = (await isCommon(text)) ? await inListOrder() : null;
    if (first) return first;
    const found = await worded(text);
    if (found.ids.length <= FEW) return among<R>(o, these(found));
    const next = (await isCommon(text)) ? null : await inListOrder();
    if (next) return next;
    return among<R>(
      o,
      p => `select s.* from unnest(${p(scopes)}::text[]) as scopes (scope),
          search_verifications(scope, search_form(${p(foldedOf(text))}), search_form(${p(patternOf(text))}), null) s
        order by created_at desc, verification_id desc`,
    );
  }

  /** Counts rows of `from`, up to one more than `most`. */
  async function countUpTo(from: (p: Parameter) => string[], most = COUNTED): Promise<number> {
    const values: unknown[] = [];
    const bounded = from(collect(values)).map(text => `(select from ${text} limit ${most + 1})`);
    return (await one<{ n: number }>(db, `select count(*)::int as n from (${bounded.join(' union all ')}) m`, values))!
      .n;
  }
  async function planned(from: (p: Parameter) => string[]): Promise<number> {
    const values: unknown[] = [];
    const every = from(collect(values)).map(text => `select from ${text}`);
    const plan = await one<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      db,
      `explain (format json) ${every.join(' union all ')}`,
      values,
    );
    return plan!['QUERY PLAN'][0].Plan['Plan Rows'];
  }
  const inRanges = (p: Parameter, from = '', also = '') =>
    ranges(p, null).map(range => `verifications v ${from} where ${range}${also}`);

  async function totalOfSearch(text: string): Promise<number> {
    if (id) {
      const found = await worded(text);
      const [inWords, named] = await Promise.all([
        countUpTo(p => [passing(p, null, these(found)(p))]),
        countUpTo(p => inRanges(p, '', ` and ${beginning(id, p)} and not (v.id = any(${p(found.ids)}))`)),
      ]);
      return inWords + named;
    }
    const inListOrder = () =>
      countUpTo(p => [filtered ? probed(text, p, null) : `(${newest(text, p, null, WALKED_FARTHER)}) n`]);
    const readsAll = () => (filtered ? probesAll(null) : walksAll(null, WALKED_FARTHER));
    let n = 0;
    if (await isCommon(text)) {
      n = await inListOrder();
      if (n <= COUNTED && (await readsAll())) return n;
    }
    // Of common words, a filter leaves some in rows that were not read: their number is an estimate.
    if (n <= COUNTED && !((filtered || dated) && (await isCommon(text)))) {
      const found = await worded(text);
      n = await countUpTo(p => [passing(p, null, these(found)(p))]);
      if (found.ids.length <= FEW && n <= COUNTED) return n;
      if (n <= COUNTED && (await readsAll())) return inListOrder();
    }
    const also = (p: Parameter) =>
      ` and s.scope = any(${p(scopes)}) and s.words like search_form(${p(patternOf(text))})`;
    return Math.max(
      n,
      await planned(p => inRanges(p, 'join verification_search s on s.verification_id = v.id', also(p))),
    );
  }

  return {
    page<R extends object>(o: PageOptions) {
      if (q !== null) return bySearch<R>(q, o);
      return pair ? among<R>(o, p => withPair(pair, p, o.after)) : inOrder<R>(o);
    },

    async total() {
      if (q !== null) return totalOfSearch(q);
      const n = await countUpTo(p => (pair ? [passing(p, null, withPair(pair, p, null))] : inRanges(p)));
      if (n <= COUNTED) return n;
      const also = (p: Parameter) =>
        pair ? ` and m.scope = any(${p(scopes)}) and m.pair = metadata_pair(${p(pair.key)}, ${p(pair.value)})` : '';
      const from = pair ? 'join verification_metadata m on m.verification_id = v.id' : '';
      return Math.max(n, await planned(p => inRanges(p, from, also(p))));
    },
  };
}

const newestFirst = (a: Selected, b: Selected): number =>
  b.created_at.getTime() - a.created_at.getTime() ||
  (a.place < b.place || (a.place === b.place && a.id < b.id) ? 1 : -1);

interface IdRange {
  first: string;
  last: string;
  from: Date;
  to: Date;
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const timeOf = (ulid: string): number =>
  [...ulid.slice(0, 10)].reduce((ms, letter) => ms * 32 + ALPHABET.indexOf(letter), 0);

/** The range of ids that begin with the text, and of the creation times they encode. Null: no id begins with it. */
function idsBeginning(q: string): IdRange | null {
  const ulid = /^VFY_([0-7][0-9A-HJKMNP-TV-Z]{0,25})$/.exec(q.toUpperCase())?.[1];
  if (ulid === undefined) return null;
  const first = ulid.padEnd(26, '0');
  const last = ulid.padEnd(26, 'Z');
  // The last millisecond that a Date can hold.
  const latest = Math.min(timeOf(last) + 1, 8.64e15);
  return { first: `vfy_${first}`, last: `vfy_${last}`, from: new Date(timeOf(first)), to: new Date(latest) };
}
