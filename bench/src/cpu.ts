import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

interface ProcessStat {
  parent: number;
  /** With the children that have ended. */
  ticks: number;
}

/** CPU time that these processes and their descendants have used since they started. Reads `/proc`. */
export async function cpuSeconds(...pids: number[]): Promise<number> {
  const roots = new Set(pids);
  const stats = new Map<number, ProcessStat>();
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readStat(Number(name)) : null;
    if (stat) stats.set(Number(name), stat);
  }
  const isOurs = (id: number): boolean => roots.has(id) || (stats.has(id) && isOurs(stats.get(id)!.parent));
  let ticks = 0;
  for (const [id, stat] of stats) if (isOurs(id)) ticks += stat.ticks;
  return ticks / TICKS_PER_SECOND;
}

/** The first process of the database in a data folder. */
export const postmasterOf = async (dataDir: string): Promise<number> =>
  Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);

/** Time that all processors together were idle since the machine started, in seconds. */
export async function idleSeconds(): Promise<number> {
  const [total] = (await readFile('/proc/stat', 'utf8')).split('\n');
  const [idle, waiting] = total!.split(/\s+/).slice(4, 6).map(Number);
  return (idle! + waiting!) / TICKS_PER_SECOND;
}

/** Processor time in milliseconds that `work` takes of this process, with all of its threads. Other load hardly changes it. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Resident memory of a process in MiB, now or at its peak: proc(5). 0 on systems without /proc. */
export async function residentMb(pid: number, which: 'VmRSS' | 'VmHWM' = 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(new RegExp(`${which}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1_024;
}

/** Null when the process has ended meanwhile. */
async function readStat(pid: number): Promise<ProcessStat | null> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (line === null) return null;
  // The name stands in parentheses and may hold spaces.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), ticks };
}
