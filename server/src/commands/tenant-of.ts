import { tenantExists } from '../identity/people/tenant-exists.ts';
import { many } from '../platform/db/sql.ts';
import type { Deps } from '../platform/deps.ts';
import { checkId } from './arguments.ts';

/** Checks the option before a database is opened for the command. */
export const checkTenant = ({ tenant }: { tenant?: string | undefined }): void => {
  if (tenant !== undefined) checkId('--tenant', 'tnt', tenant);
};

/** Returns the named account, or the only one. Among several it asks instead of guessing. */
export async function tenantOf(deps: Pick<Deps, 'db'>, named: string | undefined): Promise<string> {
  if (named !== undefined) {
    checkId('--tenant', 'tnt', named);
    if (!(await tenantExists(deps.db, named))) throw new Error(`There is no tenant ${named}.`);
    return named;
  }
  const tenants = await many<{ id: string; name: string }>(
    deps.db,
    'select id, name from tenants where not is_trial order by id limit 21',
  );
  const [first, second] = tenants;
  if (!first) throw new Error('There is no tenant yet: start the service once.');
  if (second) {
    const list = tenants.slice(0, 20).map(({ id, name }) => `  ${id}  ${name}`);
    throw new Error(`There are several accounts. Name one with --tenant:\n${list.join('\n')}`);
  }
  return first.id;
}
