/**
 * Prints what becomes of camera sessions: attacks and rendered genuine ones, real films, and both over HTTP:
 *
 * npm run bench:presence -- [--sessions N] [--moves N] [--only TEXT] [--tuning] [--clones FOLDER] [--cache FOLDER] [--splits LIST]
 * [--service N] [--phone N] [--json OUT] [--write FILE]
 *
 * N sessions of each class are rendered; 0 for none. `--only` runs the classes whose name contains TEXT; a semicolon separates several. `--tuning` renders the subjects on
 * which bounds were set instead of the reported ones.
 *
 * `--clones` measures the real films of `films/films.tsv`: git repositories are cloned into FOLDER where they are missing, and ffmpeg decodes
 * them (any version since 4). `--splits` chooses among `fit,choose,report`.
 *
 * `--service N` starts a whole service and sends N sessions of each class to it under each policy: challenge, trace, photo, verdict.
 *
 * `--phone N`, with `--clones`: a person whose camera plays a public film answers requests of a whole service in the hosted page, under `strict`,
 * N times for each film that makes the moves. `--films` chooses films by name.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CheckName, examine, type Presence, presenceBand } from '@firsthand/forensics/presence/presence.ts';
import type { Session } from '@firsthand/forensics/presence/trace.ts';
import { classes } from './attacks/classes.ts';
import { type SentRow, sendAll } from './attacks/over-http.ts';
import { drawMoves } from './attacks/session.ts';
import { wilson } from './detection/statistics.ts';
import { tracesOf } from './films/cut.ts';
import { type RealFilm, realFilms } from './films/films.ts';
import { type PersonRow, personWith } from './films/person.ts';
import { type FilmRow, reportFilms, reportPersons } from './films/report.ts';
import { startOwnService } from './own-service.ts';
import { createReport } from './report.ts';

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
    phone: { type: 'string', default: '0' },
    films: { type: 'string' },
    json: { type: 'string' },
    write: { type: 'string' },
  },
});
const FIRST_SEED = options.tuning ? 10_000 : 50_000;
const CHECKS: readonly CheckName[] = ['fresh', 'continuous', 'asked', 'depth', 'sensor', 'hand', 'light'];
const chosen = classes.filter(({ name }) => options.only.split(';').some(text => name.includes(text)));

interface Row {
  name: string;
  seed: number;
  presence: Presence;
  cpu_ms: number;
}

function judged(session: Session | undefined): { presence: Presence; cpu_ms: number } {
  const used = process.threadCpuUsage();
  const presence = examine(session);
  const { user, system } = process.threadCpuUsage(used);
  return { presence, cpu_ms: (user + system) / 1000 };
}

const report = createReport('Camera sessions: who passes');

const rows: Row[] = [];
for (const { name, make } of chosen) {
  for (let i = 0; i < Number(options.sessions); i++) {
    const seed = FIRST_SEED + i;
    rows.push({ name, seed, ...judged(await make(seed, drawMoves(seed, Number(options.moves)))) });
  }
  process.stderr.write('.');
}
if (rows.length > 0) reportRendered();

const films: FilmRow[] = [];
if (options.clones && options.phone === '0') {
  for (const film of chosenFilms()) {
    for await (const { session, moved } of tracesOf(film, options.clones, options.cache))
      films.push({ film, moved, ...judged(session) });
    process.stderr.write('.');
  }
  report.print('\n## Real films\n');
  reportFilms(films, report.print);
  reportCost('a real trace', films);
}

const sent: SentRow[] = [];
if (Number(options.service) > 0) {
  await sendAll(chosen, Number(options.service), FIRST_SEED, row => {
    sent.push(row);
    process.stderr.write(`${row.policy}, ${row.name}: presence ${row.presence}, ${row.label}\n`);
  });
  reportSent();
}

const persons: PersonRow[] = [];
if (options.clones && Number(options.phone) > 0) {
  const service = await startOwnService({ ANALYSIS_THREADS: '1' });
  try {
    // The true times of a burst are unknown, so no camera can play it.
    for (const film of chosenFilms().filter(({ rate }) => !rate || Number(rate) >= 15))
      for await (const row of personWith(film, Number(options.phone), service, options.clones, options.cache)) {
        persons.push(row);
        process.stderr.write(`${film.name}, ${row.moves.join(' ')}: ${row.presence?.result}, ${row.label}\n`);
      }
  } finally {
    await service.close();
  }
  report.print('\n## A person in the page, with a public film before the camera\n');
  reportPersons(persons, report.print);
}

report.write(options.write);
if (options.json) writeFileSync(options.json, `${JSON.stringify({ rows, films, sent, persons }, null, 1)}\n`);

function chosenFilms(): RealFilm[] {
  const splits = options.splits.split(',');
  const names = options.films?.split(',');
  return realFilms().filter(({ name, split }) => splits.includes(split) && (!names || names.includes(name)));
}

function reportRendered(): void {
  report.print('\n## Rendered sessions\n');
  report.print(
    `${options.moves} moves asked. Subjects, cameras, displays and hands are rendered; no phone was held.\n`,
  );
  report.print(
    '| session | kind | number | passed | failed | inconclusive or not performed | clear under `strict` (95%) | clear under `lenient` (95%) | failed checks |',
  );
  report.print('|---|---|---|---|---|---|---|---|---|');
  for (const { name, kind } of chosen) {
    const list = rows.filter(row => row.name === name);
    const result = (result: string): number => list.filter(({ presence }) => presence.result === result).length;
    const clear = (policy: 'strict' | 'lenient'): string => {
      const count = list.filter(({ presence }) => presenceBand(presence, policy) === 'clear').length;
      const [low, high] = wilson(count, list.length);
      return `${count} (${low.toFixed(2)} to ${high.toFixed(2)})`;
    };
    const cells = [
      name,
      kind,
      list.length,
      result('passed'),
      result('failed'),
      result('inconclusive') + result('not_performed'),
      clear('strict'),
      clear('lenient'),
      failures(list) || 'none',
    ];
    report.print(`| ${cells.join(' | ')} |`);
  }
  reportCost('a rendered session', rows);
}

function reportSent(): void {
  report.print('\n## Over HTTP\n');
  report.print(
    'The same classes sent to a whole service, which draws the moves. Rates of `verified`, with their 95% interval (Wilson).\n',
  );
  report.print(
    '| session | number for each policy | verified under `strict` | presence | verified under `lenient` | presence |',
  );
  report.print('|---|---|---|---|---|---|');
  for (const { name } of chosen) {
    const cells = (['strict', 'lenient'] as const).flatMap(policy => {
      const list = sent.filter(row => row.name === name && row.policy === policy);
      const count = list.filter(({ label }) => label === 'verified').length;
      const [low, high] = wilson(count, list.length);
      return [`${count} (${low.toFixed(2)} to ${high.toFixed(2)})`, counted(list.map(({ presence }) => presence))];
    });
    report.print(`| ${[name, options.service, ...cells].join(' | ')} |`);
  }
}

function counted(words: readonly string[]): string {
  return [...new Set(words)].map(word => `${word} ${words.filter(other => other === word).length}`).join(', ');
}

function reportCost(name: string, list: readonly { cpu_ms: number }[]): void {
  const costs = list.flatMap(({ cpu_ms }) => (cpu_ms > 1 ? [cpu_ms] : [])).sort((a, b) => a - b);
  const at = (share: number): number => Math.round(costs[Math.floor(share * (costs.length - 1))] ?? 0);
  report.print(`\nProcessor time of ${name}: median ${at(0.5)} ms, 95% within ${at(0.95)} ms.`);
}

function failures(list: Row[]): string {
  return CHECKS.map(name => {
    const count = list.filter(({ presence: { checks } }) => checks[name]?.evaluated && !checks[name].passed).length;
    return count > 0 ? `${name} ${count}` : '';
  })
    .filter(Boolean)
    .join(', ');
}
