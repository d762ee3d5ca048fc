import type { Queryable } from '../../src/platform/db/sql.ts';

const OURS = (catalog: string, oid: string) =>
  `not exists (select from pg_depend where classid = '${catalog}'::regclass and objid = ${oid} and deptype = 'e')`;

/** The functions of our schema, without those of extensions. */
export const functionsOf = async (db: Queryable): Promise<{ name: string; trigger: boolean; sql: string }[]> =>
  (
    await db.query<{ name: string; trigger: boolean; sql: string }>(
      `select proname as name, prorettype = 'trigger'::regtype as trigger, pg_get_functiondef(p.oid) as sql
       from pg_proc p where pronamespace = 'public'::regnamespace and ${OURS('pg_proc', 'p.oid')} order by proname`,
    )
  ).rows;

/** Describes everything in our schema. Two databases are alike if and only if their descriptions are. */
export async function describeSchema(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(`
    with relations as (
      select * from pg_class r where relnamespace = 'public'::regnamespace and ${OURS('pg_class', 'r.oid')}
    )
    select format('%s %s %s %s', relkind, relname, relpersistence, array(select unnest(reloptions) order by 1)) as line from relations
    union all
    select format('%s.%s %s %s', relname, row_number() over (partition by attrelid order by attnum), attname,
      concat_ws(' ', format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, attstorage, attcollation::regcollation,
        pg_get_expr(adbin, adrelid)))
    from relations join pg_attribute on attrelid = relations.oid left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relkind = 'r' and attnum > 0 and not attisdropped
    union all
    select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(c.oid))
    from pg_constraint c where connamespace = 'public'::regnamespace and contype <> 'n'
    union all
    select pg_get_indexdef(oid) from relations where relkind = 'i'
    union all
    select pg_get_triggerdef(t.oid) from pg_trigger t join relations on tgrelid = relations.oid where not tgisinternal
    union all
    select format('extension %s', extname) from pg_extension`);
  return [...rows.map(({ line }) => line), ...(await functionsOf(db)).map(({ sql }) => sql)].toSorted();
}
