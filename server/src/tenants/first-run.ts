import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { one, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { createTenant, type NewTenant, ownerLink } from './create.ts';

/** `dashboard_url` signs the owner in once, within 24 hours. */
export type FirstRun = NewTenant & { dashboard_url: string };

/** Any number: the turn of the nodes that start together on one empty database. */
const LOCK = 7_413_001;

/**
 * On an empty database: makes a tenant and writes `first-run.json` (mode 0600), from which scripts start. The file is
 * on disk before the tenant is committed: a crash in between leaves keys that open nothing, never a tenant without keys.
 * Null when there is a tenant already.
 */
export async function firstRun(deps: Deps): Promise<FirstRun | null> {
  return transaction(deps.db, async tx => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
    if (await one(tx, 'select 1 from tenants where not is_trial limit 1')) return null;
    const { owner_id: ownerId, ...tenant } = await createTenant(tx, deps, 'First tenant');
    const run = { ...tenant, dashboard_url: await ownerLink(tx, deps, { tenantId: tenant.tenant_id, ownerId }) };
    const file = join(deps.config.dataDir, 'first-run.json');
    await writeFile(`${file}.new`, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600, flush: true });
    await rename(`${file}.new`, file);
    return run;
  });
}
