import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/service-process.ts';
import { openAtDesk } from './desk.ts';
import { openOnPhone } from './phone.ts';
import { sharedBrowser } from './stage.ts';

/**
 * A newcomer's first reviewed case: from a fresh clone through `npm ci` and `npm start`, in Chromium, by nothing but what the
 * terminal and the pages say. Prints the seconds of each part.
 */
const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'fh-newcomer-'));
const clone = join(folder, 'firsthand');
await run('git', ['clone', '-q', join(import.meta.dirname, '..', '..', '..'), clone]);

const seconds: [part: string, seconds: number][] = [];
let since = performance.now();
function passed(part: string): void {
  const now = performance.now();
  seconds.push([part, (now - since) / 1_000]);
  since = now;
}

await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: clone, maxBuffer: 1e8 });
passed('npm ci');
const service = spawn('npm', ['start'], {
  cwd: clone,
  env: { ...process.env, PORT: String(await freePort()) },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  let terminal = '';
  service.stdout.on('data', chunk => {
    terminal += chunk;
  });
  const link = async (name: string): Promise<string> => {
    const line = new RegExp(`${name}\\s+\\S*?(https?://[^\\s\\x1b]+)`);
    for (;;) {
      const found = line.exec(terminal)?.[1];
      if (found) return found;
      if (service.exitCode !== null) throw new Error(`npm start ended:\n${terminal}`);
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  };
  const dashboard = await link('Dashboard');
  const capture = await link('Capture link');
  passed('npm start');

  const phone = await openOnPhone(capture);
  await phone.press('Start');
  await phone.photo();
  await phone.send();
  passed('capture link: photo sent');

  const desk = await openAtDesk();
  await desk.page.goto(dashboard);
  await desk.press('Sign in');
  await desk.press('Not now');
  await desk.press('Ask for photos, and see what became of them');
  await desk.page.getByText('Switch to Test at the top.').waitFor();
  await desk.page.getByRole('radio', { name: 'Test' }).click();
  await desk.page.getByRole('row').filter({ hasText: 'Verified' }).getByRole('link').first().click();
  await desk.press('Put into review');
  await desk.page
    .locator('.review')
    .getByRole('img', { name: /^Photo 1 of 1/ })
    .waitFor();
  await desk.page.keyboard.press('a');
  await desk.page.keyboard.press('0');
  await desk.page.getByText('1 decided').waitFor();
  passed('dashboard: signed in, found it, reviewed it');
  await (await sharedBrowser()).close();
} finally {
  service.kill('SIGTERM');
  await new Promise(resolve => (service.exitCode === null ? service.once('exit', resolve) : resolve(null)));
  await rm(folder, { recursive: true, force: true });
}
const total = seconds.reduce((sum, [, part]) => sum + part, 0);
for (const [part, took] of [...seconds, ['in all', total] as const])
  console.log(`${took.toFixed(1).padStart(7)} s  ${part}`);
