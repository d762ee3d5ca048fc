import { LinkTemplateWithVersions } from '@firsthand/contract/account/management.ts';
import { many } from '../../platform/db/sql.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { notFound } from '../../platform/http/problem.ts';
import { withMaskedUrl } from '../../platform/lib/mask-url.ts';
import { ownTemplate, templateExists } from './own-template.ts';
import { presentOneTemplate, type TemplateRow } from './row.ts';

export const getLinkTemplate = tenantEndpoint({
  operationId: 'getLinkTemplate',
  summary: 'Get a link template with all its versions',
  tag: 'Link templates',
  credentials: ['session', 'secret'],
  exists: templateExists,
  responses: { 200: LinkTemplateWithVersions },
  async handler(call) {
    const row = await ownTemplate(call);
    if (!row) throw notFound();
    const versions = await many<{
      version: number;
      name: string;
      request: TemplateRow['request'];
      retention_days: number | null;
      return_url: string | null;
      published_at: Date;
    }>(
      call.deps.db,
      `select version, name, request, retention_days, return_url, published_at from link_template_versions
       where template_id = $1 and version <= $2 order by version desc`,
      [row.id, row.version],
    );
    return ok({
      ...(await presentOneTemplate(call.deps.db, call.deps, row)),
      versions: versions.map(({ retention_days, return_url, request, ...version }) => ({
        ...version,
        request: withMaskedUrl(request),
        ...(retention_days === null ? {} : { retention_days }),
        ...(return_url === null ? {} : { return_url }),
        published_at: version.published_at.toISOString(),
      })),
    });
  },
});
