import type { Fault } from '@firsthand/contract/errors.ts';
import { DateTime, instantOf, isId } from '@firsthand/contract/ids.ts';
import { LABELS, Status, VerificationSummary } from '@firsthand/contract/verification.ts';
import { type Static, Type } from 'typebox';
import { many, one, type Queryable } from '../db/sql.ts';
import { decodeCursor, encodeCursor, Page } from '../http/cursor.ts';
import { ok, tenantEndpoint } from '../http/endpoint.ts';
import { readableModes, viewerOf } from '../http/principal.ts';
import { invalidField } from '../http/problem.ts';
import { presentSummary } from './present.ts';
import { withExpiryApplied } from './read.ts';
import { reviewRowsOf, shownReviews } from './reviews.ts';
import type { VerificationRow } from './row.ts';

const ListQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    status: Type.Optional(Status),
    verdict: Type.Optional(Type.Enum([...LABELS])),
    created_after: Type.Optional(DateTime),
    created_before: Type.Optional(DateTime),
    external_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
  },
  {
    additionalProperties: false,
    patternProperties: { '^metadata\\[[^]+\\]$': { type: 'string', maxLength: 500 } },
  },
);

/** Faults of dates that have the right form but that no calendar holds. */
const dateFaults = (query: unknown): Fault[] =>
  (['created_after', 'created_before'] as const).flatMap(path => {
    const text = (query as Static<typeof ListQuery>)[path];
    return typeof text === 'string' && !instantOf(text) ? [{ path, message: 'must be a date that exists' }] : [];
  });

/**
 * Finds where the page after a cursor begins. The time stays text: a JavaScript date holds milliseconds, the row
 * microseconds.
 */
async function placeOf(db: Queryable, tenantId: string, cursor: string): Promise<{ id: string; created_at: string }> {
  const id = decodeCursor(cursor, text => isId('vfy', text));
  const row = await one<{ created_at: string }>(
    db,
    'select created_at::text from verifications where id = $1 and tenant_id = $2',
    [id, tenantId],
  );
  if (!row) throw invalidField('cursor', 'is not a cursor of this list');
  return { id, ...row };
}

export const listVerifications = tenantEndpoint({
  operationId: 'listVerifications',
  summary: 'List verifications, newest first',
  description: 'To filter by metadata, add `metadata[key]=value` to the query.',
  tag: 'Verifications',
  credentials: ['session', 'key', 'secret'],
  query: ListQuery,
  recordFaults: ({ query }) => dateFaults(query),
  responses: {
    200: Page(VerificationSummary),
  },
  async handler({ deps, principal, query }) {
    const values: unknown[] = [principal.tenantId];
    const conditions = ['tenant_id = $1'];
    const where = (condition: (parameter: string) => string, value: unknown) => {
      values.push(value);
      conditions.push(condition(`$${values.length}`));
    };
    if (query.cursor !== undefined) {
      const after = await placeOf(deps.db, principal.tenantId, query.cursor);
      values.push(after.created_at, after.id);
      conditions.push(`(created_at, id) < ($${values.length - 1}::timestamptz, $${values.length})`);
    }
    if (query.status) where(p => `status = ${p}`, query.status);
    if (query.verdict) where(p => `verdict is not null and verdict ->> 'label' = ${p}`, query.verdict);
    if (query.created_after) where(p => `created_at > ${p}`, instantOf(query.created_after!));
    if (query.created_before) where(p => `created_at < ${p}`, instantOf(query.created_before!));
    if (query.external_ref) where(p => `external_ref = ${p}`, query.external_ref);
    const metadata = Object.entries(query)
      .filter(([name]) => name.startsWith('metadata['))
      .map(([name, value]) => [name.slice('metadata['.length, -1), String(value)]);
    if (metadata.length > 0) {
      where(p => `config -> 'metadata' @> ${p}::jsonb`, JSON.stringify(Object.fromEntries(metadata)));
    }
    values.push(query.limit + 1);
    // Each mode is a range of an index. The query reads the ranges one by one and merges them, so the last page costs
    // no more than the first.
    const stretches = readableModes(principal).map(
      livemode =>
        `(select * from verifications where livemode = ${livemode} and ${conditions.join(' and ')}
          order by created_at desc, id desc limit $${values.length})`,
    );
    const rows = await many<VerificationRow & { location_results: string[] | null }>(
      deps.db,
      `select v.*, case when v.config ? 'expected_location' then
         (select array_agg(c.location_match ->> 'result') from captures c where c.verification_id = v.id) end as location_results
       from (${stretches.join(' union all ')}) v order by created_at desc, id desc limit $${values.length}`,
      values,
    );
    const page = rows.slice(0, query.limit);
    const last = page.at(-1);
    const reviews = Map.groupBy(
      await reviewRowsOf(
        deps.db,
        page.filter(row => row.review_state !== 'none').map(({ id }) => id),
      ),
      review => review.verification_id,
    );
    const seen = { viewer: viewerOf(principal), now: deps.clock.now() };
    const data: VerificationSummary[] = [];
    for (const row of page) {
      const current = await withExpiryApplied(deps, row);
      // The row expired after the query ran and no longer matches the filter.
      if (query.status && current.status !== query.status) continue;
      const shown = shownReviews(current, reviews.get(row.id) ?? [], seen);
      data.push(presentSummary(current, deps.origins, shown, row.location_results ?? []));
    }
    return ok({
      data,
      ...(rows.length > query.limit && last ? { next_cursor: encodeCursor(last.id) } : {}),
    });
  },
});
