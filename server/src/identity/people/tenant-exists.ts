import { many, one, type Queryable } from '../../platform/db/sql.ts';

export const tenantExists = async (db: Queryable, tenantId: string): Promise<boolean> =>
  (await one(db, 'select 1 from tenants where id = $1', [tenantId])) !== undefined;

/** The only account of the deployment; null if there are several or none. The account of the trials does not count. */
export async function onlyTenant(db: Queryable): Promise<string | null> {
  const [first, second] = await many<{ id: string }>(
    db,
    'select id from tenants where not is_trial order by id limit 2',
  );
  return first && !second ? first.id : null;
}
