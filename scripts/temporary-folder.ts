import { access, chmod, constants, mkdtemp, readFile, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** A run of all tests leaves 2 GB there at most. */
const NEEDED_BYTES = 6 * 2 ** 30;

/**
 * Makes a folder in memory for a run's temporary files: PostgreSQL writes hundreds of databases of a thousand files each, and a
 * file system on a disk spends a fifth of PostgreSQL's time on them. Null where memory is short, or programs cannot run
 * from there: then the system's folder has to do.
 */
export async function folderInMemory(): Promise<string | null> {
  try {
    const { bavail, bsize } = await statfs(IN_MEMORY);
    if (bavail * bsize < NEEDED_BYTES || freemem() < NEEDED_BYTES) return null;
    const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map(line => line.split(' '));
    const [, , type, options = ''] = mounts.findLast(([, folder]) => folder === IN_MEMORY) ?? [];
    if (type !== 'tmpfs' || options.split(',').includes('noexec')) return null;
    await access(IN_MEMORY, constants.W_OK);
    const folder = await mkdtemp(join(IN_MEMORY, 'firsthand-tests-'));
    // As /tmp is: tests run programs as another user too.
    await chmod(folder, 0o1777);
    return folder;
  } catch {
    return null;
  }
}
