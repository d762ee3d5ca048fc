import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build, preview } from 'vite';
import { packPackage } from '../../../scripts/pack.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

const HTML =
  '<!doctype html><html lang="en"><div id="root"></div><script type="module" src="/main.jsx"></script></html>\n';

/**
 * An empty folder in which npm installed the packed packages as docs/install.md says, and React. In place of the npm registry, archives of
 * the React that this repository has.
 */
export async function reactProject() {
  const folder = await mkdtemp(join(tmpdir(), 'fh-react-'));
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  await writeFile(join(project, 'index.html'), HTML);
  const packages = ['react', 'react-dom', 'scheduler'].map(name => dirname(require.resolve(`${name}/package.json`)));
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent', ...packages], { cwd: folder });
  const react = stdout
    .trim()
    .split('\n')
    .map(name => join(folder, name));
  const own = [await packPackage('sdk', folder), await packPackage('react', folder)];
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...react, ...own], { cwd: project });

  /** Builds `main.jsx` with Vite and serves the result on an origin of its own. */
  const serve = async (program: string) => {
    await writeFile(join(project, 'main.jsx'), program);
    const options = { root: project, configFile: false, logLevel: 'error' } as const;
    await build({ ...options, oxc: { jsx: { runtime: 'automatic' } } });
    const server = await preview({ ...options, preview: { host: '127.0.0.1', port: 0 } });
    return { url: server.resolvedUrls!.local[0]!, close: () => server.close() };
  };
  return { serve, remove: () => rm(folder, { recursive: true, force: true }) };
}
