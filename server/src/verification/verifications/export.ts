import { Readable } from 'node:stream';
import { BYTE_ORDER_MARK, csvLine } from '@firsthand/contract/sheet/write-sheet.ts';
import { Type } from 'typebox';
import { tenantEndpoint } from '../../platform/http/endpoint.ts';
import { viewerOf } from '../../platform/http/principal.ts';
import { dateFaults, filters, METADATA_FILTER, type Place } from './filters.ts';
import { reviewRowsOf, shownReviews } from './reviews.ts';
import { select } from './select.ts';
import type { Selected } from './sources.ts';

const COLUMNS = [
  'id',
  'status',
  'livemode',
  'created_at',
  'completed_at',
  'verdict_label',
  'reason_code',
  'score',
  'captures_count',
  'external_ref',
  'review_state',
  'decision',
  'metadata',
] as const;
type Column = (typeof COLUMNS)[number];

/** Rows of one statement. The export holds no more than these at a time. */
const PAGE = 500;

export const exportVerifications = tenantEndpoint({
  operationId: 'exportVerifications',
  summary: 'Export verifications as CSV',
  description:
    'Takes the filters of the list and streams every verification that passes, newest first. A text that a spreadsheet ' +
    'would run (`= + - @` at its beginning) begins with an apostrophe.',
  tag: 'Verifications',
  credentials: ['session', 'key', 'secret'],
  query: Type.Object(filters, { additionalProperties: false, patternProperties: METADATA_FILTER }),
  recordFaults: ({ query }) => dateFaults(query),
  mediaType: 'text/csv',
  responses: { 200: Type.String({ description: 'a header line, then a line each' }) },
  async handler({ deps, principal, query, stillAdmitted }) {
    const selection = await select(deps, principal, query);
    const first = await selection.page({ after: null, limit: PAGE });

    function lineOf(row: Selected, decision: string | undefined, state: string): string {
      const values: Record<Column, string | number | boolean | null | undefined> = {
        id: row.id,
        status: row.status,
        livemode: row.livemode,
        created_at: row.created_at.toISOString(),
        completed_at: row.completed_at?.toISOString(),
        verdict_label: row.verdict?.label,
        reason_code: row.verdict?.reason_code,
        score: row.verdict?.score,
        captures_count: row.captures_count,
        external_ref: row.external_ref,
        review_state: state,
        decision,
        metadata: JSON.stringify(row.config.metadata ?? {}),
      };
      return csvLine(COLUMNS.map(column => values[column]));
    }

    async function* lines(): AsyncGenerator<string> {
      yield BYTE_ORDER_MARK + csvLine(COLUMNS);
      for (let rows = first; ; ) {
        const reviewed = rows.filter(row => row.review_state !== 'none').map(({ id }) => id);
        const reviews = Map.groupBy(await reviewRowsOf(deps.db, reviewed), review => review.verification_id);
        const seen = { viewer: viewerOf(principal), now: deps.clock.now() };
        yield rows
          .map(row => {
            const { review } = shownReviews(row, reviews.get(row.id) ?? [], seen);
            return lineOf(row, review.decision, review.state);
          })
          .join('');
        const last = rows.at(-1);
        if (!last || rows.length < PAGE) return;
        // Stop the file for a reader who lost the right to read meanwhile.
        if (!(await stillAdmitted())) throw new Error('the credential of an export ended');
        const after: Place = { id: last.id, created_at: last.place };
        rows = await selection.page({ after, limit: PAGE });
      }
    }
    return {
      status: 200,
      headers: {
        'content-type': 'text/csv; charset=utf-8; header=present',
        'content-disposition': 'attachment; filename="verifications.csv"',
      },
      body: Readable.from(lines()),
    };
  },
});
