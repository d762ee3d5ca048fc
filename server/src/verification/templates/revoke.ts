import { LinkTemplate } from '@firsthand/contract/account/management.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { transaction } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { templateExists } from './own-template.ts';
import { findTemplate, presentTemplate } from './row.ts';

export const revokeLinkTemplate = tenantEndpoint({
  operationId: 'revokeLinkTemplate',
  summary: 'Revoke a link template',
  description:
    'The URL makes no more verifications and shows a page that says so. Verifications made earlier continue. Revoking ' +
    'again changes nothing.',
  tag: 'Link templates',
  credentials: ['session', 'secret'],
  role: 'member',
  exists: templateExists,
  responses: { 200: LinkTemplate },
  async handler(call) {
    const { deps, params } = call;
    const doing = activityOf(call);
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
