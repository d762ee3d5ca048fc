import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..', '..');
export const PYTHON_FOLDER = join(ROOT, '.tmp', 'python');

export interface Interpreter {
  version: string;
  path: string;
}
export interface PythonSetup {
  /** The first one builds the package. */
  interpreters: Interpreter[];
  /** The folder of all packages; null: the interpreter itself has them. */
  wheels: string | null;
  /** mypy and the frameworks of the receivers are there for the first. */
  tools: boolean;
}

const file = join(PYTHON_FOLDER, 'setup.json');
/** What `npm run python` prepared; null where nobody ran it. */
export const pythonSetup: PythonSetup | null = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;

/** A fresh environment with these packages. Returns its interpreter. */
export async function environment(
  { wheels }: PythonSetup,
  { path }: Interpreter,
  folder: string,
  packages: string[],
): Promise<string> {
  await run(path, ['-m', 'venv', ...(wheels ? [] : ['--system-site-packages']), folder]);
  const python = join(folder, 'bin', 'python');
  const from = wheels ? ['--no-index', '--find-links', wheels] : ['--no-index', '--no-deps'];
  // The interpreter of the system has all but our own wheel.
  const wanted = wheels ? packages : packages.filter(name => name.endsWith('.whl'));
  if (wanted.length > 0) await run(python, ['-m', 'pip', 'install', '--quiet', ...from, ...wanted]);
  return python;
}

/** The package as a fresh clone has it: without the client that the build writes. Returns the folder. */
export async function cleanSource({ wheels }: PythonSetup, into: string): Promise<string> {
  const source = join(into, 'source');
  await cp(join(ROOT, 'python'), source, { recursive: true, filter: path => !path.endsWith('/firsthand/_sync') });
  if (!wheels) {
    // A system's list of classifiers may be older than a Python that we name.
    const project = join(source, 'pyproject.toml');
    await writeFile(project, (await readFile(project, 'utf8')).replace(/^classifiers = [\s\S]*?^\]\n/m, ''));
  }
  return source;
}

/** Builds the package as a release does: source distribution and wheel. Returns the path of the wheel. */
export async function buildWheel(setup: PythonSetup, python: string, into: string): Promise<string> {
  const cwd = await cleanSource(setup, into);
  await run(python, ['-m', 'hatchling', 'build', '-t', 'sdist', '-t', 'wheel', '-d', into], { cwd });
  return join(into, (await readdir(into)).find(name => name.endsWith('.whl'))!);
}
