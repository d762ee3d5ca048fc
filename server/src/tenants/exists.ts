import { one, type Queryable } from '../db/sql.ts';

export const tenantExists = async (db: Queryable, tenantId: string): Promise<boolean> =>
  (await one(db, 'select 1 from tenants where id = $1', [tenantId])) !== undefined;
