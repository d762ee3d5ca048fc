import { crossFieldFaults } from '@firsthand/contract/create-verification.ts';
import type { Fault } from '@firsthand/contract/errors.ts';
import { isId } from '@firsthand/contract/ids.ts';
import { LinkTemplate, LinkTemplateInput, LinkTemplateWithVersions } from '@firsthand/contract/management.ts';
import { many, one, type Tx, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { decodeCursor, Page, PageQuery, pageOf } from '../http/cursor.ts';
import { created, ok, tenantEndpoint } from '../http/endpoint.ts';
import { createsLive, type Principal, readableModes } from '../http/principal.ts';
import { notFound, Problem } from '../http/problem.ts';
import { newId } from '../lib/ids.ts';
import { audit, doingOf } from '../tenants/audit.ts';
import { findTemplate, presentTemplate, SELECT_TEMPLATE, type TemplateRow } from './row.ts';

type Asked = { deps: Deps; principal: Principal; params: Record<string, string> };

/** The caller's template, or undefined. */
async function ownTemplate({ deps, principal, params }: Asked): Promise<TemplateRow | undefined> {
  if (!isId('tpl', params.id!)) return undefined;
  const row = await findTemplate(deps.db, params.id!);
  return row && row.tenant_id === principal.tenantId && principal.reads.includes(row.livemode) ? row : undefined;
}

const exists = async (call: Asked) => (await ownTemplate(call)) !== undefined;

/** The faults of the request inside, where it stands. */
function templateFaults(body: unknown): Fault[] {
  const { request } = (body ?? {}) as { request?: unknown };
  return crossFieldFaults(request).map(fault => ({ ...fault, path: `request.${fault.path}` }));
}

const insertVersion = (tx: Tx, id: string, version: number, body: LinkTemplateInput, at: Date) =>
  tx.query(
    `insert into link_template_versions (template_id, version, name, request, published_at) values ($1, $2, $3, $4, $5)`,
    [id, version, body.name, JSON.stringify(body.request), at],
  );

export const createLinkTemplate = tenantEndpoint({
  method: 'POST',
  path: '/v1/link-templates',
  summary: 'Publish a link template',
  description:
    'Whoever opens its `url` is given a verification of their own, issued from the current version. A secret key ' +
    'publishes live ones.',
  tag: 'Link templates',
  credentials: ['session', 'secret'],
  role: 'member',
  body: LinkTemplateInput,
  faults: templateFaults,
  responses: { 201: LinkTemplate },
  async handler(call) {
    const { deps, principal, body } = call;
    const doing = doingOf(call);
    const id = newId('tpl', doing.at.getTime());
    return transaction(deps.db, async tx => {
      await tx.query(
        `insert into link_templates (id, tenant_id, livemode, created_at, updated_at) values ($1, $2, $3, $4, $4)`,
        [id, principal.tenantId, createsLive(principal), doing.at],
      );
      await insertVersion(tx, id, 1, body, doing.at);
      await audit(tx, doing, {
        action: 'link_template.published',
        target: id,
        detail: { name: body.name, version: 1 },
      });
      const row = await findTemplate(tx, id);
      if (!row) throw new Error('insert returned no row');
      const answer = created(presentTemplate(row, deps.origins));
      await call.keepAnswer(tx, answer);
      return answer;
    });
  },
});

export const updateLinkTemplate = tenantEndpoint({
  method: 'PUT',
  path: '/v1/link-templates/:id',
  summary: 'Publish the next version of a link template',
  description: 'The address stays. Verifications that were issued keep the version that they were issued from.',
  tag: 'Link templates',
  credentials: ['session', 'secret'],
  role: 'member',
  exists,
  body: LinkTemplateInput,
  faults: templateFaults,
  errors: ['template_revoked'],
  responses: { 200: LinkTemplate },
  async handler(call) {
    const { deps, body, params } = call;
    const doing = doingOf(call);
    return transaction(deps.db, async tx => {
      const updated = await one<{ version: number }>(
        tx,
        `update link_templates set version = version + 1, updated_at = $2 where id = $1 and status = 'active'
         returning version`,
        [params.id, doing.at],
      );
      if (!updated) throw new Problem('template_revoked', 'The link template was revoked; publish a new one.');
      await insertVersion(tx, params.id!, updated.version, body, doing.at);
      await audit(tx, doing, {
        action: 'link_template.updated',
        target: params.id!,
        detail: { name: body.name, version: updated.version },
      });
      const row = await findTemplate(tx, params.id!);
      if (!row) throw notFound();
      return ok(presentTemplate(row, deps.origins));
    });
  },
});

export const revokeLinkTemplate = tenantEndpoint({
  method: 'POST',
  path: '/v1/link-templates/:id/revoke',
  summary: 'Revoke a link template',
  description:
    'Its address issues nothing from then on and says so kindly. Verifications that were issued go on. Revoking again ' +
    'changes nothing.',
  tag: 'Link templates',
  credentials: ['session', 'secret'],
  role: 'member',
  exists,
  responses: { 200: LinkTemplate },
  async handler(call) {
    const { deps, params } = call;
    const doing = doingOf(call);
    return transaction(deps.db, async tx => {
      const { rowCount } = await tx.query(
        `update link_templates set status = 'revoked', updated_at = $2 where id = $1 and status = 'active'`,
        [params.id, doing.at],
      );
      if (rowCount === 1) await audit(tx, doing, { action: 'link_template.revoked', target: params.id! });
      const row = await findTemplate(tx, params.id!);
      if (!row) throw notFound();
      const answer = ok(presentTemplate(row, deps.origins));
      await call.keepAnswer(tx, answer);
      return answer;
    });
  },
});

export const getLinkTemplate = tenantEndpoint({
  method: 'GET',
  path: '/v1/link-templates/:id',
  summary: 'Read a link template with all its versions',
  tag: 'Link templates',
  credentials: ['session', 'secret'],
  exists,
  responses: { 200: LinkTemplateWithVersions },
  async handler(call) {
    const row = await ownTemplate(call);
    if (!row) throw notFound();
    const versions = await many<{ version: number; name: string; request: TemplateRow['request']; published_at: Date }>(
      call.deps.db,
      `select version, name, request, published_at from link_template_versions
       where template_id = $1 and version <= $2 order by version desc`,
      [row.id, row.version],
    );
    return ok({
      ...presentTemplate(row, call.deps.origins),
      versions: versions.map(version => ({ ...version, published_at: version.published_at.toISOString() })),
    });
  },
});

export const listLinkTemplates = tenantEndpoint({
  method: 'GET',
  path: '/v1/link-templates',
  summary: 'List link templates, newest first',
  tag: 'Link templates',
  credentials: ['session', 'secret'],
  query: PageQuery,
  responses: { 200: Page(LinkTemplate) },
  async handler({ deps, principal, query }) {
    const after = query.cursor === undefined ? null : decodeCursor(query.cursor, id => isId('tpl', id));
    const rows = await many<TemplateRow>(
      deps.db,
      `${SELECT_TEMPLATE} where t.tenant_id = $1 and t.livemode = any($2) and ($3::text is null or t.id < $3)
       order by t.id desc limit $4`,
      [principal.tenantId, readableModes(principal), after, query.limit + 1],
    );
    return ok(
      pageOf(
        rows,
        query.limit,
        row => row.id,
        row => presentTemplate(row, deps.origins),
      ),
    );
  },
});
