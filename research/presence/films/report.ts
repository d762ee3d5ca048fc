import type { CheckName, Presence } from '@firsthand/forensics/presence/presence.ts';
import { presenceBand } from '@firsthand/forensics/presence/presence.ts';
import { wilson } from '../../../bench/src/detection/statistics.ts';
import type { RealFilm } from './films.ts';
import type { PersonRow } from './person.ts';

export interface FilmRow {
  film: RealFilm;
  moved: boolean;
  presence: Presence;
  cpu_ms: number;
}

type Print = (line?: string) => void;

const CHECKS: readonly CheckName[] = ['fresh', 'continuous', 'asked', 'depth', 'sensor', 'light'];

/** Prints what the checks say of real films: rates by scene, then each check, then each film. */
export function reportFilms(rows: readonly FilmRow[], print: Print): void {
  const splits = (['fit', 'choose', 'report'] as const).filter(split => rows.some(({ film }) => film.split === split));
  print(
    '| films | sources | films | traces | moved enough | answered by `depth` | passed | refused | doubtful or worse, strict | lenient |',
  );
  print('|---|---|---|---|---|---|---|---|---|---|');
  for (const split of splits)
    for (const scene of ['near', 'far', 'flat'] as const) {
      const all = rows.filter(({ film }) => film.split === split && film.scene === scene);
      if (all.length === 0) continue;
      const moved = all.filter(row => row.moved);
      const cells = [
        `${split}, ${scene}`,
        new Set(all.map(({ film }) => film.repository)).size,
        new Set(all.map(({ film }) => film.name)).size,
        all.length,
        moved.length,
        rate(moved, ({ presence }) => presence.checks.depth?.evaluated === true),
        rate(moved, ({ presence }) => presence.result === 'passed'),
        rate(moved, ({ presence }) => presenceBand(presence, 'lenient') === 'confident'),
        rate(moved, ({ presence }) => presenceBand(presence, 'strict') !== 'clear'),
        rate(moved, ({ presence }) => presenceBand(presence, 'lenient') !== 'clear'),
      ];
      print(`| ${cells.join(' | ')} |`);
    }
  print(
    '\nRates are of the traces that moved enough, with their 95% interval (Wilson). Traces of one film resemble each other, so the true intervals are wider.\n',
  );

  print('| check, all scenes, moved enough | split | passed | failed | no answer |\n|---|---|---|---|---|');
  for (const name of CHECKS)
    for (const split of splits) {
      const list = rows.filter(({ film, moved }) => film.split === split && moved);
      const of = (passed: boolean): number =>
        list.filter(({ presence }) => presence.checks[name]?.evaluated && presence.checks[name].passed === passed)
          .length;
      print(`| ${name} | ${split} | ${of(true)} | ${of(false)} | ${list.length - of(true) - of(false)} |`);
    }

  print(
    '\n| film | split | scene | traces | moved enough | passed | inconclusive | failed | why not |\n|---|---|---|---|---|---|---|---|---|',
  );
  for (const name of new Set(rows.map(({ film }) => film.name))) {
    const list = rows.filter(({ film }) => film.name === name);
    const { split, scene } = list[0]!.film;
    const of = (result: string): number => list.filter(({ presence }) => presence.result === result).length;
    const cells = [
      name,
      split,
      scene,
      list.length,
      list.filter(({ moved }) => moved).length,
      of('passed'),
      of('inconclusive'),
      of('failed'),
      reasons(list) || 'none',
    ];
    print(`| ${cells.join(' | ')} |`);
  }
}

/** Prints how each try of a person ended, and the rates by scene. */
export function reportPersons(rows: readonly PersonRow[], print: Print): void {
  print(
    '| film | scene | moves asked | presence | verdict | the moves took | why not |\n|---|---|---|---|---|---|---|',
  );
  for (const { film, moves, presence, label, seconds } of rows) {
    const why = CHECKS.flatMap(name => {
      const check = presence?.checks[name];
      return check && (check.passed === false || (needed(name) && !check.evaluated)) ? [`${name}: ${check.words}`] : [];
    });
    const took = seconds === undefined ? '' : `${seconds.toFixed(1)} s`;
    const cells = [film.name, film.scene, moves.join(', '), presence?.result ?? 'none', label, took];
    print(`| ${[...cells, why.join(' ') || 'none'].join(' | ')} |`);
  }
  print();
  for (const scene of ['near', 'far', 'flat'] as const) {
    const list = rows.filter(({ film }) => film.scene === scene);
    if (list.length === 0) continue;
    const passed = list.filter(({ presence }) => presence?.result === 'passed').length;
    const [low, high] = wilson(passed, list.length);
    const films = new Set(list.map(({ film }) => film.name)).size;
    const interval = `${low.toFixed(2)} to ${high.toFixed(2)}`;
    print(`- ${scene}: ${passed} of ${list.length} tries with ${films} films got through (${interval}).`);
  }
}

const needed = (name: CheckName): boolean => !['sensor', 'hand', 'light'].includes(name);

function rate(list: readonly FilmRow[], holds: (row: FilmRow) => boolean): string {
  const count = list.filter(holds).length;
  const [low, high] = wilson(count, list.length);
  return list.length === 0 ? 'none' : `${count} of ${list.length} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

/** The checks that kept traces from passing, and how often each did. */
function reasons(list: readonly FilmRow[]): string {
  return CHECKS.flatMap(name => {
    const failed = list.filter(({ presence }) => presence.checks[name]?.passed === false).length;
    const silent = needed(name) ? list.filter(({ presence }) => !presence.checks[name]?.evaluated).length : 0;
    return [...(failed ? [`${name} failed ${failed}`] : []), ...(silent ? [`${name} silent ${silent}`] : [])];
  }).join(', ');
}
