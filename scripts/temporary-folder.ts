import { chmod, mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';

/** A run of all tests fills 1.3 GB. */
const NEEDED_BYTES = 6 * 2 ** 30;

/**
 * Makes a folder in memory for the temporary files of a run. The tests create hundreds of databases of a thousand files each; on a
 * disk's file system, these take an eighth of the processor time. Returns null if memory is short or programs cannot run from
 * there. The caller removes the folder; the next call removes one that a killed run left.
 */
export async function folderInMemory(): Promise<string | null> {
  try {
    for (const name of await readdir(IN_MEMORY)) {
      const [, pid] = /^firsthand-tests-(\d+)-/.exec(name) ?? [];
      if (pid && !isAlive(Number(pid))) await rm(join(IN_MEMORY, name), { recursive: true, force: true });
    }
    const { bavail, bsize } = await statfs(IN_MEMORY);
    if (bavail * bsize < NEEDED_BYTES || freemem() < NEEDED_BYTES) return null;
    const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map(line => line.split(' '));
    const [, , type, options = ''] = mounts.findLast(([, folder]) => folder === IN_MEMORY) ?? [];
    if (type !== 'tmpfs' || options.split(',').includes('noexec')) return null;
    const folder = await mkdtemp(join(IN_MEMORY, `firsthand-tests-${process.pid}-`));
    // As /tmp is: tests run programs as another user too.
    await chmod(folder, 0o1777);
    return folder;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Another user's is alive too.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
