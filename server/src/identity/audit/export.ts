import { Readable } from 'node:stream';
import type { AuditEntry } from '@firsthand/contract/account/management.ts';
import { conflict, type Fault, noSuchDate } from '@firsthand/contract/base/fault.ts';
import { DateTime, instantOf } from '@firsthand/contract/base/ids.ts';
import { BYTE_ORDER_MARK, csvLine } from '@firsthand/contract/sheet/write-sheet.ts';
import { Type } from 'typebox';
import { many } from '../../platform/db/sql.ts';
import { tenantEndpoint } from '../../platform/http/endpoint.ts';
import { type AuditRow, present } from './audit.ts';

const COLUMNS = [
  'created_at',
  'id',
  'action',
  'actor_kind',
  'actor_id',
  'actor_via',
  'target',
  'address',
  'device',
  'request_id',
  'detail',
] as const;

/** Rows of one statement. The export holds no more than these at a time. */
const PAGE = 500;

function rangeFaults(query: unknown): Fault[] {
  const { from, to } = query as { from?: string; to?: string };
  const faults = Object.entries({ from, to }).flatMap(([path, text]) =>
    text !== undefined && !instantOf(text) ? [noSuchDate(path)] : [],
  );
  if (faults.length > 0 || from === undefined || to === undefined) return faults;
  return instantOf(from)! < instantOf(to)! ? [] : [conflict('from', 'must be before `to`', ['to'])];
}

/**
 * JSON without any character that some program takes for the end of a line. JSON itself escapes those below U+0020; a parser reads the
 * others back as they were.
 */
const jsonInLine = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0085\u2028\u2029]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const FORMATS = {
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    begin: BYTE_ORDER_MARK + csvLine(COLUMNS),
    line({ actor, created_at, ...entry }: AuditEntry): string {
      const { id, action, target, address, device, request_id, detail } = entry;
      return csvLine([
        created_at,
        id,
        action,
        actor.kind,
        actor.id,
        actor.via,
        target,
        address,
        device,
        request_id,
        jsonInLine(detail),
      ]);
    },
  },
  jsonl: {
    type: 'application/x-ndjson; charset=utf-8',
    begin: '',
    line: (entry: AuditEntry): string => `${jsonInLine(entry)}\n`,
  },
} as const;

export const exportAuditLog = tenantEndpoint({
  operationId: 'exportAuditLog',
  summary: 'Export the audit log',
  description:
    'Streams the entries from `from` on and before `to`, oldest first; without them, all. `csv` is for spreadsheets: a text that one ' +
    'would run (`= + - @` at its beginning) begins with an apostrophe. `jsonl` has each entry as it is, one per line.',
  tag: 'Management',
  credentials: ['session', 'secret'],
  role: 'owner',
  query: Type.Object(
    {
      format: Type.Enum(['csv', 'jsonl'], { title: 'AuditFormat', default: 'csv' }),
      from: Type.Optional(DateTime),
      to: Type.Optional(DateTime),
    },
    { additionalProperties: false },
  ),
  recordFaults: async ({ query }) => rangeFaults(query),
  mediaType: ['text/csv', 'application/x-ndjson'],
  responses: { 200: Type.String({ description: 'a line for each entry' }) },
  async handler({ deps, principal, query, stillAdmitted }) {
    const format = FORMATS[query.format];
    const [from, to] = [query.from, query.to].map(text => (text === undefined ? null : instantOf(text)));
    const page = (after: string) =>
      many<AuditRow>(
        deps.db,
        `select * from audit_log where tenant_id = $1 and id > $2
           and ($3::timestamptz is null or created_at >= $3) and ($4::timestamptz is null or created_at < $4)
         order by id limit $5`,
        [principal.tenantId, after, from, to, PAGE],
      );
    const first = await page('');

    async function* lines(): AsyncGenerator<string> {
      if (format.begin !== '') yield format.begin;
      for (let rows = first; ; ) {
        yield rows.map(row => format.line(present(row))).join('');
        const last = rows.at(-1);
        if (!last || rows.length < PAGE) return;
        // Stop the file for a reader who lost the right to read meanwhile.
        if (!(await stillAdmitted())) throw new Error('the credential of an export ended');
        rows = await page(last.id);
      }
    }
    return {
      status: 200,
      headers: {
        'content-type': format.type,
        'content-disposition': `attachment; filename="audit-log.${query.format}"`,
      },
      body: Readable.from(lines()),
    };
  },
});
