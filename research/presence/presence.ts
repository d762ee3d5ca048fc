/**
 * Prints what becomes of camera sessions: attacks and rendered genuine ones, real films, and both over HTTP, beside the aims:
 *
 * npm run bench:presence -- --sessions 0 --service 3 --clones FOLDER --phone 3 --write bench/results/presence.md
 *
 * `--sessions N` of each class are rendered and judged without a service; 0 for none. `--only` takes the classes whose name contains a text; a
 * semicolon separates several. `--tuning` renders the subjects on which bounds were set instead of the reported ones.
 *
 * `--service N` starts a whole service and sends N sessions of each class to it under each policy: challenge, trace, photo, verdict. `--lenient`
 * and `--genuine` replace the number under `lenient`, and that of genuine sessions under `strict`.
 *
 * `--clones FOLDER` measures the real films of `films/films.tsv`: git repositories are cloned into FOLDER where they are missing, and ffmpeg
 * decodes them (any version since 4). `--splits` chooses among `fit,choose,report`; empty for none. `--films` chooses films by name.
 *
 * `--phone N`, with `--clones`: a person whose camera plays a public film answers requests of a whole service in the hosted page, under `strict`,
 * N times for each film that makes the moves.
 *
 * `--json FILE` keeps what was measured. `--from FILES`, separated by commas, adds it to a later run: a class, film or person measured anew
 * replaces the older one.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { examine, type Presence } from '@firsthand/forensics/presence/presence.ts';
import { judgeSession } from '@firsthand/forensics/presence/session.ts';
import type { Session } from '@firsthand/forensics/presence/trace.ts';
import { encodeTrace } from '@firsthand/forensics/simulate/trace-file.ts';
import { startOwnService } from '../../bench/src/own-service.ts';
import { createReport } from '../../bench/src/report.ts';
import { reportAims } from './attacks/aims.ts';
import { classes } from './attacks/classes.ts';
import { type SentRow, sendAll } from './attacks/over-http.ts';
import { type RenderedRow, reportCost, reportRendered, reportSent } from './attacks/report.ts';
import { type Attack, drawMoves, ISSUED } from './attacks/session.ts';
import { tracesOf } from './films/cut.ts';
import { type RealFilm, realFilms } from './films/films.ts';
import { type PersonRow, personWith } from './films/person.ts';
import { type FilmRow, reportFilms, reportPersons } from './films/report.ts';

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string', default: '6' },
    moves: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    tuning: { type: 'boolean', default: false },
    clones: { type: 'string' },
    cache: { type: 'string', default: join(tmpdir(), 'firsthand-films') },
    splits: { type: 'string', default: 'fit,choose,report' },
    service: { type: 'string', default: '0' },
    lenient: { type: 'string' },
    genuine: { type: 'string' },
    phone: { type: 'string', default: '0' },
    films: { type: 'string' },
    json: { type: 'string' },
    from: { type: 'string', default: '' },
    write: { type: 'string' },
  },
});
const FIRST_SEED = options.tuning ? 10_000 : 50_000;
const chosen = classes.filter(({ name }) => options.only.split(';').some(text => name.includes(text)));

interface Measured {
  rows: RenderedRow[];
  films: FilmRow[];
  sent: SentRow[];
  persons: PersonRow[];
}

const before = options.from
  .split(',')
  .filter(Boolean)
  .map(file => JSON.parse(readFileSync(file, 'utf8')) as Measured);

/** What was measured now, after what the latest of the earlier runs measured of the rest. */
function withEarlier<T>(now: readonly T[], of: (run: Measured) => T[], keyOf: (row: T) => string): T[] {
  let rows = [...now];
  for (const run of before.toReversed()) {
    const known = new Set(rows.map(keyOf));
    rows = of(run)
      .filter(row => !known.has(keyOf(row)))
      .concat(rows);
  }
  return rows;
}

