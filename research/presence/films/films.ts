import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A public film, or a series of pictures, as a line of `films.tsv` or `displays.tsv` names it. */
export interface RealFilm {
  name: string;
  /** Bounds are set on `fit`, chosen between on `choose`; `report` is looked at once, at the end. All films of a repository share one. */
  split: 'fit' | 'choose' | 'report';
  /** Depth of the scene: `near` has depth within reach of a hand's movement, `far` hardly any, `flat` is one plane, `display` one that is lit. Set by eye. */
  scene: 'near' | 'far' | 'flat' | 'display';
  repository: string;
  commit: string;
  path: string;
  /** First and last number and the step between them, for a series whose path holds `%d`. */
  numbers: string;
  /** Pictures a second of a series. Below 20 the series is a burst, and its true times are unknown. */
  rate: string;
  sha256: string;
  licence: string;
}

export function realFilms(list: 'films.tsv' | 'displays.tsv' = 'films.tsv'): RealFilm[] {
  const [head, ...lines] = readFileSync(new URL(`./${list}`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const names = head!.split('\t');
  return lines.map(line => {
    const cells = line.split('\t');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])) as unknown as RealFilm;
  });
}

/** Returns the paths of a series, or the film's own. */
export function pathsOf({ path, numbers }: Pick<RealFilm, 'path' | 'numbers'>): string[] {
  if (!numbers) return [path];
  const [range, step = '1'] = numbers.split('/');
  const [from, to] = range!.split('-').map(Number);
  const paths: string[] = [];
  for (let i = from!; i <= to!; i += Number(step))
    paths.push(path.replace(/%(?:0(\d))?d/, (_, width) => String(i).padStart(Number(width ?? 0), '0')));
  return paths;
}

/**
 * Returns the files of a film, from a bare clone that is made where it is missing. Checks the SHA-256 of all of them one after the other.
 * A picture that the repository lacks is left out of its series.
 */
export function filesOf(film: RealFilm, clones: string): Buffer[] {
  const clone = join(clones, film.repository.replace('/', '+'));
  if (!existsSync(clone)) {
    const address = `https://github.com/${film.repository}`;
    execFileSync('git', ['clone', '--quiet', '--bare', '--filter=blob:none', address, clone], { stdio: 'inherit' });
  }
  const files = pathsOf(film).flatMap(path => {
    const shown = spawnSync('git', ['-C', clone, 'show', `${film.commit}:${path}`], { maxBuffer: 1 << 28 });
    return shown.status === 0 && shown.stdout.length > 0 ? [shown.stdout] : [];
  });
  const hash = createHash('sha256');
  for (const file of files) hash.update(file);
  const found = hash.digest('hex');
  if (film.sha256 && found !== film.sha256) throw new Error(`${film.name}: SHA-256 is ${found}, not ${film.sha256}`);
  return files;
}

/** Writes a film's only file into a folder, because the decoder must be able to seek in it. Returns its path. */
export function fileOf(film: RealFilm, clones: string, folder: string): string {
  const to = join(folder, `${film.name}.film`);
  if (existsSync(to)) return to;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${to}.part`, filesOf(film, clones)[0]!);
  renameSync(`${to}.part`, to);
  return to;
}
