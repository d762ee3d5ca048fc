// Packs what is published as dist/packages/NAME.tgz, ready for `npm install` and `npm publish`. Only archives: npm links a folder,
// and a linked @firsthand/react finds the React of this repository beside the application's own.
// In the repository the workspaces import the TypeScript as it is.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type OutputAsset, type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { WORD_KEYS } from '../react/src/word-keys.ts';
import { NATIVE_WORD_KEYS } from '../react-native/src/word-keys.ts';
import { TSC } from './typescript.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

interface Manifest {
  name: string;
  version: string;
  description: string;
  keywords: string[];
  engines: Record<string, string>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** What may be imported from each library, by its name in `exports`. The others are only programs. */
export const ENTRIES = {
  sdk: {
    '.': 'index.ts',
    './capture': 'capture/index.ts',
    './element': 'element/element.ts',
    './webhooks': 'webhooks.ts',
  },
  react: { '.': 'index.ts' },
  'react-native': { '.': 'index.ts', './integrity': 'integrity.ts' },
  cli: null,
  mcp: null,
} as const satisfies Record<string, Record<string, string> | null>;
export type PackageName = keyof typeof ENTRIES;
/** The command of each program. */
const BINS = { cli: 'firsthand', mcp: 'firsthand-mcp' };

/** Writes the folder that is published. */
export async function buildPackage(name: PackageName, into: string): Promise<void> {
  const source = join(root, name);
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Manifest;
  const entries = ENTRIES[name];
  await mkdir(into, { recursive: true });
  const bundled = entries ? await bundleLibrary(name, entries, into) : await bundleProgram(source, into);
  await writeManifest(into, manifest, entries ? entryPoints(name, entries) : programOf(name));
  await cp(join(root, 'LICENSE'), join(into, 'LICENSE'));
  await cp(join(source, 'README.md'), join(into, 'README.md'));
  await writeNotices(into, bundled);
}

const programOf = (name: PackageName) => ({
  bin: { [BINS[name as keyof typeof BINS]]: 'dist/main.js' },
  exports: { './package.json': './package.json' },
});

function entryPoints(name: PackageName, entries: Record<string, string>): Record<string, unknown> {
  if (name === 'react-native') return forMetro(entries);
  return {
    sideEffects: name === 'react' ? ['*.css'] : false,
    ...withoutExports(entries),
    exports: exportsOf(name, entries),
  };
}

/** One build for Metro and for Jest: a map with two builds loads the package twice. Only the module for attestations may be left out. */
const forMetro = (entries: Record<string, string>) => ({
  type: 'commonjs',
  sideEffects: false,
  main: './dist/index.js',
  types: './dist/index.d.ts',
  exports: {
    ...Object.fromEntries(
      Object.entries(entries).map(([name, file]) => [
        name,
        { types: `./dist/${nameOf(file)}.d.ts`, default: `./dist/${nameOf(file)}.js` },
      ]),
    ),
    './app.plugin.js': './app.plugin.js',
    './package.json': './package.json',
  },
  peerDependenciesMeta: { '@expo/app-integrity': { optional: true } },
});

const nameOf = (file: string) => file.replace(/\.tsx?$/, '');

/** What is taken from the hosted page: the texts that the package shows, and rules that import the SDK by its sources. */
const imported = (words: readonly string[]): Plugin => ({
  name: 'imported',
  resolveId: id =>
    /^@firsthand\/sdk\/capture\/.*\.ts$/.test(id) ? { id: '@firsthand/sdk/capture', external: true } : null,
  transform(code, id) {
    if (!/\/capture\/src\/messages\/\w+\.json$/.test(id)) return null;
    const all = JSON.parse(code) as Record<string, unknown>;
    return { code: JSON.stringify(Object.fromEntries(words.map(key => [key, all[key]]))), moduleType: 'json' };
  },
});

/** ECMAScript modules and CommonJS, each with its own declarations; only CommonJS for Metro. Returns the libraries that are inside. */
async function bundleLibrary(name: PackageName, entries: Record<string, string>, into: string): Promise<string[]> {
  const source = join(root, name);
  const metro = name === 'react-native';
  const input = Object.fromEntries(
    Object.values(entries).map(file => [nameOf(file), join(source, 'src', file)] as const),
  );
  const build = await rolldown({
    input,
    platform: 'neutral',
    external: [/^react/, /^@?expo[-/]/, /^@firsthand\/sdk(\/\w+)?$/],
    plugins: [imported(metro ? NATIVE_WORD_KEYS : WORD_KEYS)],
    cwd: source,
    // It warns of every directive, also of one that an entry keeps.
    onLog: (level, log, next) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && next(level, log),
  });
  const libraries = new Set<string>();
  const types = await mkdtemp(join(tmpdir(), 'firsthand-types-'));
  await run(process.execPath, [TSC, '-p', join(source, 'tsconfig.pack.json'), '--outDir', types], { cwd: root });
  for (const format of metro ? (['cjs'] as const) : (['esm', 'cjs'] as const)) {
    const dir = metro ? join(into, 'dist') : join(into, 'dist', format);
    const { output } = await build.write({
      dir,
      format,
      entryFileNames: '[name].js',
      chunkFileNames: 'shared-[hash].js',
      // The declarations have them.
      comments: !metro,
    });
    collect(output, libraries);
    if (metro) await dropIndentation(output, dir);
    await cp(join(types, name, 'src'), dir, { recursive: true });
    // Public declarations name the state of the controller that both packages have inside.
    if (metro) await cp(join(types, 'react/src/controller.d.ts'), join(dir, 'controller.d.ts'));
    await nameCompiledFiles(dir);
  }
  if (name === 'react') await cp(join(source, 'src', 'styles.css'), join(into, 'dist', 'styles.css'));
  if (metro) await cp(join(source, 'app.plugin.cjs'), join(into, 'app.plugin.js'));
  await build.close();
  await rm(types, { recursive: true });
  if (!metro) await writeFile(join(into, 'dist', 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
  return [...libraries].sort();
}

/** A tenth of the bytes of an app's bundle. Lines and names stay, so that an error says where it is. */
async function dropIndentation(output: readonly (OutputChunk | OutputAsset)[], dir: string): Promise<void> {
  for (const chunk of output)
    if (chunk.type === 'chunk') await writeFile(join(dir, chunk.fileName), chunk.code.replace(/^\t+/gm, ''));
}

/** One program with everything inside, so that npm fetches a single package. */
async function bundleProgram(source: string, into: string): Promise<string[]> {
  const build = await rolldown({ input: { main: join(source, 'src/main.ts') }, platform: 'node', cwd: source });
  const { output } = await build.write({
    dir: join(into, 'dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    banner: chunk => (chunk.isEntry ? '#!/usr/bin/env node' : ''),
  });
  await build.close();
  await chmod(join(into, 'dist', 'main.js'), 0o755);
  const pictures = join(source, 'pictures');
  if (existsSync(pictures)) await cp(pictures, join(into, 'pictures'), { recursive: true });
  const libraries = new Set<string>();
  collect(output, libraries);
  return [...libraries].sort();
}

/** Adds the libraries whose modules are in the bundle. */
function collect(output: readonly (OutputChunk | OutputAsset)[], libraries: Set<string>): void {
  for (const chunk of output) {
    if (chunk.type !== 'chunk') continue;
    for (const module of chunk.moduleIds) {
      const library = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(module)?.[1];
      if (library) libraries.add(library);
    }
  }
}

/** The declarations still import the sources: `./errors.ts` becomes `./errors.js`. */
async function nameCompiledFiles(folder: string): Promise<void> {
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith('.d.ts')) continue;
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    const own = text.replace(/(['"])@firsthand\/react\/(controller)\.ts\1/g, '$1./$2.ts$1');
    await writeFile(path, own.replace(/(['"])(\.{1,2}\/[^'"]+)\.tsx?\1/g, '$1$2.js$1'));
  }
}

const exportsOf = (name: PackageName, entries: Record<string, string>) => ({
  ...Object.fromEntries(
    Object.entries(entries).map(([name, file]) => {
      const in_ = (folder: string) => ({
        types: `./dist/${folder}/${nameOf(file)}.d.ts`,
        default: `./dist/${folder}/${nameOf(file)}.js`,
      });
      return [name, { import: in_('esm'), require: in_('cjs') }];
    }),
  ),
  ...(name === 'react' ? { './styles.css': './dist/styles.css' } : {}),
  './package.json': './package.json',
});

/** For compilers and bundlers that read no `exports`, such as TypeScript with `moduleResolution: node10`. */
const withoutExports = (entries: Record<string, string>) => {
  const subpaths = Object.entries(entries).filter(([name]) => name !== '.');
  const declarations = subpaths.map(([name, file]) => [name.slice(2), [`./dist/cjs/${nameOf(file)}.d.ts`]]);
  return {
    main: './dist/cjs/index.js',
    types: './dist/cjs/index.d.ts',
    ...(subpaths.length > 0 ? { typesVersions: { '*': Object.fromEntries(declarations) } } : {}),
  };
};

async function writeManifest(into: string, manifest: Manifest, more: Record<string, unknown>): Promise<void> {
  const { name, version, description, keywords, engines, peerDependencies } = manifest;
  // A program has its own inside.
  const own =
    'bin' in more
      ? []
      : Object.entries(manifest.dependencies ?? {}).filter(([dependency]) => dependency.startsWith('@firsthand/'));
  const published = {
    name,
    version,
    description,
    keywords,
    license: 'Apache-2.0',
    type: 'module',
    engines,
    ...more,
    ...(own.length > 0 ? { dependencies: Object.fromEntries(own.map(([to]) => [to, `^${version}`])) } : {}),
    ...(peerDependencies ? { peerDependencies } : {}),
    files: ['dist', 'pictures', 'app.plugin.js', 'NOTICES.txt'],
    publishConfig: { access: 'public', provenance: true },
  };
  await writeFile(join(into, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
}

/** The licences of the libraries that are inside the bundles. */
async function writeNotices(into: string, libraries: readonly string[]): Promise<void> {
  const texts = await Promise.all(
    libraries.map(async library => {
      const folder = await folderOf(library);
      const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest & {
        license: string;
      };
      const file = (await readdir(folder)).find(name => /^licen[cs]e/i.test(name));
      const text = file ? await readFile(join(folder, file), 'utf8') : '';
      return `${library} ${version} (${license})\n\n${text.trim()}\n`;
    }),
  );
  if (texts.length > 0) await writeFile(join(into, 'NOTICES.txt'), texts.join('\n----\n\n'));
}

async function folderOf(library: string): Promise<string> {
  for (const workspace of ['sdk', 'cli', 'mcp', 'stamps', 'evidence', '.']) {
    const folder = join(root, workspace, 'node_modules', library);
    if (await readdir(folder).catch(() => null)) return folder;
  }
  throw new Error(`${library} is not installed`);
}

/** Builds one package and packs it as `npm publish` would. Returns the archive, `NAME.tgz` in the folder. */
export async function packPackage(name: PackageName, folder: string): Promise<string> {
  const temporary = await mkdtemp(join(tmpdir(), 'firsthand-pack-'));
  try {
    const built = join(temporary, name);
    await buildPackage(name, built);
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', temporary], { cwd: built });
    const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
    const archive = join(folder, `${name}.tgz`);
    await cp(join(temporary, filename), archive);
    return archive;
  } finally {
    await rm(temporary, { recursive: true });
  }
}

if (import.meta.main) {
  const packages = join(root, 'dist', 'packages');
  await rm(packages, { recursive: true, force: true });
  await mkdir(packages, { recursive: true });
  for (const name of Object.keys(ENTRIES) as PackageName[]) console.log(await packPackage(name, packages));
}
