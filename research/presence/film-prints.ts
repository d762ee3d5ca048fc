/**
 * Prints how well a film is known again that is sent a second time, and what that costs:
 *
 * npm run bench:films -- --rendered 24 --clones FOLDER --hands 5000 --filed 100000 --write bench/results/film-prints.md
 *
 * `--rendered N` renders N sessions. `--clones FOLDER` cuts the public films of `films/films.tsv` into traces (`bench:presence` says how).
 * Each is copied in every way of `simulate/copies.ts` and compared with its copies, and with all other films.
 *
 * `--hands N` compares the ways of N simulated hands, without pictures. `--filed N` files N of them in the database of a service of its own and
 * times the look-up beside a bare probe of the same index.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { random } from '@firsthand/forensics/pixels/random.ts';
import type { TraceFrame } from '@firsthand/forensics/presence/trace.ts';
import { drawFilm, drawSensor, drawStage, handWay } from '@firsthand/forensics/simulate/film.ts';
import { createReport } from '../../bench/src/report.ts';
import { drawMoves } from './attacks/session.ts';
import { tracesOf } from './films/cut.ts';
import { realFilms } from './films/films.ts';
import { type Filmed, measureCopies, reportCopies, reportPairs } from './prints/copies.ts';
import { reportHands } from './prints/hands.ts';
import { reportLookup } from './prints/lookup.ts';

const { values: options } = parseArgs({
  options: {
    rendered: { type: 'string', default: '24' },
    clones: { type: 'string' },
    cache: { type: 'string', default: '/tmp/firsthand-films' },
    hands: { type: 'string', default: '5000' },
    filed: { type: 'string', default: '0' },
    write: { type: 'string' },
  },
});
/** Not among the seeds on which bounds were set (0 to 10,000). */
const FIRST_SEED = 70_000;

const report = createReport('Films that are sent again');
const films: Filmed[] = [];
const add = async (source: string, scene: string, frames: readonly TraceFrame[], others = {}): Promise<void> => {
  films.push(await measureCopies(source, scene, frames, others));
  process.stderr.write('.');
};

for (let seed = FIRST_SEED; seed < FIRST_SEED + Number(options.rendered); seed++) {
  // Two sessions of each phone, hand and scene: every second one makes the same moves again.
  const subject = seed - (seed % 2);
  const [stage, sensor] = [drawStage(subject), drawSensor(subject)];
  const way = handWay(drawMoves(subject, 2), random(seed));
  const { trace } = await drawFilm({ stage, way, sensor: { ...sensor, seed } });
  const other = await drawFilm({ stage, way, sensor: { ...sensor, seed: seed + 1_000 }, frames: 27 });
  await add('rendered', String(subject), trace.frames, {
    'other frames of the same video (27 for 20)': other.trace.frames,
  });
}
for (const film of options.clones ? realFilms() : []) {
  for await (const { session, moved } of tracesOf(film, options.clones!, options.cache))
    if (moved) await add(`public, ${film.split}`, film.name, session.trace.frames);
}
if (films.length > 0) {
  reportCopies(films, report.print);
  reportPairs(films, report.print);
}
if (Number(options.hands) > 0) reportHands(Number(options.hands), report.print);
if (Number(options.filed) > 0) await reportLookup(Number(options.filed), report.print);
report.print(`\n${readFileSync(new URL('./prints/remarks.md', import.meta.url), 'utf8').trim()}`);
report.write(options.write);
