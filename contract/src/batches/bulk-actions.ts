import { type Static, Type } from 'typebox';
import { BULK_ACTIONS, REVIEW_STATES } from '../base/enums.ts';
import { conflict, type Fault, required } from '../base/fault.ts';
import { DateTime, IdSchema } from '../base/ids.ts';
import { RedactRequest } from '../evidence/erasure.ts';
import { BrandSlug, Metadata } from '../verification/create-verification.ts';
import { Status, VerdictLabel } from '../verification/verification.ts';
import { Stopped } from './stopped.ts';

const closed = { additionalProperties: false } as const;

export const BULK_IDS_MAX = 1_000;
export const BULK_STATES = ['queued', 'collecting', 'running', 'completed', 'cancelled'] as const;
export type BulkActionName = (typeof BULK_ACTIONS)[number];

const Name = Type.Enum([...BULK_ACTIONS], {
  title: 'BulkActName',
  description:
    '`cancel` ends open links. `resend` sends the newest event of each verification again, to every URL it went to. ' +
    '`reissue` asks the same person for the same photos with a new link. `review` puts ended cases into the review queue. ' +
    '`redact` deletes photos and personal data for good.',
});

const several = <T extends Parameters<typeof Type.Array>[0]>(item: T) =>
  Type.Optional(Type.Array(item, { minItems: 1, maxItems: 20 }));

/** The filters of the list of verifications, as members of a body. An empty filter passes every verification. */
export const BulkFilter = Type.Object(
  {
    status: several(Status),
    verdict: several(VerdictLabel),
    template_id: several(IdSchema('tpl')),
    review: several(Type.Enum([...REVIEW_STATES], { title: 'ReviewState' })),
    assigned_to: Type.Optional(IdSchema('usr')),
    brand_slug: several(BrandSlug),
    created_after: Type.Optional(DateTime),
    created_before: Type.Optional(DateTime),
    external_ref: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 120 })),
    metadata: Type.Optional(Metadata),
  },
  { ...closed, title: 'BulkFilter' },
);
export type BulkFilter = Static<typeof BulkFilter>;

/** Body of POST /v1/bulk-acts. */
export const BulkActionRequest = Type.Object(
  {
    act: Name,
    ids: Type.Optional(
      Type.Array(IdSchema('vfy'), {
        minItems: 1,
        maxItems: BULK_IDS_MAX,
        uniqueItems: true,
        description: 'the verifications; or send `filter`',
      }),
    ),
    filter: Type.Optional(BulkFilter),
    send: Type.Optional(
      Type.Boolean({
        default: false,
        description: '`reissue` only: mail each person with an e-mail address their link',
      }),
    ),
    reason: RedactRequest.properties.reason,
  },
  { ...closed, title: 'BulkActRequest' },
);
export type BulkActionRequest = Static<typeof BulkActionRequest>;

/** Faults that span several members. Accepts any body. */
export function bulkActionFaults(body: unknown): Fault[] {
  const { act, ids, filter, send, reason } = (body ?? {}) as Record<string, unknown>;
  const faults: Fault[] = [];
  if ((ids === undefined) === (filter === undefined)) {
    faults.push(
      ids === undefined
        ? required('ids', 'or filter is required', { unless: ['filter'] })
        : conflict('ids', 'cannot be sent together with filter', ['filter']),
    );
  }
  if (send !== undefined && act !== 'reissue') faults.push(conflict('send', 'is only for reissue', ['act']));
  if (reason !== undefined && act !== 'redact') faults.push(conflict('reason', 'is only for redact', ['act']));
  return faults;
}

export const BulkAction = Type.Object(
  {
    id: IdSchema('blk'),
    act: Name,
    state: Type.Enum([...BULK_STATES], {
      title: 'BulkActState',
      description: '`collecting`: the verifications of the filter are being listed, and `total` still grows',
    }),
    total: Type.Integer({ minimum: 0, description: 'verifications' }),
    done: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0, description: 'verifications that refused the act; the results say why' }),
    created_at: DateTime,
    ended_at: Type.Optional(DateTime),
    stopped: Type.Optional(Stopped),
  },
  { ...closed, title: 'BulkAct' },
);
export type BulkAction = Static<typeof BulkAction>;