/** Judges a session, and measures what a server spends on it: reading the file, the checks, and the pictures for the dashboard. */
async function judged(session: Session | undefined): Promise<{ presence: Presence; cpu_ms: number }> {
  const presence = examine(session);
  if (!session) return { presence, cpu_ms: 0 };
  const { trace, challenge, still, second } = session;
  const file = await encodeTrace(trace, {
    challengeId: 'chl_1',
    moves: challenge.moves,
    header: { began_at: ISSUED },
  });
  const issued = { moves: [...challenge.moves], issuedAt: ISSUED, expiresAt: ISSUED + 120_000 };
  const sent = { file, challenge: { id: 'chl_1', issued, count: 1 } };
  const photo = { picture: still, second, metadata: { thumbnail: false, fields: [], faults: [] } };
  const used = process.cpuUsage();
  await judgeSession({ policy: 'strict', arrivedAt: ISSUED + 9_000, trace: sent }, photo);
  const { user, system } = process.cpuUsage(used);
  return { presence, cpu_ms: (user + system) / 1000 };
}

const rows: RenderedRow[] = [];
const films: FilmRow[] = [];
const sent: SentRow[] = [];
const persons: PersonRow[] = [];

/** Keeps what was measured so far, because a run takes an hour on a slow machine. */
function keep(): void {
  if (options.json) writeFileSync(options.json, `${JSON.stringify({ rows, films, sent, persons }, null, 1)}\n`);
}

for (const { name, make } of Number(options.sessions) > 0 ? chosen : []) {
  for (let i = 0; i < Number(options.sessions); i++) {
    const seed = FIRST_SEED + i;
    rows.push({ name, seed, ...(await judged(await make(seed, drawMoves(seed, Number(options.moves))))) });
  }
  keep();
  process.stderr.write('.');
}

if (options.clones) {
  for (const film of chosenFilms(options.splits.split(','))) {
    for await (const { session, moved } of tracesOf(film, options.clones, options.cache))
      films.push({ film, moved, ...(await judged(session)) });
    keep();
    process.stderr.write('.');
  }
}

if (Number(options.service) > 0) {
  const { service, lenient = service, genuine = service } = options;
  const counts = { strict: Number(service), lenient: Number(lenient), genuine: Number(genuine) };
  // A photo counts once in an account, so no two classes share a subject.
  const firstSeedOf = (attack: Attack): number => FIRST_SEED + 100 * classes.indexOf(attack);
  await sendAll(chosen, counts, firstSeedOf, row => {
    sent.push(row);
    keep();
    process.stderr.write(`${row.policy}, ${row.name}: presence ${row.presence}, ${row.label}\n`);
  });
}

if (options.clones && Number(options.phone) > 0) {
  const service = await startOwnService({ ANALYSIS_THREADS: '1' });
  try {
    // The true times of a burst are unknown, so no camera can play it.
    for (const film of chosenFilms().filter(({ rate }) => !rate || Number(rate) >= 15))
      for await (const row of personWith(film, Number(options.phone), service, options.clones, options.cache)) {
        persons.push(row);
        keep();
        process.stderr.write(`${film.name}, ${row.moves.join(' ')}: ${row.presence?.result}, ${row.label}\n`);
      }
  } finally {
    await service.close();
  }
}
printAll({
  rows: withEarlier(
    rows,
    run => run.rows,
    ({ name }) => name,
  ),
  films: withEarlier(
    films,
    run => run.films,
    ({ film }) => film.name,
  ),
  sent: withEarlier(
    sent,
    run => run.sent,
    ({ name }) => name,
  ),
  persons: withEarlier(
    persons,
    run => run.persons,
    ({ film }) => film.name,
  ),
});

function printAll({ rows, films, sent, persons }: Measured): void {
  const report = createReport('Camera sessions: who passes');
  const { print } = report;
  print('Rendered sessions and real films are different worlds. No table mixes them.');
  reportAims({ films, persons, sent }, classes, print);
  if (films.length > 0) {
    print('\n## Real films\n');
    reportFilms(films, print);
    reportCost('a real trace', films, print);
  }
  if (persons.length > 0) {
    print('\n## A person in the page, with a public film before the camera\n');
    reportPersons(persons, print);
  }
  if (sent.length > 0) reportSent(sent, classes, print);
  if (rows.length > 0) {
    reportRendered(rows, classes, options.moves, print);
    reportCost('a rendered session', rows, print);
  }
  print(`\n${readFileSync(new URL('./attacks/remarks.md', import.meta.url), 'utf8').trim()}`);
  report.write(options.write);
}

/** The films that were chosen by name, of some splits or of all. */
function chosenFilms(splits?: readonly string[]): RealFilm[] {
  const names = options.films?.split(',');
  return realFilms().filter(
    ({ name, split }) => (!splits || splits.includes(split)) && (!names || names.includes(name)),
  );
}
