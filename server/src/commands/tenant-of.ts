import { one } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { tenantExists } from '../tenants/exists.ts';
import { checkId } from './arguments.ts';

/** Returns the named account, or the first one. */
export async function tenantOf(deps: Deps, named: string | undefined): Promise<string> {
  if (named !== undefined) {
    checkId('--tenant', 'tnt', named);
    if (!(await tenantExists(deps.db, named))) throw new Error(`There is no tenant ${named}.`);
    return named;
  }
  const first = await one<{ id: string }>(deps.db, 'select id from tenants where not is_trial order by id limit 1');
  if (!first) throw new Error('There is no tenant yet: start the service once.');
  return first.id;
}
