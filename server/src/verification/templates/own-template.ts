import { returnUrlFaults } from '@firsthand/contract/account/embedding.ts';
import type { LinkTemplateInput } from '@firsthand/contract/account/management.ts';
import type { Fault } from '@firsthand/contract/base/fault.ts';
import { isId } from '@firsthand/contract/base/ids.ts';
import { crossFieldFaults } from '@firsthand/contract/verification/create-verification.ts';
import type { Activity } from '../../identity/audit/audit.ts';
import { allowedOriginsOf } from '../../identity/tenants/brands.ts';
import { exampleFaults, keepExamples } from '../../identity/tenants/example-pictures.ts';
import { attestedFaults } from '../../platform/config/attestation.ts';
import type { Tx } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import type { BodyRule } from '../../platform/http/endpoint.ts';
import type { Principal } from '../../platform/http/principal.ts';
import { findTemplate, type TemplateRow } from './row.ts';

/** Where results and people go, and when results are erased: a changed template decides it for everybody who opens the link. */
export const TEMPLATE_RECENT: readonly BodyRule[] = [
  { member: 'request.webhook_url' },
  { member: 'request.notify_email' },
  { member: 'retention_days' },
  { member: 'return_url' },
];

type Asked = { deps: Deps; principal: Principal; params: Record<string, string> };

/** Returns the caller's template, or undefined. */
export async function ownTemplate({ deps, principal, params }: Asked): Promise<TemplateRow | undefined> {
  if (!isId('tpl', params.id!)) return undefined;
  const row = await findTemplate(deps.db, params.id!);
  return row && row.tenant_id === principal.tenantId && principal.reads.includes(row.livemode) ? row : undefined;
}

/** For an endpoint’s `exists`. */
export const templateExists = async (call: Asked) => (await ownTemplate(call)) !== undefined;

/** Returns the faults of the embedded request, with paths relative to the body. */
export function templateFaults(body: unknown): Fault[] {
  const { request } = (body ?? {}) as { request?: unknown };
  return crossFieldFaults(request).map(fault => ({ ...fault, path: `request.${fault.path}` }));
}

/** `webhook_url` of a body's request; undefined where it has none. */
export const webhookUrlOf = (body: unknown): unknown =>
  (body as { request?: { webhook_url?: unknown } } | null)?.request?.webhook_url;

/** Writes a version, and keeps the example pictures that it names. */
export async function insertVersion(
  tx: Tx,
  { tenantId, at }: Pick<Activity, 'tenantId' | 'at'>,
  id: string,
  version: number,
  body: LinkTemplateInput,
): Promise<void> {
  await tx.query(
    `insert into link_template_versions (template_id, version, name, request, retention_days, return_url, published_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, version, body.name, JSON.stringify(body.request), body.retention_days ?? null, body.return_url ?? null, at],
  );
  await keepExamples(tx, tenantId, body.request.steps, at);
}

/** A `return_url` that belongs to no origin of the account or of the template's brand, and what the service cannot do. */
export async function recordFaults({
  deps,
  principal,
  body,
}: {
  deps: Deps;
  principal: Principal | null;
  body: unknown;
}): Promise<Fault[]> {
  const { return_url, request } = (body ?? {}) as {
    return_url?: unknown;
    request?: { brand_slug?: unknown; depth_policy?: unknown; steps?: unknown };
  };
  const faults = attestedFaults(deps.config, request, 'request.depth_policy');
  if (!principal) return faults;
  faults.push(...(await exampleFaults(deps.db, principal.tenantId, request?.steps, 'request.steps')));
  if (return_url === undefined) return faults;
  const slug = typeof request?.brand_slug === 'string' ? request.brand_slug : null;
  return [...faults, ...returnUrlFaults(return_url, await allowedOriginsOf(deps.db, principal.tenantId, slug))];
}
