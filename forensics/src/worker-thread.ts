import { readdir, readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';

/**
 * Gives the analysis a tenth of the processor time of a thread that competes with it, so that API requests come first.
 */
const NICENESS = 10;

// On Linux each thread has its own priority, and 0 is the calling one; elsewhere it would be the whole process.
if (process.platform === 'linux') {
  setPriority(0, NICENESS);
  // Two fifths of an analysis are sharp's, on libuv's threads and on those that libvips starts from them: they have the priority of
  // the thread that first used a file, which is the main one. Reading the list asynchronously makes sure that they are there.
  for (const thread of await readdir('/proc/self/task').catch(() => [])) {
    const name = await readFile(`/proc/self/task/${thread}/comm`, 'utf8').catch(() => '');
    if (/^lib(uv|vips)/.test(name)) setPriority(Number(thread), NICENESS);
  }
}

// After that, since loading the rest takes a while.
await import('./answer.ts');
