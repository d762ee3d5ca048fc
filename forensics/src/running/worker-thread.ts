import { readdir, readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';

/**
 * Gives the analysis a tenth of the processor time of a thread that competes with it, so that API requests come first.
 */
const NICENESS = 10;

// On Linux each thread has its own priority, and id 0 is the calling thread. On other systems 0 is the whole process.
if (process.platform === 'linux') {
  setPriority(0, NICENESS);
  // sharp does two fifths of an analysis on libuv's threads and on libvips threads started from them. They inherit the priority of the
  // thread that first used a file, which is the main thread. The asynchronous read makes sure that libuv's threads exist.
  for (const thread of await readdir('/proc/self/task').catch(() => [])) {
    const name = await readFile(`/proc/self/task/${thread}/comm`, 'utf8').catch(() => '');
    if (/^lib(uv|vips)/.test(name)) setPriority(Number(thread), NICENESS);
  }
}

// Imported afterwards, because loading takes a while and should run at low priority.
await import('./answer.ts');
