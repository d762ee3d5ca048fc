import { AuditFeed } from '@firsthand/contract/account/management.ts';
import { isId } from '@firsthand/contract/base/ids.ts';
import { Type } from 'typebox';
import { many, one } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { invalidField } from '../../platform/http/problem.ts';
import { type AuditRow, present } from './audit.ts';

/** The place after an entry: by the transaction that wrote it, then by its id. */
interface Place {
  transaction: string;
  id: string;
}

const START: Place = { transaction: '0', id: '' };

const encodePlace = ({ transaction, id }: Place): string => Buffer.from(`${transaction}:${id}`).toString('base64url');

function decodePlace(cursor: string): Place {
  const [, transaction = '', id = ''] =
    /^(\d{1,20}):(.*)$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  const place = { transaction, id };
  if ((id !== '' && !isId('aud', id)) || encodePlace(place) !== cursor)
    throw invalidField('cursor', 'unknown_reference', 'is not a cursor of this feed');
  return place;
}

export const getAuditFeed = tenantEndpoint({
  operationId: 'getAuditFeed',
  summary: 'Follow the audit log',
  description:
    'For a SIEM: entries in the order in which they were committed, each once. Begin without a `cursor` at the oldest entry, then send the ' +
    '`cursor` of each answer with the next request, also when `data` was empty. An entry appears when every transaction that began ' +
    'before its own has ended, so none is ever skipped.',
  tag: 'Management',
  credentials: ['session', 'secret'],
  role: 'owner',
  query: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 100 }),
      cursor: Type.Optional(Type.String({ maxLength: 200 })),
    },
    { additionalProperties: false },
  ),
  responses: { 200: AuditFeed },
  async handler({ deps, principal, query }) {
    const after = query.cursor === undefined ? START : decodePlace(query.cursor);
    const open = await one<{ xmin: string }>(deps.db, 'select pg_snapshot_xmin(pg_current_snapshot())::text as xmin');
    if (BigInt(after.transaction) > BigInt(open!.xmin)) {
      throw invalidField('cursor', 'unknown_reference', 'belongs to another database; begin without a cursor');
    }
    const rows = await many<AuditRow & { place: string }>(
      deps.db,
      `select audit_log.*, recorded_in::text as place from audit_log
       where tenant_id = $1 and (recorded_in, id) > ($2::text::xid8, $3)
         and recorded_in < pg_snapshot_xmin(pg_current_snapshot())
       order by audit_log.recorded_in, id limit $4`,
      [principal.tenantId, after.transaction, after.id, query.limit],
    );
    const last = rows.at(-1);
    return ok({
      data: rows.map(row => present(row)),
      cursor: encodePlace(last ? { transaction: last.place, id: last.id } : after),
    });
  },
});
