import { tenantExists } from '../identity/people/tenant-exists.ts';
import { importCorpus } from '../inspection/analysis/reverse/corpus.ts';
import { checkValue } from './arguments.ts';
import { checkTenant } from './tenant-of.ts';
import { withDeps } from './tenants.ts';

/** `firsthand corpus import FILE|FOLDER [--tenant ID] [--name N]`: prints a JSON report of imported and rejected entries. */
export async function corpusImportCommand(path: string, o: { tenant?: string; name?: string }): Promise<void> {
  checkTenant(o);
  if (o.name !== undefined) checkValue('--name', 'name', o.name);
  await withDeps(async deps => {
    if (o.tenant && !(await tenantExists(deps.db, o.tenant))) throw new Error(`Tenant ${o.tenant} does not exist.`);
    const report = await importCorpus(deps, { path, tenantId: o.tenant ?? null, ...(o.name ? { name: o.name } : {}) });
    console.log(JSON.stringify(report, null, 2));
  });
}
