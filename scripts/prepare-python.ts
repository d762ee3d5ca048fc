// `npm run python`: downloads what the tests of the Python package need into .tmp/python, once. `npm test` downloads nothing and
// skips these tests where the folder is missing. PYTHONS names the interpreters, between colons; otherwise those in PATH count.
// `-- --system`: with the packages that the system's interpreter has, such as those that Debian brings, where pip reaches no index.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Interpreter, PYTHON_FOLDER, type PythonSetup } from '../server/test/support/python.ts';

const OLDEST_MINOR = 10;
/** For every interpreter. */
const CLIENT = ['httpx', 'pytest'];
/** The first builds the package. */
const BUILD = ['hatchling'];
/** It also checks the types and runs the receivers, where these are to be had. */
const TOOLS = ['mypy', 'fastapi', 'uvicorn', 'django', 'flask'];

const system = process.argv.includes('--system');
const names = system
  ? ['/usr/bin/python3']
  : (process.env.PYTHONS?.split(delimiter) ?? ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10']);

const found = new Map<number, string>();
for (const name of names) {
  const { status, stdout } = spawnSync(name, ['-c', 'import sys; print(sys.version_info.minor, sys.executable)'], {
    encoding: 'utf8',
  });
  const [minor, path] = status === 0 ? stdout.trim().split(' ') : [];
  if (path && Number(minor) >= OLDEST_MINOR && !found.has(Number(minor))) found.set(Number(minor), path);
}
if (found.size === 0) throw new Error(`no Python 3.${OLDEST_MINOR} or later among ${names.join(', ')}`);

rmSync(PYTHON_FOLDER, { recursive: true, force: true });
const wheels = join(PYTHON_FOLDER, 'wheels');
mkdirSync(wheels, { recursive: true });

/** Whether the packages are there now. */
function fetched(path: string, packages: string[]): boolean {
  const imports = packages.map(name => `import ${name}`).join('\n');
  const options = ['--quiet', '--retries', '1', '--timeout', '10', '--only-binary', ':all:', '--dest', wheels];
  const args = system ? ['-c', imports] : ['-m', 'pip', 'download', ...options, ...packages];
  const { status, stderr } = spawnSync(path, args, { encoding: 'utf8' });
  if (status !== 0) console.error(`${path} has no ${packages.join(', ')}: ${stderr.trim().split('\n').at(-1)}`);
  return status === 0;
}

const interpreters: Interpreter[] = [];
for (const [minor, path] of found) {
  const packages = interpreters.length === 0 ? [...CLIENT, ...BUILD] : CLIENT;
  if (fetched(path, packages)) interpreters.push({ version: `3.${minor}`, path });
}
if (interpreters.length === 0) process.exit(1);
const setup: PythonSetup = {
  interpreters,
  wheels: system ? null : wheels,
  tools: !system && fetched(interpreters[0]!.path, TOOLS),
};
writeFileSync(join(PYTHON_FOLDER, 'setup.json'), JSON.stringify(setup, null, 2));
console.log(`ready: Python ${interpreters.map(({ version }) => version).join(', ')}`);
