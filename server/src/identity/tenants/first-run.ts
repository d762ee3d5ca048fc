import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { one, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';
import { createTenant, type NewTenant, ownerLink } from './create.ts';

/** `dashboard_url` signs the owner in once and expires after 24 hours. */
export type FirstRun = NewTenant & { dashboard_url: string };

/** An arbitrary advisory-lock number. It serialises nodes that start together on an empty database. */
const LOCK = 7_413_001;

/**
 * On an empty database, creates a tenant and writes its credentials to `first-run.json` (mode 0600). Writes the file before it commits the
 * tenant: a crash in between leaves useless keys, never a tenant without keys. Null when a tenant exists.
 */
export async function firstRun(
  deps: Pick<Deps, 'config' | 'db' | 'keyring' | 'origins' | 'clock'>,
): Promise<FirstRun | null> {
  return transaction(deps.db, async tx => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
    if (await one(tx, 'select 1 from tenants where not is_trial limit 1')) return null;
    const { owner_id: ownerId, ...tenant } = await createTenant(tx, deps, 'First tenant');
    const run = { ...tenant, dashboard_url: await ownerLink(tx, deps, ownerId) };
    const file = join(deps.config.dataDir, 'first-run.json');
    await writeFile(`${file}.new`, `${JSON.stringify(run, null, 2)}\n`, { mode: 0o600, flush: true });
    await rename(`${file}.new`, file);
    return run;
  });
}
