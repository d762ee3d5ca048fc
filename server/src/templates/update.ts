import { LinkTemplate, LinkTemplateInput } from '@firsthand/contract/management.ts';
import { one, transaction } from '../db/sql.ts';
import { ok, tenantEndpoint } from '../http/endpoint.ts';
import { notFound, Problem } from '../http/problem.ts';
import { activityOf, audit } from '../tenants/audit.ts';
import { insertVersion, templateExists, templateFaults } from './own-template.ts';
import { findTemplate, presentTemplate } from './row.ts';

export const updateLinkTemplate = tenantEndpoint({
  operationId: 'updateLinkTemplate',
  summary: 'Publish a new version of a link template',
  description: 'The URL stays the same. Verifications made earlier keep their version.',
  tag: 'Link templates',
  credentials: ['session', 'secret'],
  role: 'member',
  exists: templateExists,
  body: LinkTemplateInput,
  faults: templateFaults,
  errors: ['template_revoked'],
  responses: { 200: LinkTemplate },
  async handler(call) {
    const { deps, body, params } = call;
    const doing = activityOf(call);
    return transaction(deps.db, async tx => {
      const updated = await one<{ version: number }>(
        tx,
        `update link_templates set version = version + 1, updated_at = $2 where id = $1 and status = 'active'
         returning version`,
        [params.id, doing.at],
      );
      if (!updated) throw new Problem('template_revoked', 'The link template was revoked. Create a new one.');
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
