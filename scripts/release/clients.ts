// What others install: the packages of npm, the chart, the package of Python.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWheel, environment, pythonSetup } from '../../server/test/support/python.ts';
import { buildPackage, ENTRIES, type PackageName } from '../pack.ts';
import type { Checkout } from './checkout.ts';
import { type Entry, tarGz } from './tar.ts';

type Files = Map<string, Buffer>;

const inTemporaryFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'firsthand-release-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** Each package as `npm publish` takes it. */
export async function npmPackages({ version, time }: Checkout): Promise<Files> {
  const files: Files = new Map();
  for (const name of Object.keys(ENTRIES) as PackageName[]) {
    const archive = await inTemporaryFolder(async folder => {
      await buildPackage(name, folder);
      const found = await readdir(folder, { recursive: true, withFileTypes: true });
      const entries = found
        .filter(entry => entry.isFile())
        .map(async ({ parentPath, name: file }): Promise<Entry> => {
          const path = join(parentPath, file);
          const content = await readFile(path);
          return {
            path: `package${path.slice(folder.length)}`,
            content,
            executable: content.subarray(0, 2).toString() === '#!',
          };
        });
      return tarGz(await Promise.all(entries), time);
    });
    files.set(`firsthand-${name}-${version}.tgz`, archive);
  }
  return files;
}

/** The chart as `helm package` makes it. */
export async function chart({ root, version, time }: Checkout): Promise<Files> {
  const folder = 'deploy/helm/firsthand';
  const names = execFileSync('git', ['ls-files', folder], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const entries = names.map(async name => ({
    path: `firsthand${name.slice(folder.length)}`,
    content: await readFile(join(root, name)),
  }));
  return new Map([[`firsthand-chart-${version}.tgz`, tarGz(await Promise.all(entries), time)]]);
}

/** Source distribution and wheel; a sentence where nothing builds them. */
export async function pythonPackage({ time }: Checkout): Promise<Files | string> {
  const setup = pythonSetup;
  if (!setup?.wheels) {
    return 'The package of Python is not in it: run npm run python first, which downloads what builds it (hatchling).';
  }
  // Read by hatchling.
  process.env.SOURCE_DATE_EPOCH = String(time);
  return inTemporaryFolder(async folder => {
    const builder = await environment(setup, setup.interpreters[0]!, join(folder, 'builder'), ['hatchling']);
    const dist = join(folder, 'dist');
    await buildWheel(setup, builder, dist);
    const names = (await readdir(dist)).filter(name => /\.(whl|tar\.gz)$/.test(name));
    return new Map(await Promise.all(names.map(async name => [name, await readFile(join(dist, name))] as const)));
  });
}
