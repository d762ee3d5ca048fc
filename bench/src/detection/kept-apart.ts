import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A repository at the commit whose pictures are read. */
export interface Snapshot {
  repository: string;
  commit: string;
}

const PICTURE = /\.(jpe?g|png|webp|hei[cf]|avif|tiff?|bmp)$/i;

/** Largest output of one git command, in bytes. */
const LARGEST = 512 * 2 ** 20;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Reads SHA-256 sums, one per line, of pictures kept apart for judging the detectors. Lines that begin with # are comments. */
export function readKeptApart(path: string): Set<string> {
  const sums = readFileSync(path, 'utf8')
    .split('\n')
    .map(line => line.trim().split(/\s+/)[0] ?? '')
    .filter(line => line !== '' && !line.startsWith('#'));
  const wrong = sums.find(sum => !/^[0-9a-f]{64}$/.test(sum));
  if (wrong) throw new Error(`${path}: ${wrong} is not a SHA-256 sum`);
  return new Set(sums);
}

/** Returns the repositories with at least one picture that is kept apart, whether or not it is the one to be read. */
export function repositoriesKeptApart(folder: string, snapshots: Snapshot[], keptApart: ReadonlySet<string>): string[] {
  const distinct = new Map(snapshots.map(one => [`${one.repository} ${one.commit}`, one]));
  const hit = [...distinct.values()].filter(({ repository, commit }) => {
    const clone = join(folder, repository);
    if (!existsSync(clone)) return false;
    const git = (...args: string[]): Buffer =>
      execFileSync('git', ['-C', clone, ...args], { maxBuffer: LARGEST, stdio: ['ignore', 'pipe', 'ignore'] });
    const blobs = git('ls-tree', '-r', '-z', commit)
      .toString()
      .split('\0')
      .filter(line => PICTURE.test(line))
      .map(line => line.split(/\s/)[2] ?? '');
    // A partial clone lacks some of its files; those cannot be measured either.
    const present = (blob: string): boolean => {
      try {
        return git('cat-file', '-e', blob).length === 0;
      } catch {
        return false;
      }
    };
    return blobs.some(blob => present(blob) && keptApart.has(sha256(git('cat-file', 'blob', blob))));
  });
  return [...new Set(hit.map(({ repository }) => repository))];
}

/**
 * Throws an error if a picture to be measured is kept apart for judging, or comes from a repository that holds such a picture. `folder`
 * holds the clones of the snapshots.
 */
export function refuseKeptApart(
  path: string,
  pictures: { name: string; read(): Uint8Array }[],
  folder = '',
  snapshots: Snapshot[] = [],
): void {
  const keptApart = readKeptApart(path);
  const faults = [
    ...repositoriesKeptApart(folder, snapshots, keptApart),
    ...pictures.filter(({ read }) => keptApart.has(sha256(read()))).map(({ name }) => name),
  ];
  if (faults.length > 0)
    throw new Error(`Kept apart for judging (${path}), so not to be measured or fitted on: ${faults.join(', ')}`);
}
