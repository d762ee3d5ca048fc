import { isId } from '@firsthand/contract/base/ids.ts';
import { VerificationList, type VerificationSummary } from '@firsthand/contract/verification/verification.ts';
import { Type } from 'typebox';
import { one, type Queryable } from '../../platform/db/sql.ts';
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { viewerOf } from '../../platform/http/principal.ts';
import { invalidField } from '../../platform/http/problem.ts';
import { withExpiryApplied } from './advance.ts';
import { dateFaults, filters, METADATA_FILTER, type Place } from './filters.ts';
import { presentSummary, withoutLink } from './present.ts';
import { reviewRowsOf, shownReviews } from './reviews.ts';
import { select } from './select.ts';

const ListQuery = Type.Object(
  {
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    ...filters,
  },
  { additionalProperties: false, patternProperties: METADATA_FILTER },
);

/** Finds where the page after a cursor begins. */
async function placeOf(db: Queryable, tenantId: string, cursor: string): Promise<Place> {
  const id = decodeCursor(cursor, text => isId('vfy', text));
  const row = await one<{ created_at: string }>(
    db,
    'select created_at::text from verifications where id = $1 and tenant_id = $2',
    [id, tenantId],
  );
  if (!row) throw invalidField('cursor', 'unknown_reference', 'is not a cursor of this list');
  return { id, ...row };
}

/** The results of the place check of each row's captures, where it was asked for. */
const LOCATION_RESULTS = `, case when v.config ? 'expected_location' then
  (select array_agg(c.location_match ->> 'result') from captures c where c.verification_id = v.id) end as location_results`;

export const listVerifications = tenantEndpoint({
  operationId: 'listVerifications',
  summary: 'List verifications, newest first',
  description:
    'To filter by metadata, add `metadata[key]=value` to the query. A filter takes several values between commas. The ' +
    'first page says in `total_estimate` how many verifications match.',
  tag: 'Verifications',
  credentials: ['session', 'key', 'secret'],
  query: ListQuery,
  recordFaults: ({ query }) => dateFaults(query),
  responses: {
    200: VerificationList,
  },
  async handler({ deps, principal, query }) {
    const after = query.cursor === undefined ? null : await placeOf(deps.db, principal.tenantId, query.cursor);
    const selection = await select(deps, principal, query);
    const [rows, total] = await Promise.all([
      selection.page<{ location_results: string[] | null }>({
        after,
        limit: query.limit + 1,
        columns: LOCATION_RESULTS,
      }),
      after ? null : selection.total(),
    ]);
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
      if (query.status && !query.status.includes(current.status)) continue;
      const shown = shownReviews(current, reviews.get(row.id) ?? [], seen);
      data.push(withoutLink(presentSummary(current, deps.origins, shown, row.location_results ?? []), principal));
    }
    return ok({
      data,
      ...(rows.length > query.limit && last ? { next_cursor: encodeCursor(last.id) } : {}),
      ...(total === null ? {} : { total_estimate: total }),
    });
  },
});
