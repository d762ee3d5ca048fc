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
  release(): void;
}

const SQLITE_BUSY = 5;
/** A holder that was killed a moment ago may still be on its way out. */
const GRACE_MS = 1_000;

/**
 * Takes the one lock of a folder, or throws {@link FolderInUse}.
 *
 * The lock is the kernel's own (fcntl, reached through SQLite, which never writes to the file): it ends with its holder
 * however that dies, a reused process id means nothing to it, and it holds between containers that share a volume.
 */
export function lockFolder(folder: string): FolderLock {
  const file = new DatabaseSync(join(folder, 'lock'), { timeout: GRACE_MS });
  try {
    file.exec('begin exclusive');
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) throw new FolderInUse(folder);
    throw error;
  }
  return { release: () => file.close() };
}
