import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A picture to fit or to judge on: label 1 is a photographed display or print. */
export interface LabelledPicture {
  label: 0 | 1;
  /** Who took it: the owner of the repository it comes from, or of the first of several that share pictures or rooms. Splits keep a source together. */
  source: string;
  /** What `sets.tsv` lists it for; absent for a picture of a manifest. */
  use?: Use;
  name: string;
  read(): Buffer;
}

/**
 * What `sets.tsv` lists a picture for: `report` and, of senders found later, `develop`, a source that the benchmark holds apart in turn; `fit`,
 * genuine pictures that models are fitted on and no number is of; `choose`, genuine pictures that models are fitted on and, their source held
 * apart, thresholds are set on. No fit has seen the others: `held`, genuine ones, on which `doubtful` alone is set; `display-held`, displays and genuine
 * pictures by further senders; `confounder`, genuine ones of things that look like a display (cloth, carpets, tiles, keyboards, facades).
 */
export type Use = 'report' | 'develop' | 'fit' | 'choose' | 'display-held' | 'held' | 'confounder';

/** Longest picture that is read out of a repository, bytes. */
const LARGEST = 64 * 2 ** 20;

const ownerOf = (repository: string): string => repository.split('/')[0] ?? repository;

/** Cells of a table's lines, without its heading. */
export const tableLines = (path: string | URL): string[][] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map(line => line.split('\t'));

/** Classes `camera` and `screen` of a folder's MANIFEST.tsv (class, path, repository ...); none without that file. */
export function manifestPictures(folder: string): LabelledPicture[] {
  const manifest = join(folder, 'MANIFEST.tsv');
  if (!existsSync(manifest)) return [];
  return tableLines(manifest)
    .filter(([kind]) => kind === 'camera' || kind === 'screen')
    .map(([kind, path = '', repository = '']) => ({
      label: kind === 'screen' ? 1 : 0,
      source: ownerOf(repository),
      name: path,
      read: () => readFileSync(join(folder, path)),
    }));
}

/**
 * The pictures of `sets.tsv` for one use, as their commits have them. `folder` holds a clone of each repository, bare or not, at
 * `OWNER/NAME`; one that is not there is an error that names it.
 */
export function listedPictures(folder: string, use: Use): LabelledPicture[] {
  return tableLines(new URL('./sets.tsv', import.meta.url))
    .filter(([of]) => of === use)
    .map(([, label, repository = '', commit = '', path = '', source]) => {
      const clone = join(folder, repository);
      if (!existsSync(clone)) throw new Error(`${folder} holds no clone of ${repository}`);
      return {
        label: label === 'display' ? 1 : 0,
        source: source || ownerOf(repository),
        use,
        name: `${repository}/${path}`,
        read: () => execFileSync('git', ['-C', clone, 'show', `${commit}:${path}`], { maxBuffer: LARGEST }),
      };
    });
}
