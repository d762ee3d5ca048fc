import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/platform/db/migrate.ts';
import { createPool } from '../../src/platform/db/pool.ts';
import type { Pool } from '../../src/platform/db/sql.ts';
import { LAST_BEFORE_BASELINE, OlderDatabase } from '../../src/platform/db/takeover.ts';
import { emptyDatabase, freshDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/harness.ts';
import { describeSchema } from '../support/schema.ts';

const log = pino({ level: 'silent' });
const ROOT = join(import.meta.dirname, '..', '..', '..');
const git = (...of: string[]) => spawnSync('git', of, { cwd: ROOT });
const hasHistory = git('cat-file', '-e', LAST_BEFORE_BASELINE).status === 0;
if (!hasHistory) console.log(`The takeover is not tested: this clone lacks commit ${LAST_BEFORE_BASELINE}.`);

/** What an installation has before the takeover. The first verification is noted where old nodes read it. */
const ROWS = `
  update statistics_position set merged_from = 'infinity';
  insert into tenants (id, name) values ('tnt_a', 'A');
  insert into verifications (id, tenant_id, livemode, created_at, expires_at, config, private, external_ref)
    values ('vfy_a', 'tnt_a', true, now(), now(), '{"metadata": {"claim": "7"}}', '{}', 'Grüße');
  insert into captures (id, verification_id, tenant_id, step_key, source, content_type, size_bytes, width, height, sha256, image_blob, created_at)
    values ('cap_a', 'vfy_a', 'tnt_a', 'capture_1', 'live', 'image/jpeg', 1, 1, 1, '', '', now());
  insert into reverse_scopes (tenant_id, livemode, files_later_from) values ('tnt_a', true, now() + interval '1 day');
  insert into settings (name, sealed) values ('dead', '');
  select graphile_worker.add_job('read_text', '{"capture_id": "cap_a"}');
  select graphile_worker.add_job('check_subject', '{"verification_id": "vfy_a"}');
  select graphile_worker.add_job('mail_capture_link', '{"verification_id": "vfy_a"}', 'links:tnt_a', '2100-01-01Z', 10, 'link:vfy_a');
  select graphile_worker.add_job('settle', '{"verification_id": "vfy_a"}', job_key => 'held');
  update graphile_worker._private_jobs set locked_by = 'dead', locked_at = now() where key = 'held';
  select graphile_worker.permanently_fail_jobs(array[(graphile_worker.add_job('settle', '{"verification_id": "vfy_a"}')).id]);`;

describe.skipIf(!hasHistory)('a database from before the baseline', () => {
  let folder: string;
  let database: TestDatabase;
  let db: Pool;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-before-'));
    const { stdout } = git('archive', LAST_BEFORE_BASELINE, 'server/migrations');
    expect(spawnSync('tar', ['-x', '-C', folder], { input: stdout }).status).toBe(0);
    database = await emptyDatabase();
    db = createPool(database.url, 3, () => {});
    await migrate(db, log, join(folder, 'server', 'migrations'));
    await db.query(ROWS);
  });
  afterAll(async () => {
    await db?.end();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const rowsOf = async (sql: string) => (await db.query(sql)).rows;
  const migrations = () => rowsOf('select version, name, hash from migrations order by version');

  /** Every row of the tables that both have, without the columns that only old versions used. */
  async function contents(): Promise<Record<string, unknown>> {
    const kept =
      (await rowsOf(`select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname not in ('migrations', 'verification_changes', 'slow_jobs', 'settings', 'statistics_changes') and relname !~ '^analysis_'
      order by 1`)) as { name: string }[];
    const tables: Record<string, unknown> = {};
    for (const { name } of kept) {
      tables[name] = await rowsOf(
        `select to_jsonb(t) - '{merged_from,files_later_from}'::text[] as row from ${name} t`,
      );
    }
    return tables;
  }

  it.each([
    ['that lacks the newest migration', 'delete from migrations where version = 330'],
    ['with an edited migration', "update migrations set hash = 'edited' where version = 3"],
    ['with a migration of a branch', "insert into migrations (version, name, hash) values (331, '0331_branch', '')"],
  ])('%s is refused with the commit to start first, and stays as it is', async (_what, change) => {
    const before = [await describeSchema(db), await contents(), await migrations()];
    await db.query('create table saved as select * from migrations');
    await db.query(change);
    const changed = await migrations();
    const refusal = await migrate(db, log).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(OlderDatabase);
    expect(String(refusal)).toContain(LAST_BEFORE_BASELINE);
    expect(await migrations()).toEqual(changed);
    await db.query('delete from migrations; insert into migrations select * from saved; drop table saved');
    expect([await describeSchema(db), await contents(), await migrations()]).toEqual(before);
  });

  it('is as before when the node that takes it over is killed, and equals a new one with all rows once nodes start again', async () => {
    const before = [await describeSchema(db), await contents(), await migrations()];
    const blocker = new pg.Client({ connectionString: database.url });
    await blocker.connect();
    await blocker.query('begin; lock table analysis_clock in access share mode');
    const killed = expect(migrate(db, log)).rejects.toThrow();
    await until(async () => {
      const { rowCount } = await blocker.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'relation'`,
      );
      return rowCount === 1;
    }, 'the takeover to begin');
    await killed;
    await blocker.end();
    expect([await describeSchema(db), await contents(), await migrations()]).toEqual(before);

    const nodes = Array.from({ length: 4 }, () => createPool(database.url, 3, () => {}));
    await Promise.all(nodes.map(node => migrate(node, log)));
    for (const node of nodes) await node.end();

    const fresh = await freshDatabase();
    const freshDb = createPool(fresh.url, 1, () => {});
    expect(await describeSchema(db)).toEqual(await describeSchema(freshDb));
    expect(await migrations()).toEqual((await freshDb.query('select version, name, hash from migrations')).rows);
    await freshDb.end();
    await fresh.drop();
    // Tables and columns that later migrations added are no part of what it had.
    expect(await contents()).toMatchObject(before[1]!);

    await db.query(`insert into verifications (id, tenant_id, livemode, created_at, expires_at, config)
      values ('vfy_b', 'tnt_a', true, now(), now(), '{}')`);
    const counted = `select scope, (d ->> 'sign')::int as sign, d -> 'measures' as measures
      from verification_changes, jsonb_array_elements(counted) d`;
    const created = { scope: 'tnt_a:live', sign: 1, measures: ['created'] };
    expect(await rowsOf(counted)).toEqual([created, created]);
    expect(await rowsOf('select task, subject_id, tenant_id, livemode from slow_jobs order by id')).toEqual([
      { task: 'read_text', subject_id: 'cap_a', tenant_id: 'tnt_a', livemode: true },
      { task: 'check_subject', subject_id: 'vfy_a', tenant_id: 'tnt_a', livemode: true },
    ]);
    expect(
      await rowsOf(`select task_identifier, queue_name, key, max_attempts, run_at > now() as later, flags, locked_by
        from graphile_worker.jobs order by id`),
    ).toEqual([
      {
        ...{ task_identifier: 'mail_capture_link', queue_name: 'links:tnt_a', key: 'link:vfy_a', max_attempts: 10 },
        ...{ later: true, flags: { vfy_a: true }, locked_by: null },
      },
      {
        ...{ task_identifier: 'settle', queue_name: null, key: 'held', max_attempts: 25 },
        ...{ later: false, flags: { vfy_a: true }, locked_by: null },
      },
    ]);
  });
});
