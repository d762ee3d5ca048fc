import { importCorpus } from '../inspection/analysis/reverse/corpus.ts';
import { checkValue } from './arguments.ts';
import { checkTenant } from './tenant-of.ts';
import { printJson, requireTenant, withDeps } from './tenants.ts';

/** `firsthand corpus import FILE|FOLDER [--tenant ID] [--name N]`: prints a JSON report of imported and rejected entries. */
export async function corpusImportCommand(path: string, o: { tenant?: string; name?: string }): Promise<void> {
  checkTenant(o);
  if (o.name !== undefined) checkValue('--name', 'name', o.name);
  await withDeps(async deps => {
    if (o.tenant) await requireTenant(deps, o.tenant);
    const report = await importCorpus(deps, { path, tenantId: o.tenant ?? null, ...(o.name ? { name: o.name } : {}) });
    printJson(report);
  });
}
