import { readFileSync } from 'node:fs';

/** Milliseconds that the main thread of a process has run (`schedstat` of proc(5)): whatever else the machine does counts for nothing. */
export function mainThreadMs(pid: number | string): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}
