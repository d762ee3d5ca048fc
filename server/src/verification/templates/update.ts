import { LinkTemplate, LinkTemplateInput } from '@firsthand/contract/account/management.ts';
import { activityOf, audit } from '../../identity/audit/audit.ts';
import { one, transaction } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound, Problem } from '../../platform/http/problem.ts';
import { maskedFaults, maskUrl } from '../../platform/lib/mask-url.ts';
import {
  insertVersion,
  recordFaults,
  TEMPLATE_RECENT,
  templateExists,
  templateFaults,
  webhookUrlOf,
} from './own-template.ts';
import { findTemplate, presentOneTemplate, type TemplateRow } from './row.ts';

export const updateLinkTemplate = tenantEndpoint({
  operationId: 'updateLinkTemplate',
  summary: 'Publish a new version of a link template',
  description:
    'The URL stays the same. Verifications made earlier keep their version. A `webhook_url` that you send as it was shown, with ' +
    '`***` for its secret, keeps the secret of the version before.',
  tag: 'Link templates',
  credentials: ['session', 'secret'],
  role: 'member',
  recentFor: TEMPLATE_RECENT,
  exists: templateExists,
  body: LinkTemplateInput,
  faults: templateFaults,
  async recordFaults(asked) {
    const { deps, params, body } = asked;
    const url = webhookUrlOf(body);
    const kept = url === shownUrlOf(await findTemplate(deps.db, params.id!));
    return [...(kept ? [] : maskedFaults('request.webhook_url', url)), ...(await recordFaults(asked))];
  },
  errors: ['template_revoked'],
  responses: { 200: LinkTemplate },
  async handler(call) {
    const { deps, body, params } = call;
    const doing = activityOf(call);
    return transaction(deps.db, async tx => {
      const before = await findTemplate(tx, params.id!);
      const updated = await one<{ version: number }>(
        tx,
        `update link_templates set version = version + 1, updated_at = $2 where id = $1 and status = 'active'
         returning version`,
        [params.id, doing.at],
      );
      if (!updated) throw new Problem('template_revoked', 'The link template was revoked. Create a new one.');
      await insertVersion(tx, doing, params.id!, updated.version, withSecretOf(before, body));
      await audit(tx, doing, {
        action: 'link_template.updated',
        target: params.id!,
        detail: { name: body.name, version: updated.version },
      });
      const row = await findTemplate(tx, params.id!);
      if (!row) throw notFound();
      return ok(await presentOneTemplate(tx, deps, row));
    });
  },
});

const shownUrlOf = (row: TemplateRow | undefined): string | undefined =>
  row?.request.webhook_url && maskUrl(row.request.webhook_url);

/** Puts the secret back into an address that comes back as it was shown. */
const withSecretOf = (before: TemplateRow | undefined, body: LinkTemplateInput): LinkTemplateInput =>
  before && body.request.webhook_url !== undefined && body.request.webhook_url === shownUrlOf(before)
    ? { ...body, request: { ...body.request, webhook_url: before.request.webhook_url! } }
    : body;
