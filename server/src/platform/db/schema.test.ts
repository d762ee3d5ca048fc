import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { describeSchema } from './schema.ts';

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await emptyDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

test('schema description changes with every kind of schema change, and with nothing else', async () => {
  const changes = [
    `create type mood as enum ('calm', 'cross')`,
    'create table people (id bigint generated always as identity primary key, name text not null)',
    'alter table people add column mood mood',
    `alter table people alter column mood set default 'calm'`,
    'alter table people alter column mood set not null',
    'alter table people add column born date',
    'alter table people alter column born type timestamptz',
    'alter table people add constraint named check (length(name) > 0)',
    'alter table people add constraint one_name unique (name)',
    'create table pets (id text collate "C" primary key, owner bigint references people)',
    'alter table pets drop constraint pets_owner_fkey, add constraint pets_owner_fkey foreign key (owner) references people on delete cascade',
    'create index pets_by_owner on pets (owner, id desc) where owner is not null',
    'alter table people add column loud text generated always as (upper(name)) stored',
    'create view grown as select * from people where born < now()',
    'create sequence tickets',
    `create function stamp() returns trigger language plpgsql as 'begin new.born = now(); return new; end'`,
    'create trigger stamped before update on people for each row execute function stamp()',
    'drop index pets_by_owner',
    'alter table pets set (fillfactor = 70)',
    'alter table pets alter column id set storage external',
  ];
  const seen = [await describeSchema(client)];
  for (const change of changes) {
    await client.query(change);
    const now = await describeSchema(client);
    expect(seen, change).not.toContain(now);
    seen.push(now);
  }
  await client.query(`insert into people (name) values ('Ada'); analyze; select nextval('tickets')`);
  expect(await describeSchema(client)).toBe(seen.at(-1));
  expect(seen.at(-1)).toContain(
    [
      'create table pets (',
      '  id text collate "C" not null,',
      '  owner bigint,',
      '  constraint pets_pkey PRIMARY KEY (id),',
      '  constraint pets_owner_fkey FOREIGN KEY (owner) REFERENCES people(id) ON DELETE CASCADE',
      ') with (fillfactor = 70);',
      'alter table pets alter column id set storage external;',
    ].join('\n'),
  );
});
