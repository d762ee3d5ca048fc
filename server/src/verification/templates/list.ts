import { LinkTemplate } from '@firsthand/contract/account/management.ts';
import { isId } from '@firsthand/contract/base/ids.ts';
import { many } from '../../platform/db/sql.ts';
import { decodeCursor, Page, PageQuery, pageOf } from '../../platform/http/cursor.ts';
import { ok, tenantEndpoint } from '../../platform/http/endpoint.ts';
import { readableModes } from '../../platform/http/principal.ts';
import { presentTemplate, SELECT_TEMPLATE, type TemplateRow } from './row.ts';

export const listLinkTemplates = tenantEndpoint({
  operationId: 'listLinkTemplates',
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
