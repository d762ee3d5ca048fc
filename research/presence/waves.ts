// Do the fine waves of a film move with what it shows? Rendered films of displays and of real things that look like them, 960 x 720 pixels
// through the simulated camera, frames of 480 x 360; and public films:
//   node research/presence/waves.ts [--from 100] [--films 16] [--clones FOLDER] [--splits fit,choose,report] [--write FILE]
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shrink } from '@firsthand/forensics/pixels/picture.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { checkLight, LEAST_WAVES } from '@firsthand/forensics/presence/light.ts';
import { pathOf } from '@firsthand/forensics/presence/path.ts';
import type { TraceFrame } from '@firsthand/forensics/presence/trace.ts';
import { drawConfounder } from '@firsthand/forensics/simulate/confounders.ts';
import { drawStage, FRAME, handWay, painted, recoded, viewOf } from '@firsthand/forensics/simulate/film.ts';
import { drawCards } from '@firsthand/forensics/simulate/pairs.ts';
import { type CaptureParams, drawCapture, drawRecapture } from '@firsthand/forensics/simulate/params.ts';
import {
  type Capture,
  simulateDeep,
  simulateDirect,
  simulateRecapture,
} from '@firsthand/forensics/simulate/recapture.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import { createReport, optionsOf } from '../../bench/src/report.ts';
import { drawMoves } from './attacks/session.ts';
import { tracesOf } from './films/cut.ts';
import { realFilms } from './films/films.ts';

const options = optionsOf({ from: '100', films: '16', clones: undefined, splits: 'report' });
const SIZE = { width: 960, height: 720 };
const FRAMES = 20;

/** Draws what a film shows, and returns what takes its frames. `place` counts poses at 1/60 s. */
type Subject = (seed: number, capture: CaptureParams) => (params: CaptureParams, place: number) => Promise<Capture>;

/** A display that fills the frame; a pixel of it is 0.35 to 2.5 pixels of the video wide. */
const panel = (seed: number, capture: CaptureParams) => {
  const rng = random(seed * 91 + 4);
  const layout = rng.pick(['rgb', 'rgb', 'bgr', 'vertical', 'pentile', 'oled'] as const);
  return { ...drawRecapture(capture), layout, scale: rng.logUniform(0.35, 2.5), fill: 1.5 };
};

const CONFOUNDERS = ['weave', 'mesh', 'blinds', 'paper'] as const;

const SUBJECTS: Record<string, Subject> = {
  'a photo on a display'(seed, capture) {
    const display = { ...panel(seed, capture), picture: drawScene(seed) };
    return params => simulateRecapture(display.picture, { ...display, ...params });
  },
  'a film on a display, the phone held still'(seed, capture) {
    const display = panel(seed, capture);
    const look = viewOf(drawStage(seed));
    const played = handWay(drawMoves(seed, 2), random(seed * 7 + 1));
    const held = handWay([], random(seed + 1));
    return (params, place) => {
      const at = place % played.position.length;
      const shown = { focal: FRAME.width * 0.8, position: played.position[at]!, turn: played.turn[at]! };
      const rest = place % held.position.length;
      const pose = { ...params.pose!, position: held.position[rest]!, turn: held.turn[rest]! };
      return simulateRecapture(painted(look(shown, 0), SIZE, FRAME.width / SIZE.width), {
        ...display,
        ...params,
        pose,
      });
    };
  },
  'a scene with near and far things'(seed) {
    const [scene, cards] = [drawScene(seed), drawCards(seed, SIZE)];
    return params => simulateDeep(scene, cards, params);
  },
  'a photo printed without a visible screen'(seed) {
    const scene = drawScene(seed);
    return params => simulateDirect(scene, params);
  },
  'cloth, mesh, blinds, a page'(seed) {
    const picture = drawConfounder(seed, CONFOUNDERS[seed % 4]!, { width: 1248, height: 936 });
    return params => simulateDirect(picture, params);
  },
  'finer cloth and mesh, threads from 1.7 pixels of the video'(seed) {
    const picture = drawConfounder(seed, seed % 4 === 3 ? 'mesh' : 'weave', { width: 2600, height: 1950 });
    const card = { z: 0.9999, x: 0, y: 0, halfWidth: 720, halfHeight: 540, round: false, picture };
    const scene = drawScene(seed);
    return params => simulateDeep(scene, [card], params);
  },
};

