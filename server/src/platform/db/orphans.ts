import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';

/**
 * Ends the PostgreSQL processes that a killed parent left on `folder`. Removes their lock file if its process id now
 * belongs to another program. The caller holds the data folder's own lock, so none of the processes has a living owner.
 */
export async function stopOrphans(folder: string, log: Log): Promise<void> {
  const pidFile = join(folder, 'postmaster.pid');
  const recorded = Number((await readFile(pidFile, 'utf8').catch(() => '')).split('\n')[0]);
  const postmaster =
    Number.isInteger(recorded) && recorded > 1 && (await isPostgresOn(recorded, folder)) ? recorded : null;
  if (postmaster) {
    log.warn({ pid: postmaster }, 'stopping the PostgreSQL that a killed process left running');
    // Tries a fast shutdown, then an immediate one, then a kill. PostgreSQL's recovery handles the kill.
    for (const [signal, seconds] of [
      ['SIGINT', 10],
      ['SIGQUIT', 5],
      ['SIGKILL', 5],
    ] as const) {
      if (await end([postmaster], signal, seconds)) break;
    }
  }
  // Children of a killed postmaster end by themselves when they notice. Those of initdb do not.
  for (const [signal, seconds] of [
    ['SIGQUIT', 5],
    ['SIGKILL', 5],
  ] as const) {
    const pids = await postgresOn(folder);
    if (pids.length === 0 || (await end(pids, signal, seconds))) break;
  }
  // While this file exists, PostgreSQL refuses to start whenever the same user's process has its process id.
  await rm(pidFile, { force: true });
}

/**
 * Returns the process ids of the PostgreSQL programs that work in `folder`. Linux only: other systems use the recorded
 * id.
 */
async function postgresOn(folder: string): Promise<number[]> {
  const found: number[] = [];
  const entries = await readdir('/proc').catch(() => []);
  for (const entry of entries) {
    const pid = Number(entry);
    if (Number.isInteger(pid) && (await isPostgresOn(pid, folder))) found.push(pid);
  }
  return found;
}

async function isPostgresOn(pid: number, folder: string): Promise<boolean> {
  if (process.platform !== 'linux') {
    const command = spawnSync('ps', ['-p', `${pid}`, '-o', 'command='], { encoding: 'utf8' }).stdout ?? '';
    return command.includes('postgres') && command.includes(folder);
  }
  try {
    const [cwd, name] = await Promise.all([readlink(`/proc/${pid}/cwd`), readFile(`/proc/${pid}/comm`, 'utf8')]);
    return cwd === folder && ['postgres', 'initdb'].includes(name.trim());
  } catch {
    return false; // Gone meanwhile, or another user's.
  }
}

async function end(pids: number[], signal: NodeJS.Signals, seconds: number): Promise<boolean> {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // Already gone.
    }
  }
  const deadline = Date.now() + seconds * 1000;
  while (pids.some(alive)) {
    if (Date.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !isZombie(pid);
}

/**
 * True when the process is dead but its parent has not collected it. In a container whose first process collects
 * nobody, it stays so.
 */
function isZombie(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return /^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}
