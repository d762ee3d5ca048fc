import { REVIEW_STATES } from '@firsthand/contract/base/enums.ts';
import { type Fault, noSuchDate } from '@firsthand/contract/base/fault.ts';
import { DateTime, IdSchema, instantOf } from '@firsthand/contract/base/ids.ts';
import { Status, VerdictLabel } from '@firsthand/contract/verification/verification.ts';
import { type Static, type TSchema, Type } from 'typebox';

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
  assigned_to: Type.Optional({ ...IdSchema('usr'), description: 'the person whose cases they are' }),
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

/** Writes a value into a statement: collects it, and gives its parameter. */
export type Parameter = (value: unknown) => string;

export interface Filters {
  tenantId: string;
  /** The modes that the caller reads. */
  reads: readonly boolean[];
  query: FilterQuery;
  now: Date;
}

/** The members of the metadata that a query names. */
export const pairsOf = (query: FilterQuery): (readonly [key: string, value: string])[] =>
  Object.entries(query)
    .filter(([name]) => name.startsWith('metadata['))
    .map(([name, value]) => [name.slice('metadata['.length, -1), String(value)] as const);

/** Whether filters pick rows by a column. Not the dates: a search walks only through the rows between them. */
export const picksRows = (query: FilterQuery): boolean =>
  [
    query.id,
    query.status,
    query.verdict,
    query.external_ref,
    query.template_id,
    query.brand_slug,
    query.review,
    query.assigned_to,
  ].some(filter => filter !== undefined);

export const isFiltered = (query: FilterQuery): boolean => picksRows(query) || pairsOf(query).length > 0;

/** The filters that have an index in the list's order, each with the condition of one of its values. */
const severalOf = (
  { query, now }: Filters,
  p: Parameter,
): [readonly string[] | undefined, (value: string) => string][] => [
  [
    query.assigned_to === undefined ? undefined : [query.assigned_to],
    value => `v.review_assigned_to is not null and v.review_assigned_to ->> 'person_id' = ${p(value)}`,
  ],
  [query.template_id, value => `v.private ? 'template' and v.private -> 'template' ->> 'id' = ${p(value)}`],
  [query.brand_slug, value => `v.private ? 'brand_slug' and v.private ->> 'brand_slug' = ${p(value)}`],
  [query.review, state => reviewed(state, now, p)],
  [query.verdict, value => `v.verdict is not null and v.verdict ->> 'label' = ${p(value)}`],
  [query.status, value => `v.status = ${p(value)}`],
];

function reviewed(state: string, now: Date, p: Parameter): string {
  if (state === 'none') return `v.review_state = 'none'`;
  const stored = `v.review_state <> 'none' and v.review_state = ${p(state === 'claimed' ? 'open' : state)}`;
  const claimed = () => `(v.review_claimed_by is not null and v.review_claimed_until > ${p(now)})`;
  if (state === 'claimed') return `${stored} and ${claimed()}`;
  return state === 'open' ? `${stored} and ${claimed()} is not true` : stored;
}

/** The conditions that every row after the place fulfils. */
function commonConditions({ tenantId, query }: Filters, p: Parameter, after: Place | null): string[] {
  const all = [`v.tenant_id = ${p(tenantId)}`];
  if (after) all.push(`(v.created_at, v.id) < (${p(after.created_at)}::timestamptz, ${p(after.id)})`);
  if (query.id) all.push(`v.id = any(${p(query.id)})`);
  if (query.created_after) all.push(`v.created_at > ${p(instantOf(query.created_after))}`);
  if (query.created_before) all.push(`v.created_at < ${p(instantOf(query.created_before))}`);
  if (query.external_ref) all.push(`normalize(v.external_ref, nfc) = ${p(query.external_ref.normalize('NFC'))}`);
  const pairs = pairsOf(query);
  if (pairs.length > 0) {
    const members = p(JSON.stringify(Object.fromEntries(pairs)));
    all.push(`metadata_form(v.config -> 'metadata') @> metadata_form(${members})`);
  }
  return all;
}

/**
 * The rows `v` that pass all filters, as one condition for each range: each mode with each value of one filter is a range
 * of an index in the list's order. A statement that reads the ranges one by one and merges them pays no more for the last
 * page than for the first.
 */
export function rangesOf(o: Filters, p: Parameter, after: Place | null): string[] {
  const all = commonConditions(o, p, after);
  const [each = ['true'], ...others] = severalOf(o, p).flatMap(([wanted, condition]) =>
    wanted === undefined ? [] : [[...new Set(wanted)].map(condition)],
  );
  for (const conditions of others) all.push(`(${conditions.map(condition => `(${condition})`).join(' or ')})`);
  return o.reads.flatMap(livemode =>
    each.map(condition => `${all.join(' and ')} and ${condition} and v.livemode = ${livemode}`),
  );
}
