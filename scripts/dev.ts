// `npm run dev`: runs the service on its own data folder, which `npm run seed` fills once. A change of the server
// restarts it. A change of a page rebuilds the page; then reload the browser.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FSWatcher, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dim } from '@firsthand/cli/print.ts';
import { ensurePagesBuilt } from '../server/src/commands/build-pages.ts';
import { readConfig } from '../server/src/platform/config/config.ts';
import { loadEnvironment } from '../server/src/platform/config/environment.ts';

const root = join(import.meta.dirname, '..');
/** Waits this long after a change, so that an editor that saves many files causes one restart. */
const SETTLE_MS = 200;
const EVIDENCE = ['stamps/src', 'evidence/src', 'evidence/log', 'report/src'];
const SERVER = ['contract/src', 'forensics/src', 'sdk/src', 'server/src', 'server/migrations', '.env', ...EVIDENCE];
const PAGES = ['capture', 'dashboard', 'verify', 'site', 'docs', 'look', 'contract/src', 'sdk/src', ...EVIDENCE];

const environment = { ...loadEnvironment(), DATA_DIR: resolve(process.env.DATA_DIR ?? join(root, 'data-dev')) };
const { port, dataDir } = readConfig(environment);
const url = `http://localhost:${port}`;
const say = (text: string) => console.log(dim(`dev: ${text}`));

let service: ChildProcess;
let stopping = false;
const watchers: FSWatcher[] = [];

await mkdir(dataDir, { recursive: true });
await buildPages();
start();
onChange(SERVER, async () => {
  say('the server changed; starting it again');
  await stop();
  start();
});
onChange(PAGES, buildPages);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end());
await ready();
await seed();
if (!stopping) say(`${url} runs on ${dataDir}; save a file to see it change`);

function run(script: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [join(root, script), ...args], { cwd: root, env: environment, stdio: 'inherit' });
}

function start(): void {
  service = run('server/src/main.ts', 'all');
  const child = service;
  child.once('exit', code => {
    if (!stopping && child === service && code !== 0)
      say(`the server ended with ${code}; it starts at the next change`);
  });
}

/** Lets the service drain. Its database stops with it. */
async function stop(): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
}

async function ready(): Promise<void> {
  while (!stopping) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await sleep(200);
  }
}

async function seed(): Promise<void> {
  if (stopping) return;
  const [code] = await once(run('scripts/seed.ts', '--url', url), 'exit');
  if (code !== 0) say('the seed is not complete; run npm run seed -- --again');
}

async function buildPages(): Promise<void> {
  await ensurePagesBuilt().catch((error: Error) => say(`the pages could not be built: ${error.message}`));
}

/** Calls `action` when the files below these paths have not changed for a moment. Runs one call at a time. */
function onChange(paths: string[], action: () => Promise<void>): void {
  let timer: NodeJS.Timeout | undefined;
  let acting = Promise.resolve();
  const changed = (_event: string, name: string | null) => {
    if (stopping || (name && /(^|\/)(node_modules|dist(-\w+)?)(\/|$)|\.test\.tsx?$/.test(name))) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      acting = acting.then(() => (stopping ? undefined : action()));
    }, SETTLE_MS);
  };
  for (const path of paths) {
    try {
      watchers.push(watch(join(root, path), { recursive: true }, changed));
    } catch (error) {
      // The file may be absent, as .env may.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

async function end(): Promise<void> {
  if (stopping) return;
  stopping = true;
  for (const watcher of watchers) watcher.close();
  await stop();
}
