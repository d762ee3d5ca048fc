import { presenceBand } from '@firsthand/forensics/presence/presence.ts';
import { upperBound, wilson } from '../../../bench/src/detection/statistics.ts';
import type { PersonRow } from '../films/person.ts';
import type { FilmRow } from '../films/report.ts';
import type { SentRow } from './over-http.ts';
import { costOf } from './report.ts';
import type { Attack } from './session.ts';

interface Measured {
  films: readonly FilmRow[];
  persons: readonly PersonRow[];
  sent: readonly SentRow[];
}

/** Processor time of a trace at most, ms, and time in which a person makes the moves, seconds. */
const MOST_MS = 400;
const MOST_SECONDS = 5;

/**
 * Prints every aim that this bench can measure, beside what was measured. An aim is met or not met where the interval leaves no other answer, and
 * `not shown` where too few were measured.
 */
export function reportAims(
  { films, persons, sent }: Measured,
  classes: readonly Attack[],
  print: (line?: string) => void,
): void {
  print('\n## Aims\n');
  const table = (first: string): void => print(`| ${first} | measured (95%) | result |\n|---|---|---|`);
  const line = (aim: string, measured: string, met: string): void => print(`| ${aim} | ${measured} | ${met} |`);
  if (films.length + persons.length > 0) table('aim, with real films');
  const near = films.filter(({ film, moved }) => film.split === 'report' && film.scene === 'near' && moved);
  const traces = (aim: string, bound: number, least: boolean, holds: (row: FilmRow) => boolean): void => {
    if (near.length > 0)
      line(`${aim} (near, moved enough)`, ...judged(near.filter(holds).length, near.length, bound, least));
  };
  traces(
    'genuine traces answered by `depth`: at least 0.85',
    0.85,
    true,
    row => row.presence.checks.depth?.evaluated === true,
  );
  traces(
    'genuine traces refused: at most 0.5%',
    0.005,
    false,
    row => presenceBand(row.presence, 'lenient') === 'confident',
  );
  traces(
    'genuine traces doubtful under `lenient`: at most 2%',
    0.02,
    false,
    row => presenceBand(row.presence, 'lenient') !== 'clear',
  );
  if (films.length > 0) {
    const [median, most] = [costOf(films, 0.5), costOf(films, 0.95)];
    line(
      `processor time of a trace, with decoding and the dashboard’s pictures: at most ${MOST_MS} ms`,
      `median ${median} ms, 95% within ${most} ms`,
      median <= MOST_MS ? 'met' : 'not met',
    );
  }
  const tries = persons.filter(({ film }) => film.scene === 'near');
  if (tries.length > 0) {
    const through = tries.filter(({ presence }) => presence?.result === 'passed').length;
    line(
      'a person with the fake camera gets through on the first try (near films in the page)',
      ...judged(through, tries.length, 1, true),
    );
    const done = persons.filter(({ seconds }) => seconds !== undefined);
    const quick = done.filter(({ seconds }) => seconds! <= MOST_SECONDS).length;
    line(`nine of ten make the moves in ${MOST_SECONDS} s`, ...judged(quick, done.length, 0.9, true));
  }
  if (sent.length > 0) {
    print();
    table('rendered session, over HTTP: verified under `strict`, attacks at most 5%');
  }
  for (const { name, kind } of classes) {
    const list = sent.filter(row => row.name === name && row.policy === 'strict');
    if (list.length === 0) continue;
    const count = list.filter(({ label }) => label === 'verified').length;
    if (kind === 'genuine') line(name, shareOf(count, list.length), 'no aim');
    else line(name, ...judged(count, list.length, 0.05, false));
  }
  print('\n`not shown`: nothing speaks against the aim, but too few were measured to say that it is met.');
}

const shareOf = (count: number, of: number): string => {
  const [low, high] = wilson(count, of);
  return `${count} of ${of} (${low.toFixed(2)} to ${high.toFixed(2)})`;
};

/** The share beside its interval, and what it says of a bound: at least, or at most. */
function judged(count: number, of: number, bound: number, least: boolean): [measured: string, met: string] {
  const holds = least ? count >= bound * of : count <= bound * of;
  const shown = least ? wilson(count, of)[0] >= bound : upperBound(count, of) <= bound;
  return [shareOf(count, of), !holds ? 'not met' : shown ? 'met' : 'not shown'];
}
