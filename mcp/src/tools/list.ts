import { LABELS, REVIEW_STATES, STATUSES } from '@firsthand/contract/base/enums.ts';
import type { VerificationSummary } from '@firsthand/sdk';
import * as z from 'zod';
import { ToolError } from '../service.ts';
import { tool } from '../tool.ts';
import { READS } from './fields.ts';

const filters = {
  status: z.array(z.enum(STATUSES)).min(1).optional(),
  verdict: z.array(z.enum(LABELS)).min(1).optional(),
  review: z.array(z.enum(REVIEW_STATES)).min(1).optional().describe('open: waits for a decision'),
  created_after: z.string().optional().describe('ISO 8601 with a zone'),
  created_before: z.string().optional().describe('ISO 8601 with a zone'),
  search: z
    .string()
    .min(1)
    .max(120)
    .optional()
    .describe("Part of a metadata value, of external_ref or of the person's name"),
  metadata: z.record(z.string(), z.string()).optional().describe('Exact metadata, such as claim: C-1042'),
};
const Filters = z.strictObject(filters);
/** A cursor of ours holds the filters too, so no page can be asked for with others. */
const Cursor = z.tuple([z.string(), Filters, z.int()]);

export const listVerifications = tool({
  name: 'list_verifications',
  title: 'List verifications',
  description: 'Lists verifications, newest first. For the next page send only the next_cursor of the page before.',
  hints: READS,
  input: {
    ...filters,
    limit: z.int().min(1).max(25).optional().describe('Without it: 10'),
    cursor: z.string().max(6_000).optional(),
  },
  async run({ cursor, limit = 10, ...given }, { service, signal }) {
    const [after, { search, ...chosen }, size] = cursor === undefined ? [undefined, given, limit] : decode(cursor);
    const page = await service.firsthand.verifications.list(
      {
        ...chosen,
        limit: size,
        ...(search === undefined ? {} : { q: search }),
        ...(after === undefined ? {} : { cursor: after }),
      },
      { signal },
    );
    const filtersOfPage = { ...chosen, ...(search === undefined ? {} : { search }) };
    return {
      facts: {
        verifications: page.data.map(summaryOf),
        total_estimate: page.total_estimate,
        next_cursor: page.next_cursor && encode([page.next_cursor, filtersOfPage, size]),
      },
    };
  },
});

const encode = (place: z.infer<typeof Cursor>): string => Buffer.from(JSON.stringify(place)).toString('base64url');

function decode(cursor: string): z.infer<typeof Cursor> {
  try {
    return Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch {
    throw new ToolError('The cursor is not one of this list. Begin without a cursor.');
  }
}

const summaryOf = (row: VerificationSummary) => ({
  id: row.id,
  status: row.status,
  livemode: row.livemode,
  created_at: row.created_at,
  expires_at: row.expires_at,
  completed_at: row.completed_at,
  photos: row.captures_count,
  label: row.verdict?.label,
  score: row.verdict?.score,
  reason_code: row.verdict?.reason_code,
  review: row.review.state,
  decision: row.review.decision,
});
