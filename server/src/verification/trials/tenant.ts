import { insertTrialTenant } from '../../identity/tenants/create.ts';
import { one, transaction } from '../../platform/db/sql.ts';
import type { Deps } from '../../platform/deps.ts';

const find = async (deps: Pick<Deps, 'db'>) =>
  (await one<{ id: string }>(deps.db, 'select id from tenants where is_trial'))?.id;

/** Returns the tenant that owns all trials, and creates it on first use. It has no keys and no people. */
export async function trialTenant(deps: Pick<Deps, 'db' | 'clock'>): Promise<string> {
  const known = await find(deps);
  if (known) return known;
  await transaction(deps.db, tx => insertTrialTenant(tx, deps.clock.now()));
  const made = await find(deps);
  if (!made) throw new Error('the trial tenant could not be made');
  return made;
}
