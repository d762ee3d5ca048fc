import { isAllowedReturn } from '@firsthand/contract/account/embedding.ts';
import { one, type Queryable } from '../platform/db/sql.ts';

/** Who may frame the capture page of one verification, and where its last screen leads. */
export interface Embedding {
  origins: readonly string[];
  returnUrl?: string;
}

/**
 * Who may frame a verification's capture page, and where its last screen leads. `asked` is the address that the link itself names; then comes
 * the link template's, then the brand's. An address outside the allowed origins is left out, so a link leads nobody astray.
 */
export async function embeddingOf(db: Queryable, id: string, asked?: string): Promise<Embedding> {
  const row = await one<{ origins: string[]; template_url: string | null; brand_url: string | null }>(
    db,
    `select t.allowed_origins || coalesce(b.allowed_origins, '{}') as origins, l.return_url as template_url,
       b.return_url as brand_url
     from verifications v
     join tenants t on t.id = v.tenant_id
     left join brands b on b.tenant_id = v.tenant_id and b.slug = v.private->>'brand_slug'
     left join link_template_versions l on l.template_id = v.private->'template'->>'id'
       and l.version = (v.private->'template'->>'version')::integer
     where v.id = $1`,
    [id],
  );
  if (!row) return { origins: [] };
  const origins = [...new Set(row.origins)];
  const returnUrl = [asked, row.template_url, row.brand_url].find(
    url => typeof url === 'string' && isAllowedReturn(url, origins),
  );
  return { origins, ...(returnUrl ? { returnUrl: new URL(returnUrl).href } : {}) };
}
