import { makeBackup } from '../custody/backup/backup.ts';
import { placeBackup } from '../custody/backup/restore.ts';
import { restoreCheck } from '../custody/erasure/restore-check.ts';
import { readConfig } from '../platform/config/config.ts';
import { loadEnvironment } from '../platform/config/environment.ts';
import { createLog } from '../platform/lib/log.ts';
import { startAfterRestore } from '../record/evidence/publisher.ts';
import { printJson, withDeps } from './tenants.ts';

/** `firsthand backup FOLDER`: prints what was copied, as JSON. */
export async function backupCommand(folder: string): Promise<void> {
  const config = readConfig(loadEnvironment());
  const made = await makeBackup(config, createLog('warn'), folder, () => new Date());
  const bytes = made.files.reduce((sum, { size }) => sum + size, 0);
  const { began_at, ended_at, photos } = made;
  printJson({ began_at, ended_at, files: made.files.length, bytes, photos });
}

/**
 * `firsthand restore FOLDER`: puts the backup into the empty data folder, begins a new epoch of the log, erases again what was
 * erased, and prints what it did as JSON.
 */
export async function restoreCommand(folder: string): Promise<void> {
  const placed = await placeBackup(readConfig(loadEnvironment()), folder);
  await withDeps(async deps => {
    const logOrigin = await startAfterRestore(deps);
    const { receipts, erased_again } = await restoreCheck(deps, { everything: true });
    const report = { made_at: placed.began_at, files: placed.files.length, photos: placed.photos };
    printJson({ ...report, log_origin: logOrigin, receipts, erased_again });
  });
}
