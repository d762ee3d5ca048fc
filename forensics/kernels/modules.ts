// Compiles the kernels for `npm run build:kernels`, and for the test that compares the committed modules with their sources.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../..');
const compiler = join(root, 'tools/node_modules/assemblyscript/bin/asc.js');

/** Each configuration of the compiler, and the module in `forensics/src` that it produces. */
export const MODULES = [
  { configuration: 'asconfig.json', module: 'pixels/kernels.generated.wasm' },
  { configuration: 'trunk.asconfig.json', module: 'networks/trunk.generated.wasm' },
] as const;

/** SHA-256 in hex: of everything the modules are compiled from, and of each module. */
type Compiled = { sources: string; modules: Record<string, string> };

/** The hashes of the last `npm run build:kernels`. */
export const RECORD = join(import.meta.dirname, 'compiled.generated.json');

/** Whether `npm run tools` has installed the compiler. */
export const hasCompiler = (): boolean => existsSync(compiler);

export const moduleFile = (module: string): string => join(import.meta.dirname, '../src', module);

export async function compile(configuration: string, outFile: string): Promise<void> {
  const config = join(import.meta.dirname, configuration);
  await promisify(execFile)(process.execPath, [compiler, '--config', config, '--outFile', outFile]);
}

/** Hashes the sources with their configurations and the compiler's version, and the modules as they are. */
export async function hashAll(): Promise<Compiled> {
  const files = MODULES.map(({ configuration }) => join(import.meta.dirname, configuration));
  for await (const name of glob('assembly/**/*.ts', { cwd: import.meta.dirname })) {
    files.push(join(import.meta.dirname, name));
  }
  const { dependencies } = JSON.parse(await readFile(join(root, 'tools/package.json'), 'utf8'));
  const sources = createHash('sha256').update(dependencies.assemblyscript);
  for (const file of files.toSorted()) sources.update(await hashOf(file));
  const modules: Record<string, string> = {};
  for (const { module } of MODULES) modules[module] = await hashOf(moduleFile(module));
  return { sources: sources.digest('hex'), modules };
}

const hashOf = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
