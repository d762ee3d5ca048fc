import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { isAbsolute, join, normalize, resolve } from 'node:path';
import { fileFault } from '@firsthand/cli/file-fault.ts';
import type { Config } from '../../platform/config/config.ts';
import { isEmpty, MANIFEST, type Manifest } from './backup.ts';
import { copyFile } from './copy.ts';

/** A backup that cannot be restored: not one, or not as it was made. */
export class BadBackup extends Error {
  override name = 'BadBackup';
}

/**
 * Puts a backup into an empty data folder. Each file is compared with the manifest as it is copied, and nothing gets its place
 * before all of them are right; the database comes last. Throws {@link BadBackup}.
 */
export async function placeBackup(config: Config, folder: string): Promise<Manifest> {
  if (config.databaseUrl) {
    throw new Error('DATABASE_URL is set, but the backup holds an embedded database. Unset it to restore.');
  }
  const source = resolve(folder);
  const manifest = await readManifest(source);
  const draft = join(config.dataDir, 'restore.partial');
  await rm(draft, { recursive: true, force: true });
  if (!(await isEmpty(config.dataDir))) {
    throw new Error(`${config.dataDir} is not empty. Name an empty folder in DATA_DIR.`);
  }
  try {
    await copyChecked(manifest, source, draft);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  const names = new Set(
    [...manifest.files.map(file => file.path), ...manifest.folders].map(path => path.split('/')[0]!),
  );
  // The database decides whether there is an installation, so it comes last.
  const order = [...names].sort((a, b) => Number(a === 'postgres') - Number(b === 'postgres'));
  for (const name of order) await rename(join(draft, name), join(config.dataDir, name));
  await rm(draft, { recursive: true });
  return manifest;
}

async function copyChecked(manifest: Manifest, source: string, draft: string): Promise<void> {
  await mkdir(draft, { recursive: true, mode: 0o700 });
  for (const path of manifest.folders) await mkdir(join(draft, path), { recursive: true, mode: 0o700 });
  for (const { path, size, sha256 } of manifest.files) {
    const copied = await copyFile(join(source, path), join(draft, path)).catch(error => {
      throw new BadBackup(`The backup lacks ${path}: ${fileFault(error) ?? error.message}`);
    });
    if (copied.size !== size || copied.sha256 !== sha256) {
      throw new BadBackup(`${path} of the backup is not as it was made. Restore another backup.`);
    }
  }
}

async function readManifest(source: string): Promise<Manifest> {
  const text = await readFile(join(source, MANIFEST), 'utf8').catch(error => {
    throw new BadBackup(`${source} is no complete backup: ${fileFault(error) ?? error.message}`);
  });
  let manifest: Manifest;
  try {
    manifest = JSON.parse(text) as Manifest;
  } catch {
    throw new BadBackup(`${join(source, MANIFEST)} is not JSON. Restore another backup.`);
  }
  if (manifest.format !== 1) throw new BadBackup(`${source} was made by another version of Firsthand.`);
  const inside = (path: string) => !isAbsolute(path) && !normalize(path).startsWith('..');
  if (![...manifest.folders, ...manifest.files.map(file => file.path)].every(inside)) {
    throw new BadBackup(`${join(source, MANIFEST)} names a file outside the backup. Restore another backup.`);
  }
  return manifest;
}
