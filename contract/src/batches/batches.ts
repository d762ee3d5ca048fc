import { type Static, Type } from 'typebox';
import { faultMembers } from '../base/errors.ts';
import type { Fault, FaultCode } from '../base/fault.ts';
import { DateTime, IdSchema } from '../base/ids.ts';
import { BATCH_ROWS_MAX } from '../base/limits.ts';
import {
  CreateVerificationRequest,
  ExpectedInfo,
  Metadata,
  TemplateRequest,
} from '../verification/create-verification.ts';
import { CreationWarnings } from '../verification/verification.ts';
import { Stopped } from './stopped.ts';

const closed = { additionalProperties: false } as const;

export const BATCH_STATES = ['queued', 'running', 'completed', 'cancelled'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** The columns of a batch's rows, beside `metadata.<key>`. */
export const BATCH_COLUMNS = [
  'name',
  'email',
  'phone_e164',
  'external_ref',
  'asset_ref',
  'expected_location',
  'expected_object',
  'condition_aspects',
  'ocr_type',
] as const;
export type BatchColumn = (typeof BATCH_COLUMNS)[number];

/** The fields that one row adds to the request of its batch. */
export const BatchRowContent = Type.Object(
  { subject: ExpectedInfo.properties.subject, metadata: Type.Optional(Metadata) },
  { ...closed, title: 'BatchRowContent' },
);
export type BatchRowContent = Static<typeof BatchRowContent>;

/** JSON body of POST /v1/batches. */
export const BatchRequest = Type.Object(
  {
    template_id: Type.Optional(IdSchema('tpl')),
    request: Type.Optional(TemplateRequest),
    rows: Type.Array(
      Type.Object(
        {},
        {
          additionalProperties: true,
          title: 'BatchRow',
          description: `${BATCH_COLUMNS.map(column => `\`${column}\``).join(', ')}, \`metadata.<key>\` or \`metadata\``,
        },
      ),
      { minItems: 1, maxItems: BATCH_ROWS_MAX },
    ),
  },
  { ...closed, title: 'BatchRequest' },
);

export const Batch = Type.Object(
  {
    id: IdSchema('bat'),
    state: Type.Enum([...BATCH_STATES], { title: 'BatchState' }),
    total: Type.Integer({ minimum: 0, description: 'rows' }),
    created: Type.Integer({ minimum: 0, description: 'rows that have their verification' }),
    failed: Type.Integer({ minimum: 0, description: 'rows that could not get one' }),
    send: Type.Boolean({ description: 'people with an e-mail address get their link by mail' }),
    template_id: Type.Optional(IdSchema('tpl')),
    livemode: Type.Boolean(),
    created_at: DateTime,
    ended_at: Type.Optional(DateTime),
    stopped: Type.Optional(Stopped),
    warnings: CreationWarnings('in the answer that creates the batch'),
  },
  { ...closed, title: 'Batch' },
);
export type Batch = Static<typeof Batch>;

export const BatchFault = Type.Object(
  {
    row: Type.Integer({
      minimum: 1,
      description: 'as a spreadsheet counts: the header of a CSV is row 1; JSON rows begin at 1',
    }),
    column: Type.String({ description: 'empty: the whole row' }),
    message: Type.String({ description: 'in English, for people; it may change' }),
    ...faultMembers,
  },
  { ...closed, title: 'BatchFault' },
);
export type BatchFault = Static<typeof BatchFault> & { code: FaultCode };

/** Places a fault in a row. The path becomes the column. */
export const inRow = (row: number, { path: column, ...rest }: Fault): BatchFault => ({ row, column, ...rest });

/** The answer of a dry run. */
export const BatchCheck = Type.Object(
  {
    total: Type.Integer({ minimum: 0 }),
    faults: Type.Array(BatchFault),
    preview: Type.Array(CreateVerificationRequest, { maxItems: 5 }),
    warnings: CreationWarnings('for every row'),
  },
  { ...closed, title: 'BatchCheck' },
);
export type BatchCheck = Static<typeof BatchCheck>;
