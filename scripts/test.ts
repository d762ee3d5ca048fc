// `npm test`: builds what the tests open, runs them all, and closes with the counts on a line of their own. Arguments are
// Vitest's: `npm test -- --project unit forensics/src/phash`.
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ensurePagesBuilt } from '../server/src/commands/build-pages.ts';
import { findChromium } from '../server/test/browser/chromium.ts';
import './generate.ts';
import { rerunCommand } from './rerun.ts';
import { folderInMemory } from './temporary-folder.ts';

interface Report {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

const root = join(import.meta.dirname, '..');
const reportFile = join(root, '.tmp', 'test-report.json');
const inCI = process.env.CI === 'true';
const args = process.argv.slice(2);

// Side by side: each takes seconds.
const [browserless] = await Promise.all([
  findChromium().then(
    () => null,
    (error: Error) => error.message,
  ),
  ensurePagesBuilt(),
]);
if (browserless && inCI) throw new Error(browserless);
if (browserless) args.push('--exclude', 'server/test/browser/**');

await mkdir(dirname(reportFile), { recursive: true });
await rm(reportFile, { force: true });
const inMemory = await folderInMemory();
const status = await vitest([...args, '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]);
if (inMemory) await rm(inMemory, { recursive: true, force: true });

const report = await readFile(reportFile, 'utf8').then(
  text => JSON.parse(text) as Report,
  () => null,
);
if (browserless) console.log(`The browser tests did not run. ${browserless}`);
if (!process.env.FIRSTHAND_DATA) console.log('Tests on the real pictures did not run: FIRSTHAND_DATA names no folder.');
for (const line of skippedSuites(report)) console.log(line);
// A file that could not be loaded has failed without a test of its own.
const unloaded =
  report?.testResults.filter(file => file.status === 'failed' && file.assertionResults.length === 0) ?? [];
const failed = (report?.numFailedTests ?? 0) + unloaded.length;
const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);
const commands = commandsOfFailed(report);
if (commands.length > 0) console.log(['', 'To run only what failed:', ...commands, ''].join('\n'));
const counted = status !== 0 && failed === 0 ? 1 : failed;
console.log(`${report?.numPassedTests ?? 0} passed, ${counted} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = counted > 0 ? status || 1 : status;

function skippedSuites(from: Report | null): string[] {
  return (from?.testResults ?? []).flatMap(file => {
    const count = file.assertionResults.filter(test => test.status === 'pending' || test.status === 'skipped').length;
    return count > 0 ? [`${relative(root, file.name)}: ${count} skipped`] : [];
  });
}

/** One command for each failed test, as many as a person will read. */
function commandsOfFailed(from: Report | null): string[] {
  return (from?.testResults ?? [])
    .filter(file => file.status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const file = relative(root, name);
      const failures = assertionResults.filter(test => test.status === 'failed');
      return failures.length === 0 ? [rerunCommand(file)] : failures.map(test => rerunCommand(file, test.fullName));
    })
    .slice(0, 20);
}

function vitest(options: string[]): Promise<number> {
  const require = createRequire(import.meta.url);
  const program = join(dirname(require.resolve('vitest/package.json')), 'vitest.mjs');
  // The tests start the service and its commands hundreds of times: what Node.js compiled once is kept.
  const env = {
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
    ...process.env,
    ...(inMemory ? { TMPDIR: inMemory } : {}),
  };
  const child = spawn(process.execPath, [program, 'run', ...options], { cwd: root, stdio: 'inherit', env });
  // The terminal sends Ctrl-C to both; this one waits for the other to clean up.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (signal === 'SIGTERM') child.kill(signal);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}
