import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Another process holds the folder. */
export class FolderInUse extends Error {
  override name = 'FolderInUse';
  readonly folder: string;

  constructor(folder: string, holder?: string) {
    super(
      `${folder} is in use by ${holder ?? 'another process'}; stop that one or give this one a DATA_DIR of its own`,
    );
    this.folder = folder;
  }
}

export interface FolderLock {
  /** Safe to call twice. */
  release(): void;
}

const SQLITE_BUSY = 5;
/** A holder that was just killed may still be exiting. */
const GRACE_MS = 1_000;

/**
 * Takes the single lock of a folder, or throws {@link FolderInUse} when it is still held after `graceMs`.
 *
 * The kernel holds the lock (fcntl, through SQLite, which never writes to the file). It ends with its holder, however
 * that process dies. A reused process id does not affect it, and it works between containers that share a volume.
 */
export function lockFolder(folder: string, graceMs = GRACE_MS): FolderLock {
  const file = new DatabaseSync(join(folder, 'lock'), { timeout: graceMs });
  try {
    file.exec('begin exclusive');
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new FolderInUse(folder);
    throw error;
  }
  return {
    release: () => {
      if (file.isOpen) file.close();
    },
  };
}
