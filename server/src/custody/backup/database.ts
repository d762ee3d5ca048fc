import { join } from 'node:path';
import pg from 'pg';
import { many, one } from '../../platform/db/sql.ts';
import { type BackupFile, copyFile, copyTree, writeNew } from './copy.ts';

/** Files that PostgreSQL creates at its start (PostgreSQL documentation, "Making a Base Backup Using the Low Level API"). */
const NOT_COPIED =
  /^(postmaster\.(pid|opts)|backup_label.*|tablespace_map.*|pg_wal\/.*|(pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/.*)$|(^|\/)(pgsql_tmp[^/]*|pg_internal\.init[^/]*)$/;
const SEGMENT = /^[0-9A-F]{24}$/;

/**
 * Copies the folder of a running PostgreSQL with PostgreSQL's own low-level API: started on the copy, the server repeats the
 * write-ahead log up to the end of the backup. The connection must last all the while; its replication slot, which keeps the
 * log's segments, ends with it.
 */
export async function* copyDatabase(url: string, folder: string, to: string): AsyncGenerator<BackupFile> {
  const client = new pg.Client({ connectionString: url, ssl: false });
  await client.connect();
  try {
    await client.query('set statement_timeout = 0; set idle_session_timeout = 0');
    await client.query(
      "select pg_create_physical_replication_slot('backup_' || pg_backend_pid(), immediately_reserve => true, temporary => true)",
    );
    const started = await one<{ segment: string }>(
      client,
      "select pg_walfile_name(pg_backup_start('firsthand backup', fast => true)) as segment",
    );
    // The control file comes last: it must not be older than what it describes.
    yield* copyTree(folder, to, path => NOT_COPIED.test(path) || path === 'global/pg_control');
    yield {
      path: 'global/pg_control',
      ...(await copyFile(join(folder, 'global/pg_control'), join(to, 'global/pg_control'))),
    };
    const ended = await one<{ segment: string; labelfile: string }>(
      client,
      'select pg_walfile_name(lsn) as segment, labelfile from pg_backup_stop(wait_for_archive => false)',
    );
    yield await writeNew(to, 'backup_label', ended!.labelfile);
    const segments = (await many<{ name: string }>(client, 'select name from pg_ls_waldir() order by name'))
      .map(({ name }) => name)
      .filter(name => SEGMENT.test(name) && name >= started!.segment && name <= ended!.segment);
    for (const name of segments) {
      const path = join('pg_wal', name);
      yield { path, ...(await copyFile(join(folder, path), join(to, path))) };
    }
  } finally {
    await client.end();
  }
}
