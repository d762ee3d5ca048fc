import { conflict, type Fault, fault } from '@firsthand/contract/base/fault.ts';
import { isId } from '@firsthand/contract/base/ids.ts';
import { BATCH_BODY_MAX_BYTES, BATCH_ROWS_MAX } from '@firsthand/contract/base/limits.ts';
import { Batch, BatchCheck, type BatchFault, BatchRequest } from '@firsthand/contract/batches/batches.ts';
import { crossFieldFaults, TemplateRequest } from '@firsthand/contract/verification/create-verification.ts';
import { Type } from 'typebox';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { exampleFaults } from '../../identity/tenants/example-pictures.ts';
import { one, type Tx, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { createsLive, type Principal } from '../../platform/http/principal.ts';
import { invalid, invalidField, notConfigured } from '../../platform/http/problem.ts';
import { compileBody } from '../../platform/http/validate.ts';
import { addJob } from '../../platform/jobs/queue.ts';
import { turn } from '../../platform/lib/event-loop.ts';
import { newId } from '../../platform/lib/ids.ts';
import { maskedFaults, withMaskedUrl } from '../../platform/lib/mask-url.ts';
import { findTemplate } from '../../verification/templates/row.ts';
import { warningsOfRequest } from '../../verification/verifications/warnings.ts';
import { type BatchRow, presentBatch } from './batch.ts';
import { readCsv } from './read-csv.ts';
import { NotBatch, readJson } from './read-json.ts';
import { type BatchBase, checkRow, metadataFault, requestOfRow } from './rows.ts';

/** Faults that a dry run reports at most; a refusal reports the first hundred. */
const MAX_FAULTS = 50_000;
const REFUSAL_FAULTS = 100;
const PREVIEW = 5;
/** Rows that one statement inserts. */
const INSERTED = 500;

const checkRequest = compileBody(TemplateRequest, crossFieldFaults);

export const createBatch = tenantEndpoint({
  operationId: 'createBatch',
  summary: 'Create verifications from a list',
  description:
    'Send `text/csv` with a header, or JSON. CSV is UTF-8 or UTF-16, or what the `charset` of its Content-Type names. Columns: `name`, `email`, `phone_e164`, `external_ref`, `asset_ref`, ' +
    '`expected_location`, `expected_object`, `condition_aspects` (`;` between), `ocr_type`, `metadata.<key>`. Any fault refuses ' +
    'the whole batch; `dry_run` reports every fault with row and column and makes nothing. Each row gets exactly one ' +
    'verification, in the background.',
  tag: 'Batches',
  credentials: ['session', 'secret'],
  role: 'member',
  query: Type.Object(
    {
      dry_run: Type.Boolean({ default: false }),
      send: Type.Boolean({ default: false, description: 'mail each person with an e-mail address their link' }),
      template_id: Type.Optional(Type.String({ maxLength: 40, description: 'for CSV; JSON has its own member' })),
    },
    { additionalProperties: false },
  ),
  body: BatchRequest,
  readsBody: true,
  bodyTypes: ['text/csv'],
  bodyLimitBytes: BATCH_BODY_MAX_BYTES,
  responses: { 200: BatchCheck, 202: Batch },
  errors: ['not_configured'],
  async handler(call) {
    const { deps, principal, query } = call;
    if (query.send && !deps.mailer) throw notConfigured('To send links by e-mail, set SMTP_URL and MAIL_FROM.');
    const [type, charset] = mediaTypeOf(call.request.headers['content-type'] ?? '');
    const raw = call.request.received?.raw ?? Buffer.alloc(0);
    if (raw.length === 0) throw invalidField('body', 'required', 'is required');
    const read = await readBatch(deps, principal, { raw, type, charset, templateId: query.template_id });
    const owned = { tenant_id: principal.tenantId, livemode: createsLive(principal) };
    const warned = await warningsOfRequest(deps.db, deps, { ...owned, request: read.request });
    if (query.dry_run) {
      return ok({
        ...warned,
        total: read.contents.length,
        faults: read.faults,
        preview: read.contents
          .slice(0, PREVIEW)
          .map(({ text }) => withMaskedUrl(requestOfRow(read.request, JSON.parse(text)))),
      });
    }
    if (read.faults.length > 0) throw invalid(read.faults.slice(0, REFUSAL_FAULTS).map(asField));
    return transaction(deps.db, async tx => {
      const at = deps.clock.now();
      const row = await one<BatchRow>(
        tx,
        `insert into batches (id, tenant_id, livemode, request, template, send, total, created_at, actor)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning *`,
        [
          newId('bat', at.getTime()),
          owned.tenant_id,
          owned.livemode,
          JSON.stringify(read.request),
          read.template && JSON.stringify(read.template),
          query.send,
          read.contents.length,
          at,
          JSON.stringify(activityOf(call).actor),
        ],
      );
      await insertRows(tx, row!.id, read.contents);
      await addJob(tx, 'run_batch', { batch_id: row!.id }, { key: `batch:${row!.id}` });
      await audit(tx, activityOf(call), {
        action: 'batch.created',
        target: row!.id,
        detail: { total: row!.total, send: row!.send },
      });
      const answer = { status: 202, body: { ...presentBatch(row!), ...warned } };
      await call.keepAnswer(tx, answer);
      return answer;
    });
  },
});

/** The media type, and the charset beside it. */
function mediaTypeOf(header: string): [type: string, charset: string | undefined] {
  const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(header);
  return [header.split(';')[0]!.trim().toLowerCase(), charset?.[1] ?? charset?.[2]];
}

const asField = ({ row, column, ...rest }: BatchFault): Fault => ({
  path: column === '' ? `rows.${row}` : `rows.${row}.${column}`,
  ...rest,
});

interface ReadBatch {
  request: BatchBase;
  template: BatchRow['template'];
  /** The JSON of each row that has no fault. */
  contents: { row: number; text: string }[];
  faults: BatchFault[];
}

/** Reads and checks a whole body, a slice at a time. Throws `invalid_request` for what concerns no row. */
async function readBatch(
  deps: Pick<Deps, 'db'>,
  principal: Principal,
  o: { raw: Buffer; type: string; charset: string | undefined; templateId: string | undefined },
): Promise<ReadBatch> {
  const faults: BatchFault[] = [];
  const add = (found: BatchFault) => void (faults.length < MAX_FAULTS && faults.push(found));
  const contents: ReadBatch['contents'] = [];
  const checked: { row: number; keys: number }[] = [];
  const rows =
    o.type === 'text/csv' ? readCsv(o.raw, o.charset, add) : o.type === 'application/json' ? readJson(o.raw) : null;
  if (!rows) {
    const accepted = ['text/csv', 'application/json'];
    throw invalidField('body', 'unsupported_type', 'must be sent as text/csv or application/json', { accepted });
  }
  let rest: Record<string, unknown> = {};
  let total = 0;
  try {
    for (;;) {
      const { value, done } = await rows.next();
      if (done) {
        rest = value ?? {};
        break;
      }
      total += 1;
      if (total > BATCH_ROWS_MAX) {
        const max = BATCH_ROWS_MAX;
        throw invalidField('rows', 'too_many', `must have at most ${max} rows`, { max });
      }
      const found = checkRow(value);
      for (const one of found.faults) add(one);
      contents.push({ row: value.row, text: JSON.stringify(found.content) });
      checked.push({ row: value.row, keys: Object.keys(found.content.metadata ?? {}).length });
    }
  } catch (error) {
    if (error instanceof NotBatch) throw invalid([error.fault]);
    throw error;
  } finally {
    await rows.return(undefined as never);
  }
  const { request, template } = await baseOf(deps, principal, rest, o.templateId);
  if (total === 0 && faults.length === 0) {
    throw invalidField('rows', 'too_few', 'must have at least one row', { min: 1 });
  }
  const own = Object.keys(request.metadata ?? {}).length;
  for (const [index, { row, keys }] of checked.entries()) {
    if (index % INSERTED === 0) await turn();
    if (own > 0 && keys > 0) for (const one of metadataFault(request, JSON.parse(contents[index]!.text), row)) add(one);
  }
  return { request, template, contents, faults: faults.toSorted((a, b) => a.row - b.row) };
}

/** The request that rows are laid over: the template's current version, the body's own, or one photo. */
async function baseOf(
  deps: Pick<Deps, 'db'>,
  principal: Principal,
  { template_id, request, rows: _rows, ...unknown }: Record<string, unknown>,
  queried: string | undefined,
): Promise<Pick<ReadBatch, 'request' | 'template'>> {
  const faults: Fault[] = Object.keys(unknown).map(path => fault(path, 'unknown_property', 'is not allowed'));
  const named = template_id ?? queried;
  if (named !== undefined && request !== undefined) {
    faults.push(conflict('template_id', 'cannot be sent together with request', ['request']));
  }
  if (request !== undefined) {
    for (const found of checkRequest.faults(request)) {
      faults.push({ ...found, path: found.path === '' ? 'request' : `request.${found.path}` });
    }
    const { webhook_url, steps } = (request ?? {}) as Partial<BatchBase>;
    faults.push(
      ...maskedFaults('request.webhook_url', webhook_url),
      ...(await exampleFaults(deps.db, principal.tenantId, steps, 'request.steps')),
    );
  }
  if (faults.length > 0) throw invalid(faults);
  if (named === undefined) return { request: (request ?? {}) as BatchBase, template: null };
  const template = typeof named === 'string' && isId('tpl', named) ? await findTemplate(deps.db, named) : undefined;
  if (template?.tenant_id !== principal.tenantId || template.livemode !== createsLive(principal)) {
    throw invalidField('template_id', 'unknown_reference', 'is not a template of this account and mode');
  }
  if (template.status === 'revoked') throw invalidField('template_id', 'revoked', 'is a revoked template');
  return {
    request: template.request,
    template: { id: template.id, version: template.version, retentionDays: template.retention_days },
  };
}

async function insertRows(tx: Tx, batchId: string, contents: ReadBatch['contents']): Promise<void> {
  for (let at = 0; at < contents.length; at += INSERTED) {
    const slice = contents.slice(at, at + INSERTED);
    await tx.query(
      `insert into batch_rows (batch_id, row, content)
       select $1, row, content::jsonb from unnest($2::integer[], $3::text[]) as slice (row, content)`,
      [batchId, slice.map(({ row }) => row), slice.map(({ text }) => text)],
    );
  }
}
