import { one, transaction } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { newId } from '../lib/ids.ts';

const find = async (deps: Pick<Deps, 'db'>) =>
  (await one<{ id: string }>(deps.db, 'select id from tenants where is_trial'))?.id;

/** The tenant that trials belong to; made when the first one comes. It has no keys: nobody signs in to it. */
export async function trialTenant(deps: Pick<Deps, 'db' | 'clock'>): Promise<string> {
  const known = await find(deps);
  if (known) return known;
  const now = deps.clock.now();
  await transaction(deps.db, tx =>
    tx.query(
      `insert into tenants (id, name, is_trial, created_at) values ($1, 'Trials', true, $2)
       on conflict (is_trial) where is_trial do nothing`,
      [newId('tnt', now.getTime()), now],
    ),
  );
  const made = await find(deps);
  if (!made) throw new Error('the trial tenant could not be made');
  return made;
}
