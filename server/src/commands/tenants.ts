import { loadEnvironment, readConfig } from '../config.ts';
import { migrate } from '../db/migrate.ts';
import { transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { createLog } from '../lib/log.ts';
import { openDeps } from '../open.ts';
import { createTenant, tenantExists } from '../tenants/create.ts';
import { mintKey } from '../tenants/keys.ts';

/** Opens the service's dependencies beside a running service, or alone, for one piece of work. */
export async function withDeps<T>(work: (deps: Deps) => Promise<T>): Promise<T> {
  const opened = await openDeps(readConfig(loadEnvironment()), createLog('warn'), { database: 'join' });
  try {
    await migrate(opened.deps.db, opened.deps.log);
    return await work(opened.deps);
  } finally {
    await opened.close();
  }
}

/** `firsthand create-tenant NAME`: prints the same JSON as first-run.json. */
export const createTenantCommand = (name: string): Promise<void> =>
  withDeps(async deps => {
    const tenant = await transaction(deps.db, tx => createTenant(tx, deps, name));
    console.log(JSON.stringify({ ...tenant, dashboard_url: `${deps.origins.public}/dashboard` }, null, 2));
  });

/** `firsthand mint-key --tenant ID --mode live|test [--name N]`: prints the key once. */
export const mintKeyCommand = (o: { tenant: string; mode: 'live' | 'test' | 'secret'; name: string }): Promise<void> =>
  withDeps(async deps => {
    if (!(await tenantExists(deps.db, o.tenant))) throw new Error(`There is no tenant ${o.tenant}.`);
    const key = await mintKey(deps.db, o.tenant, o.name, o.mode, deps.clock.now());
    const member = o.mode === 'secret' ? 'rk_secret' : `pk_${o.mode}`;
    console.log(JSON.stringify({ tenant_id: o.tenant, id: key.id, [member]: key.plaintext }, null, 2));
  });

export const migrateCommand = (): Promise<void> => withDeps(async () => console.log('The database is up to date.'));