const report = createReport('Waves in films of displays');
const from = Number(options.from);
const films = Number(options.films);
if (films > 0) {
  report.print('| rendered | films | with eight waves or more | followed, lowest and highest | called a display |');
  report.print('|---|---|---|---|---|');
  for (const [name, subject] of Object.entries(SUBJECTS)) {
    const found: Found[] = [];
    for (let seed = from; seed < from + films; seed += 1) found.push(look(await rendered(seed, subject)));
    report.print(`| ${name} | ${row(found)} |`);
  }
  report.print();
}
if (options.clones) {
  report.print(
    '| public films | films | traces | with eight waves or more | followed, lowest and highest | called a display |',
  );
  report.print('|---|---|---|---|---|---|');
  const splits = options.splits.split(',');
  const listed = [...realFilms().filter(({ split }) => splits.includes(split)), ...realFilms('displays.tsv')];
  for (const [scene, films] of Map.groupBy(listed, ({ scene, split }) => `${scene}, ${split}`)) {
    const found: Found[] = [];
    for (const film of films)
      for await (const { session } of tracesOf(film, options.clones, join(tmpdir(), 'firsthand-films')))
        found.push(look(session.trace.frames));
    report.print(`| ${scene} | ${films.length} | ${row(found)} |`);
  }
}
report.write(options.write);

interface Found {
  waves: number;
  followed: number;
  display: boolean;
}

function look(frames: TraceFrame[]): Found {
  const light = checkLight(frames, pathOf(frames));
  const { waves, waves_followed } = light.evidence;
  return { waves: Number(waves), followed: Number(waves_followed ?? 1), display: light.evidence.moire === true };
}

/** Cells of a table: films, those with enough waves, how far their waves follow the scene, those called a display. */
function row(found: Found[]): string {
  const enough = found.filter(({ waves }) => waves >= LEAST_WAVES).map(({ followed }) => followed);
  const range = enough.length > 0 ? `${Math.min(...enough).toFixed(2)} to ${Math.max(...enough).toFixed(2)}` : '';
  return [found.length, enough.length, range, found.filter(({ display }) => display).length].join(' | ');
}

async function rendered(seed: number, subject: Subject): Promise<TraceFrame[]> {
  const rng = random(seed * 91 + 3);
  const drawn = drawCapture(seed, SIZE);
  const capture = { ...drawn, shake: { length: 0, angle: 0 }, camera: { ...drawn.camera, messengerSide: undefined } };
  const way = handWay(drawMoves(seed, 2), rng);
  const focal = SIZE.width * rng.uniform(0.7, 0.95);
  const held = [0.1 * rng.normal(), 0.1 * rng.normal(), 0.06 * rng.normal()] as const;
  const take = subject(seed, capture);
  const frames: TraceFrame[] = [];
  for (let i = 0; i < FRAMES; i += 1) {
    const place = 2 * Math.floor((i * (way.position.length - 1)) / (2 * (FRAMES - 1)));
    const turn = way.turn[place]!.map((value, axis) => value + held[axis]!) as [number, number, number];
    const pose = { focal, position: way.position[place]!, turn };
    // As a browser's canvas shrinks a video.
    const { picture } = await take({ ...capture, seed: seed + i * 1_000_003, pose }, place);
    frames.push({ at: (place * 1000) / 60, picture: await recoded(shrink(picture, 2), 75) });
  }
  return frames;
}
