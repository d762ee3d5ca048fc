import type { LinkTemplate, LinkTemplateInput } from '@firsthand/contract/account/management.ts';
import type { CreateVerificationRequest } from '@firsthand/contract/verification/create-verification.ts';
import { one, type Queryable } from '../../platform/db/sql.ts';
import type { Deps, Origins } from '../../platform/deps.ts';
import { withMaskedUrl } from '../../platform/lib/mask-url.ts';
import { warningsOfRequest } from '../verifications/warnings.ts';

/** A link template with its current version. */
export interface TemplateRow {
  id: string;
  tenant_id: string;
  livemode: boolean;
  status: 'active' | 'revoked';
  version: number;
  name: string;
  request: LinkTemplateInput['request'];
  retention_days: number | null;
  return_url: string | null;
  created_at: Date;
  updated_at: Date;
}

/** Selects templates joined with their current version. */
export const SELECT_TEMPLATE = `select t.id, t.tenant_id, t.livemode, t.status, t.version, t.created_at, t.updated_at, v.name, v.request,
    v.retention_days, v.return_url
  from link_templates t join link_template_versions v on v.template_id = t.id and v.version = t.version`;

export const findTemplate = (db: Queryable, id: string): Promise<TemplateRow | undefined> =>
  one<TemplateRow>(db, `${SELECT_TEMPLATE} where t.id = $1`, [id]);

export const presentTemplate = (row: TemplateRow, origins: Origins): LinkTemplate => ({
  id: row.id,
  name: row.name,
  version: row.version,
  status: row.status,
  url: `${origins.capture}/t/${row.id}`,
  request: withMaskedUrl(row.request),
  ...(row.retention_days === null ? {} : { retention_days: row.retention_days }),
  ...(row.return_url === null ? {} : { return_url: row.return_url }),
  livemode: row.livemode,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

/** The template, with what this installation cannot evaluate of the verifications that it makes. */
export const presentOneTemplate = async (
  db: Queryable,
  deps: Pick<Deps, 'config' | 'vision' | 'origins'>,
  row: TemplateRow,
): Promise<LinkTemplate> => ({
  ...presentTemplate(row, deps.origins),
  ...(row.status === 'active' ? await warningsOfRequest(db, deps, row) : {}),
});

/** The request that each opening of the link creates a verification with. */
export const requestOf = (row: TemplateRow): CreateVerificationRequest => row.request;
