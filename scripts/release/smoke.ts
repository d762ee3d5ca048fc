// Unpacks the server's archive in an empty folder and runs it there with an empty environment, as somebody without npm, git and
// Node.js: start, demo, doctor, stop, and a second start on the same data. `node scripts/release/smoke.ts dist/release`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/test/support/service-process.ts';

const READY_MS = 120_000;
const PICTURE = 'dashboard-verifications.png';

const release = resolve(process.argv[2] ?? 'dist/release');
execFileSync('sha256sum', ['--quiet', '--check', 'SHA256SUMS'], { cwd: release, stdio: 'inherit' });
const archive = readdirSync(release).find(name => /^firsthand-server-.*\.tar\.gz$/.test(name));
if (!archive) throw new Error(`${release} has no archive of the server`);

const folder = mkdtempSync(join(tmpdir(), 'firsthand-smoke-'));
// PostgreSQL's user may read it, so nothing is copied into the system's folders.
chmodSync(folder, 0o755);
let service: ChildProcess | undefined;
try {
  execFileSync('tar', ['-xzf', join(release, archive)], { cwd: folder });
  const at = join(folder, archive.replace('.tar.gz', ''));
  const port = await freePort();
  const env = {
    PORT: String(port),
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
    NO_COLOR: '1',
    LOG_LEVEL: 'warn',
    TESSERACT: 'built-in',
  };
  const command = (...args: string[]) =>
    execFileSync(join(at, 'firsthand'), args, { cwd: at, env, stdio: ['ignore', 'inherit', 'inherit'] });
  command('--version');
  await started('first start', at, env);
  command('doctor');
  command('demo');
  readText(at);
  await stopped();
  await started('second start', at, env);
  await stopped();
  console.log('SIGTERM ended the service with 0, twice');
} finally {
  service?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

/** The built-in Tesseract reads a picture of the dashboard. */
function readText(at: string): void {
  const reader = 'app/server/src/inspection/checks/built-in-reader.ts';
  const input = readFileSync(join(import.meta.dirname, '../../docs/images', PICTURE));
  const output = execFileSync(join(at, 'bin/node'), [reader, 'eng', '11'], {
    cwd: at,
    env: {},
    input,
    encoding: 'utf8',
  });
  const words = output.split('\n').flatMap(line => line.split('\t')[11]?.trim() || []);
  if (!words.includes('Verifications')) throw new Error(`the text reader read ${words.join(' ')}`);
  console.log(`text reader: ${words.length} words`);
}

async function started(name: string, cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const began = performance.now();
  service = spawn(join(cwd, 'firsthand'), ['all'], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  for (;;) {
    const answer = await fetch(`http://localhost:${env.PORT}/readyz`).catch(() => null);
    if (answer?.ok) break;
    if (service.exitCode !== null) throw new Error(`the service ended with ${service.exitCode}`);
    if (performance.now() - began > READY_MS) throw new Error(`not ready after ${READY_MS / 1_000} s`);
    await sleep(50);
  }
  console.log(`${name}: ready after ${((performance.now() - began) / 1_000).toFixed(1)} s`);
}

async function stopped(): Promise<void> {
  const running = service!;
  running.kill('SIGTERM');
  const [code, signal] = (await once(running, 'exit')) as [number | null, string | null];
  service = undefined;
  if (code !== 0) throw new Error(`SIGTERM ended the service with ${code ?? signal}`);
}
