import { setPriority } from 'node:os';

/** A third of the processor time of a thread that wants it as much: whoever waits for an answer of the API comes first. */
const NICE = 5;
// On Linux 0 is the calling thread; elsewhere it would be the whole process. Before all else, since loading the rest takes a while.
if (process.platform === 'linux') setPriority(0, NICE);

await import('./answer.ts');
