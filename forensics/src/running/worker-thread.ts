import { readdir, readFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';

/**
 * Gives the analysis a tenth of the processor time of a thread that competes with it, so that API requests come first.
 */
const NICENESS = 10;

/** Lowers a thread to {@link NICENESS}. Only root may raise a priority, so a service that started lower (`nice`, a unit's `Nice=`) stays there. */
function lower(thread: number): void {
  try {
    if (getPriority(thread) < NICENESS) setPriority(thread, NICENESS);
  } catch {
    // The thread ended, or a sandbox forbids the call. The analysis works at any priority.
  }
}

// On Linux each thread has its own priority, and id 0 is the calling thread. On other systems 0 is the whole process.
if (process.platform === 'linux') {
  lower(0);
  // sharp does two fifths of an analysis on libuv's threads and on libvips threads started from them. They inherit the priority of the
  // thread that first used a file, which is the main thread. The asynchronous read makes sure that libuv's threads exist.
  for (const thread of await readdir('/proc/self/task').catch(() => [])) {
    const name = await readFile(`/proc/self/task/${thread}/comm`, 'utf8').catch(() => '');
    if (/^lib(uv|vips)/.test(name)) lower(Number(thread));
  }
}

// Imported afterwards, because loading takes a while and should run at low priority.
await import('./answer.ts');
