import { unknownReference } from '@firsthand/contract/base/fault.ts';
import { BulkAction, BulkActionRequest, bulkActionFaults } from '@firsthand/contract/batches/bulk-actions.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { many, one, type Queryable, transaction } from '../../platform/db/sql.ts';
import { tenantEndpoint } from '../../platform/http/endpoint.ts';
import { type Principal, readableModes } from '../../platform/http/principal.ts';
import { invalid, notConfigured } from '../../platform/http/problem.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { newId } from '../../platform/lib/ids.ts';
import { dateFaults } from '../../verification/verifications/select.ts';
import { LEAST_ROLE } from './actions.ts';
import { type BulkActionRow, presentBulkAction } from './bulk-action.ts';

const faultsOf = (body: unknown) => [
  ...bulkActionFaults(body),
  ...dateFaults((body as { filter?: unknown } | null)?.filter ?? {}).map(found => ({
    ...found,
    path: `filter.${found.path}`,
  })),
];

export const createBulkAction = tenantEndpoint({
  operationId: 'createBulkAct',
  summary: 'Create a bulk action',
  description:
    'Send `ids`, or `filter` with the filters of the list: then the action reaches every verification that passes and was created ' +
    'before this request. It runs in the background, one verification at a time, and each gets its own line in the audit log. ' +
    '`redact` needs the role owner and a recent sign-in.',
  tag: 'Verifications',
  credentials: ['session', 'secret'],
  role: 'member',
  recentFor: [{ member: 'act', is: 'redact', role: LEAST_ROLE.redact }],
  body: BulkActionRequest,
  faults: faultsOf,
  responses: { 202: BulkAction },
  errors: ['not_configured'],
  async handler(call) {
    const { deps, principal, body } = call;
    if (body.send && !deps.mailer) throw notConfigured('To send links by e-mail, set SMTP_URL and MAIL_FROM.');
    return transaction(deps.db, async tx => {
      const { at, ...activity } = activityOf(call);
      const { act, ids = [], filter, send, reason } = body;
      await requireOwn(tx, principal, ids);
      const row = await one<BulkActionRow>(
        tx,
        `insert into bulk_acts (id, tenant_id, modes, act, options, activity, filter, total, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning *`,
        [
          newId('blk', at.getTime()),
          principal.tenantId,
          readableModes(principal),
          act,
          JSON.stringify({ ...(send === undefined ? {} : { send }), ...(reason === undefined ? {} : { reason }) }),
          JSON.stringify(activity),
          filter === undefined ? null : JSON.stringify(filter),
          ids.length,
          at,
        ],
      );
      await tx.query(
        `insert into bulk_act_items (bulk_act_id, number, verification_id)
         select $1, number, id from unnest($2::text[]) with ordinality as given (id, number)`,
        [row!.id, ids],
      );
      await addJob(tx, 'run_bulk_act', { bulk_act_id: row!.id }, { key: `bulk:${row!.id}` });
      await audit(tx, { at, ...activity }, { action: 'bulk_act.started', target: row!.id, detail: { act } });
      const answer = { status: 202, body: presentBulkAction(row!) };
      await call.keepAnswer(tx, answer);
      return answer;
    });
  },
});

/** Throws `invalid_request` for each id that is not a verification of the caller's. */
async function requireOwn(db: Queryable, principal: Principal, ids: readonly string[]): Promise<void> {
  const rows = await many<{ id: string }>(
    db,
    'select id from verifications where id = any($1) and tenant_id = $2 and livemode = any($3)',
    [ids, principal.tenantId, readableModes(principal)],
  );
  const own = new Set(rows.map(({ id }) => id));
  const faults = ids.flatMap((id, index) =>
    own.has(id) ? [] : [unknownReference(`ids.${index}`, 'is not a verification of this account and mode')],
  );
  if (faults.length > 0) throw invalid(faults.slice(0, 100));
}
