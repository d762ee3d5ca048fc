import { caseName } from '@firsthand/contract/verification/name.ts';
import type { Config } from '@firsthand/contract/verification/verification.ts';
import { many, type Queryable } from '../../platform/db/sql.ts';
import { maskUrl } from '../../platform/lib/mask-url.ts';

interface Found {
  id: string;
  name: string | null;
  config: Config | null;
  url: string | null;
}

/** The names that changed objects of an account have today, by id. What was erased or has no name is left out. */
export async function targetNames(
  db: Queryable,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await many<Found>(
    db,
    `select id, null as name, config, null as url from verifications where tenant_id = $1 and id = any($2)
     union all select p.id, coalesce(m.name, p.name, p.email), null, null
       from persons p join memberships m on m.person_id = p.id where m.tenant_id = $1 and p.id = any($2)
     union all select id, name, null, null from api_keys where tenant_id = $1 and id = any($2)
     union all select id, null, null, url from webhook_endpoints where tenant_id = $1 and id = any($2)
     union all select t.id, v.name, null, null
       from link_templates t join link_template_versions v on v.template_id = t.id and v.version = t.version
       where t.tenant_id = $1 and t.id = any($2)`,
    [tenantId, ids],
  );
  return new Map(
    found.flatMap(({ id, name, config, url }) => {
      const shown = name ?? (config ? caseName(config) : url && maskUrl(url));
      return shown ? [[id, shown] as const] : [];
    }),
  );
}
