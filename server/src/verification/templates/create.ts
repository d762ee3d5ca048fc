import { LinkTemplate, LinkTemplateInput } from '@firsthand/contract/account/management.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { transaction } from '../../platform/db/sql.ts';
import { created, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { createsLive } from '../../platform/http/principal.ts';
import { newId } from '../../platform/lib/ids.ts';
import { maskedFaults } from '../../platform/lib/mask-url.ts';
import { insertVersion, recordFaults, TEMPLATE_RECENT, templateFaults, webhookUrlOf } from './own-template.ts';
import { findTemplate, presentOneTemplate } from './row.ts';

export const createLinkTemplate = tenantEndpoint({
  operationId: 'createLinkTemplate',
  summary: 'Create a link template',
  description:
    'Each person who opens the `url` gets a verification of their own, made from the current version. A template that a ' +
    'secret key creates makes live verifications.',
  tag: 'Link templates',
  credentials: ['session', 'secret'],
  role: 'member',
  recentFor: TEMPLATE_RECENT,
  body: LinkTemplateInput,
  faults: body => [...templateFaults(body), ...maskedFaults('request.webhook_url', webhookUrlOf(body))],
  recordFaults,
  responses: { 201: LinkTemplate },
  async handler(call) {
    const { deps, principal, body } = call;
    const doing = activityOf(call);
    const id = newId('tpl', doing.at.getTime());
    return transaction(deps.db, async tx => {
      await tx.query(
        `insert into link_templates (id, tenant_id, livemode, created_at, updated_at) values ($1, $2, $3, $4, $4)`,
        [id, principal.tenantId, createsLive(principal), doing.at],
      );
      await insertVersion(tx, doing, id, 1, body);
      await audit(tx, doing, {
        action: 'link_template.published',
        target: id,
        detail: { name: body.name, version: 1 },
      });
      const row = await findTemplate(tx, id);
      if (!row) throw new Error('insert returned no row');
      const answer = created(await presentOneTemplate(tx, deps, row));
      await call.keepAnswer(tx, answer);
      return answer;
    });
  },
});
