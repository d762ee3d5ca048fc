/**
 * Prints how many camera sessions pass, genuine ones and each class of attack:
 *
 * npm run bench:presence -- [--sessions N] [--moves N] [--films FOLDER] [--only TEXT] [--tuning] [--json OUT] [--write FILE]
 *
 * N sessions of each class are rendered. FOLDER of `--films` holds real films, each in a folder of its own with one picture a frame, numbered
 * in their names; they are cut into traces and judged by every check except against asked moves, because nobody asked for any. `--tuning`
 * renders the subjects on which the bounds were set instead of the reported ones. `--only` runs the classes whose name contains TEXT.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CheckName, examine, type Presence, presenceBand } from '@firsthand/forensics/presence/presence.ts';
import type { Session } from '@firsthand/forensics/presence/trace.ts';
import { random } from '@firsthand/forensics/random.ts';
import { drawFilm, drawSensor, drawStage, handWay } from '@firsthand/forensics/simulate/film.ts';
import sharp from 'sharp';
import { filmOnDisplay, print, stillOnDisplay } from './attacks/displays.ts';
import { depthWarped, pannedByHand, pannedStraight, scripted } from './attacks/programs.ts';
import { everywhere, foreignStill, fromArchive, noTrace, oldStill, replayed, restamped } from './attacks/recordings.ts';
import { type Attack, answered, drawMoves } from './attacks/session.ts';
import { upperBound } from './detection/statistics.ts';
import { createReport } from './report.ts';

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string', default: '6' },
    moves: { type: 'string', default: '2' },
    films: { type: 'string' },
    only: { type: 'string', default: '' },
    tuning: { type: 'boolean', default: false },
    json: { type: 'string' },
    write: { type: 'string' },
  },
});
const FIRST_SEED = options.tuning ? 10_000 : 50_000;
const CHECKS: readonly CheckName[] = ['fresh', 'continuous', 'asked', 'depth', 'sensor', 'hand', 'light'];
const FRAMES = 20;
/** Frames of a 30 Hz film between two frames of a trace, and between the starts of two traces. */
const STRIDE = 4;
const APART = 90;

const genuine = (gyroscope: boolean): Attack => ({
  name: gyroscope ? 'genuine, with a motion sensor' : 'genuine, without a motion sensor',
  kind: 'none',
  async make(seed, moves) {
    const way = handWay(moves, random(seed));
    return answered(await drawFilm({ stage: drawStage(seed), way, sensor: drawSensor(seed), gyroscope }), moves);
  },
});

const classes: Attack[] = [
  genuine(true),
  genuine(false),
  noTrace,
  replayed,
  restamped,
  everywhere,
  foreignStill,
  oldStill,
  scripted,
  pannedStraight,
  pannedByHand(false),
  pannedByHand(true),
  depthWarped,
  print,
  stillOnDisplay(60),
  stillOnDisplay(90),
  stillOnDisplay(120),
  filmOnDisplay,
  fromArchive('none'),
  fromArchive('at rest'),
];

interface Row {
  name: string;
  seed: string;
  presence: Presence;
  cpu_ms: number;
}

function judged(name: string, seed: string, session: Session | undefined): Row {
  const used = process.threadCpuUsage();
  const presence = examine(session);
  const { user, system } = process.threadCpuUsage(used);
  return { name, seed, presence, cpu_ms: (user + system) / 1000 };
}

/** Cuts a real film into traces. The first frame stands in for the photo, which is kinder than a photo of its own. */
async function* tracesOf(folder: string): AsyncGenerator<Session> {
  const names = readdirSync(folder).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  for (let from = 0; from + FRAMES * STRIDE <= names.length; from += APART) {
    const frames = [];
    for (let i = 0; i < FRAMES; i++) {
      const { data, info } = await sharp(join(folder, names[from + i * STRIDE]!))
        .resize(480, 480, { fit: 'inside' })
        .removeAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      frames.push({
        at: (i * STRIDE * 1000) / 30,
        picture: { width: info.width, height: info.height, data },
      });
    }
    const still = frames[0]!.picture;
    const trace = { beganAt: 8_000, frames, videoWidth: still.width, crops: [], motion: [] };
    yield { challenge: { moves: [], issuedAt: 0, expiresAt: 120_000 }, trace, still, second: frames.at(-1)!.picture };
  }
}

const rows: Row[] = [];
for (const { name, make } of classes.filter(({ name }) => name.includes(options.only))) {
  for (let i = 0; i < Number(options.sessions); i++) {
    const seed = FIRST_SEED + i;
    rows.push(judged(name, String(seed), await make(seed, drawMoves(seed, Number(options.moves)))));
  }
  process.stderr.write('.');
}
process.stderr.write('\n');

const report = createReport('Camera sessions: who passes');
report.print(
  `\n${options.moves} moves asked. All subjects, cameras, displays and hands are rendered; no phone was held.\n`,
);
report.print(
  '| session | kind | number | passed | failed | inconclusive or not performed | clear under `strict`, at most (95%) | clear under `lenient` | failed checks |',
);
report.print('|---|---|---|---|---|---|---|---|---|');
for (const { name, kind } of classes) {
  const list = rows.filter(row => row.name === name);
  if (list.length === 0) continue;
  const result = (result: string): number => list.filter(({ presence }) => presence.result === result).length;
  const clear = (policy: 'strict' | 'lenient'): number =>
    list.filter(({ presence }) => presenceBand(presence, policy) === 'clear').length;
  const strict = clear('strict');
  const cells = [
    name,
    kind,
    list.length,
    result('passed'),
    result('failed'),
    result('inconclusive') + result('not_performed'),
    `${strict} (${upperBound(strict, list.length).toFixed(2)})`,
    clear('lenient'),
    failures(list) || 'none',
  ];
  report.print(`| ${cells.join(' | ')} |`);
}

if (options.films) {
  report.print('\n| real film | traces | check | passed | failed | no answer |\n|---|---|---|---|---|---|');
  for (const film of readdirSync(options.films).sort()) {
    const list: Row[] = [];
    for await (const session of tracesOf(join(options.films, film)))
      list.push(judged(film, `${film} ${list.length}`, session));
    rows.push(...list);
    for (const check of ['continuous', 'depth', 'light'] as const) {
      const of = (passed: boolean): number =>
        list.filter(({ presence }) => presence.checks[check]?.evaluated && presence.checks[check].passed === passed)
          .length;
      const [yes, no] = [of(true), of(false)];
      report.print(`| ${film} | ${list.length} | ${check} | ${yes} | ${no} | ${list.length - yes - no} |`);
    }
  }
}

const costs = rows
  .filter(({ cpu_ms }) => cpu_ms > 1)
  .map(({ cpu_ms }) => cpu_ms)
  .sort((a, b) => a - b);
const at = (share: number): number => Math.round(costs[Math.floor(share * (costs.length - 1))] ?? 0);
report.print(`\nProcessor time of a session: median ${at(0.5)} ms, 95% within ${at(0.95)} ms.`);
report.write(options.write);
if (options.json) writeFileSync(options.json, `${JSON.stringify(rows, null, 1)}\n`);

function failures(list: Row[]): string {
  return CHECKS.map(name => {
    const count = list.filter(
      ({ presence }) => presence.checks[name]?.evaluated && !presence.checks[name].passed,
    ).length;
    return count > 0 ? `${name} ${count}` : '';
  })
    .filter(Boolean)
    .join(', ');
}
