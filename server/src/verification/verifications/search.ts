import { many, type Queryable } from '../../platform/db/sql.ts';

// Searches the index tables `verification_search` and `verification_metadata`, which triggers maintain.

/** Verifications that match, with their places in the list. */
export interface Found {
  ids: string[];
  times: string[];
}

/** The name that the index tables give to a tenant's mode. */
export const scopeOf = (tenantId: string, livemode: boolean): string => `${tenantId}:${livemode ? 'live' : 'test'}`;

/** The text in compatibility form, where "％" has become a "%". SQL's `search_form` does the rest, as the index does. */
export const foldedOf = (text: string): string => text.normalize('NFKC');

/** A pattern for LIKE that finds the text anywhere. */
export const patternOf = (text: string): string => `%${foldedOf(text).replaceAll(/[\\%_]/g, '\\$&')}%`;

/** Finds up to `most` verifications of each scope whose words match, in no order. */
export async function findByWords(
  db: Queryable,
  o: { scopes: readonly string[]; text: string; most: number },
): Promise<Found> {
  const rows = await many<{ id: string; time: string }>(
    db,
    `select s.verification_id as id, s.created_at::text as time
     from unnest($1::text[]) as scopes (scope), search_verifications(scope, search_form($2), search_form($3), $4) s`,
    [o.scopes, foldedOf(o.text), patternOf(o.text), o.most],
  );
  return { ids: rows.map(row => row.id), times: rows.map(row => row.time) };
}

/** A member of the metadata, and whether no more than `few` verifications have it. */
export interface Pair {
  key: string;
  value: string;
  few: boolean;
}

/** Finds the member of the metadata that the fewest verifications have. */
export async function rarestPair(
  db: Queryable,
  o: { scopes: readonly string[]; pairs: readonly (readonly [string, string])[]; few: number },
): Promise<Pair | null> {
  const [first] = await many<{ key: string; value: string; n: number }>(
    db,
    `select p.key, p.value, (select count(*)::int from (select from verification_metadata m
       where m.scope = any($1) and m.pair = metadata_pair(p.key, p.value) limit $4) counted) as n
     from unnest($2::text[], $3::text[]) as p (key, value) order by n limit 1`,
    [o.scopes, o.pairs.map(([key]) => key), o.pairs.map(([, value]) => value), o.few + 1],
  );
  return first ? { key: first.key, value: first.value, few: first.n <= o.few } : null;
}
