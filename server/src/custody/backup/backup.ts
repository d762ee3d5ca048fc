import { mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../../platform/config/config.ts';
import { openEmbeddedPostgres } from '../../platform/db/embedded.ts';
import type { Log } from '../../platform/lib/log.ts';
import { type BackupFile, copyTree, walk, writeNew } from './copy.ts';
import { copyDatabase } from './database.ts';

export const MANIFEST = 'manifest.json';
const FORMAT = 1;

/** `manifest.json` of a backup. */
export interface Manifest {
  format: typeof FORMAT;
  began_at: string;
  ended_at: string;
  /** False if the photos lie in a bucket: the bucket is backed up on its own. */
  photos: boolean;
  /** Paths with a slash at the end. */
  folders: string[];
  files: BackupFile[];
}

/** Entries of the data folder that a backup skips: the database is copied on its own, the rest belongs to running processes. */
const NOT_COPIED = /^(postgres(\.new|\.json.*)?|lock.*|blobs\/incoming|restore\.partial)$/;

/**
 * Copies the data folder of an installation with the embedded database into a new folder, also while the service runs. The
 * database is a consistent copy; the photos follow it, so each photo that it knows is there. The folder gets its name when it is
 * complete: an interrupted backup leaves only `<folder>.partial`.
 */
export async function makeBackup(config: Config, log: Log, folder: string, now: () => Date): Promise<Manifest> {
  if (config.databaseUrl) {
    throw new Error(
      'DATABASE_URL names a database of your own. Back it up with the tools of PostgreSQL, as docs/operate.md says, and the photos after it.',
    );
  }
  const target = resolve(folder);
  if (!(await isEmpty(target))) throw new Error(`${target} is there already. Name a new folder.`);
  const draft = `${target}.partial`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const began = now();
  const files: BackupFile[] = [];
  const database = await openEmbeddedPostgres({ dataDir: config.dataDir, log });
  const home = await realpath(config.dataDir);
  try {
    const copied = copyDatabase(database.url, join(home, 'postgres'), join(draft, 'postgres'));
    for await (const file of copied) files.push({ ...file, path: join('postgres', file.path) });
  } finally {
    await database.stop();
  }
  for await (const file of copyTree(home, draft, path => NOT_COPIED.test(path))) files.push(file);
  const folders: string[] = [];
  for await (const path of walk(draft, () => false)) if (path.endsWith('/')) folders.push(path);
  const manifest: Manifest = {
    format: FORMAT,
    began_at: began.toISOString(),
    ended_at: now().toISOString(),
    photos: config.s3 === null,
    folders,
    files,
  };
  await writeNew(draft, MANIFEST, `${JSON.stringify(manifest, null, 1)}\n`);
  await rm(target, { recursive: true, force: true });
  await rename(draft, target);
  return manifest;
}

/** Whether a folder holds nothing, or is not there. */
export async function isEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}
