import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Snapshot } from './kept-apart.ts';

/** A picture for fitting or evaluation. Label 1: a photographed display or print. */
export interface LabelledPicture {
  label: 0 | 1;
  /**
   * Who took it: the owner of the repository, or of the first of several repositories that share pictures or rooms. Splits never divide a
   * source.
   */
  source: string;
  /** The use given in `sets.tsv`; absent for a picture of a manifest. */
  use?: Use;
  name: string;
  read(): Buffer;
}

/**
 * The use of a picture in `sets.tsv`. `report`: its source is held out in turn by the benchmark; `develop`: the same for senders found
 * later. `fit`: genuine pictures only for fitting, in no reported number. `choose`: genuine pictures for fitting and, with their source
 * held out, for thresholds. No fit uses the remaining ones. `held`: genuine pictures that set only the calibration and thresholds.
 * `display-held`: displays and genuine pictures by other senders. `genuine-held`: genuine pictures of every kind, by yet others. `confounder`:
 * genuine pictures of objects that look like a display (cloth, carpets, tiles, keyboards, facades). `further`: displays and genuine pictures, many
 * of them such objects; the network of the appearance is trained on all, the rest of the model is fitted on the genuine ones. `further-held`: the same by
 * other people, for calibration and thresholds. `next`: displays and genuine pictures, many of paper, cards and books; the network is trained on those by
 * {@link NEXT_FITTED}. `flat`: more of these, for the network; `flat-held`: by other people.
 */
export type Use =
  | 'report'
  | 'develop'
  | 'fit'
  | 'choose'
  | 'display-held'
  | 'genuine-held'
  | 'held'
  | 'confounder'
  | 'further'
  | 'further-held'
  | 'next'
  | 'flat'
  | 'flat-held';

/** The people of `next` whose pictures the network of the appearance is trained on. Those of the others set weights and thresholds. */
export const NEXT_FITTED: ReadonlySet<string> = new Set(
  'harbaum LiveSalton PDA-UR g1sbi sz3 circle11111 nand2mario tmikonen andrewdcampbell rotemabend'.split(' '),
);

/** Largest picture that is read from a repository, in bytes. */
const LARGEST = 64 * 2 ** 20;

/** The pictures by repository, commit and path. */
export const LIST = new URL('../../../research/screen/sets.tsv.gz', import.meta.url);

const ownerOf = (repository: string): string => repository.split('/')[0] ?? repository;

/** Returns the cells of a table, which may be compressed, line by line, without the heading. */
export const tableLines = (path: string | URL): string[][] =>
  (String(path).endsWith('.gz') ? gunzipSync(readFileSync(path)).toString() : readFileSync(path, 'utf8'))
    .trim()
    .split('\n')
    .slice(1)
    .map(line => line.split('\t'));

/** Lists the classes `camera` and `screen` of a folder's MANIFEST.tsv (class, path, repository ...); empty without that file. */
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

/** Lists the repositories of `sets.tsv` for one use, one entry per picture. */
export function listedSnapshots(use: Use): Snapshot[] {
  return tableLines(LIST)
    .filter(([of]) => of === use)
    .map(([, , repository = '', commit = '']) => ({ repository, commit }));
}

/**
 * Lists the pictures of `sets.tsv` for one use, at their commits. `folder` holds a clone of each repository, bare or not, at `OWNER/NAME`.
 * Throws an error that names a missing clone, or leaves its pictures out with `missing: 'leave out'`.
 */
export function listedPictures(
  folder: string,
  use: Use,
  { missing = 'throw' }: { missing?: 'throw' | 'leave out' } = {},
): LabelledPicture[] {
  return tableLines(LIST)
    .filter(([of]) => of === use)
    .filter(([, , repository = '']) => missing === 'throw' || existsSync(join(folder, repository)))
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
