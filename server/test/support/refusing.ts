import type { TestService } from './harness.ts';

/** Does something while the database refuses every insert into a table. */
export async function refusingInserts<T>(
  { deps: { db } }: TestService,
  table: string,
  work: () => Promise<T>,
): Promise<T> {
  await db.query(`create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'`);
  await db.query(`create trigger refuse before insert on ${table} for each row execute function refuse()`);
  return work().finally(() => db.query('drop function refuse cascade'));
}
