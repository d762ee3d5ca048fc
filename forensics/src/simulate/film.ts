import sharp from 'sharp';
import { jpegOf } from '../pixels/image.ts';
import type { Picture } from '../pixels/picture.ts';
import { type Random, random } from '../pixels/random.ts';
import type { Crop, MotionSample, Move, Trace } from '../presence/trace.ts';
import { drawCards } from './pairs.ts';
import type { Pose } from './params.ts';
import type { Card } from './recapture.ts';
import { drawScene } from './scene.ts';

/** Size of the frames; the full video frame is `ZOOM` times as large. */
export const FRAME = { width: 480, height: 360 };
const ZOOM = 3;
const CROP = 256;
const CROPS = 6;
/** Samples per second of the simulated path and of its motion sensor. */
const RATE = 60;
const RESONANCE = Math.cos((2 * Math.PI * 8) / RATE);

/** A subject for a film: a backdrop at distance 1 and cards in front of it. A stage without cards is a print. */
export interface Stage {
  backdrop: Picture;
  cards: Card[];
}

export function drawStage(seed: number): Stage {
  return { backdrop: drawScene(seed, { width: 1000, height: 750 }), cards: drawCards(seed, FRAME) };
}

/** Returns a photograph of a stage that is as large as its backdrop, as a stage of its own: what a display or a print shows. */
export function photographed(stage: Stage, seed: number): Stage {
  const look = viewOf(stage)({ focal: FRAME.width, position: [0, 0, 0], turn: [0, 0, 0] }, 0);
  const rng = random(seed + 5);
  const backdrop = painted(look, stage.backdrop, (1.9 * FRAME.width) / stage.backdrop.width, () => 2 * bell(rng));
  return { backdrop, cards: [] };
}

/**
 * Paints what a view shows.
 *
 * @param scale frame pixels for each pixel of the picture
 * @param grain grey levels to add to a pixel
 */
export function painted(
  look: ReturnType<View>,
  { width, height }: { width: number; height: number },
  scale: number,
  grain = () => 0,
): Picture {
  const data = new Uint8Array(width * height * 3);
  const out = new Float64Array(3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      look((x + 0.5 - width / 2) * scale, (y + 0.5 - height / 2) * scale, out);
      const added = grain();
      for (let c = 0; c < 3; c++) data[(y * width + x) * 3 + c] = clampByte(out[c]! + added);
    }
  }
  return { width, height, data };
}

/** The way of a camera: poses at 1/60 s, in units of the subject's distance and radians. */
export interface Way {
  position: [number, number, number][];
  turn: [number, number, number][];
}

const DIRECTION: Record<Move, [number, number]> = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };

/**
 * Draws the way of a hand that makes the moves one after the other. Each move has the speed of a reaching arm (minimum jerk, Flash and
 * Hogan 1985). Drift and a tremor of 4 to 12 Hz are added, and the hand turns to keep the subject in view.
 */
export function handWay(moves: readonly Move[], rng: Random): Way {
  const way: Way = { position: [], turn: [] };
  const follow = rng.uniform(0.1, 0.6);
  const steadiness = rng.logUniform(0.0006, 0.002);
  let [x, y, z] = [0, 0, 0];
  const slow = [0, 0, 0, 0, 0];
  const quick = [0, 0, 0];
  const earlier = [0, 0, 0];
  const rest = (): number => Math.round(RATE * rng.uniform(0.12, 0.35));
  let roll = 0;
  const push = (px: number, py: number): void => {
    for (let i = 0; i < 5; i++) slow[i] += (0.0006 * rng.normal() - 0.01 * slow[i]) * (i < 2 ? 1 : 0.7);
    // A resonance at 8 Hz turns white noise into a tremor (Elble and Randall 1978 found 8 to 12 Hz in hands).
    for (let i = 0; i < 3; i++) {
      const next = 2 * 0.93 * RESONANCE * quick[i]! - 0.93 ** 2 * earlier[i]! + steadiness * 0.4 * rng.normal();
      [earlier[i], quick[i]] = [quick[i]!, next];
    }
    z += 0.0004 * rng.normal();
    way.position.push([px + slow[0], py + slow[1], z]);
    way.turn.push([py * follow + slow[2] + quick[0], -px * follow + slow[3] + quick[1], roll + slow[4] + quick[2]]);
  };
  for (let i = rest(); i > 0; i--) push(x, y);
  for (const move of moves) {
    const [mx, my] = DIRECTION[move];
    const angle = 0.15 * rng.normal();
    const far = rng.uniform(0.14, 0.3);
    const [tx, ty] = [
      far * (mx * Math.cos(angle) - my * Math.sin(angle)),
      far * (my * Math.cos(angle) + mx * Math.sin(angle)),
    ];
    const steps = Math.round(RATE * rng.uniform(0.8, 1.4));
    const bow = 0.12 * rng.normal();
    // The wrist rolls by some degrees as the arm swings.
    const rolled = 0.07 * rng.normal();
    const before = roll;
    for (let i = 1; i <= steps; i++) {
      const s = i / steps;
      const share = 10 * s ** 3 - 15 * s ** 4 + 6 * s ** 5;
      roll = before + rolled * share;
      const bend = bow * Math.sin(Math.PI * share);
      push(x + tx * share - ty * bend, y + ty * share + tx * bend);
    }
    x += tx;
    y += ty;
    for (let i = rest(); i > 0; i--) push(x, y);
  }
  return way;
}

/** The same moves at constant speed on straight lines, without drift or tremor. */
export function straightWay(moves: readonly Move[], far = 0.2): Way {
  const way: Way = { position: [], turn: [] };
  let [x, y] = [0, 0];
  for (const move of moves) {
    for (let i = 0; i < RATE; i++) {
      x += (DIRECTION[move][0] * far) / RATE;
      y += (DIRECTION[move][1] * far) / RATE;
      way.position.push([x, y, 0]);
      way.turn.push([0, 0, 0]);
    }
  }
  return way;
}

export interface Sensor {
  focal: number;
  /** Standard deviation of the full frame's noise at mid grey, in grey levels. */
  noise: number;
  /** Relative standard deviation of the pixels' sensitivity; the pattern comes from `seed`. */
  pattern: number;
  seed: number;
  jpegQuality: number;
  /** Light of a row at a time in ms, relative to its mean; absent for even light. */
  light?: (row: number, at: number) => number;
}

export function drawSensor(seed: number): Sensor {
  const rng = random(seed * 6151 + 5);
  return {
    focal: FRAME.width * rng.uniform(0.7, 0.95),
    noise: rng.logUniform(1.2, 4),
    pattern: rng.uniform(0.004, 0.012),
    seed,
    jpegQuality: rng.pick([70, 80, 88]),
  };
}

/** Prepares one frame and returns what writes the 8-bit RGB at a point of it, in pixels from its centre. */
export type View = (pose: Pose, at: number) => (dx: number, dy: number, out: Float64Array) => void;

export interface Shot {
  stage: Stage;
  way: Way;
  sensor: Sensor;
  /** Replaces the view of the stage. */
  view?: View;
  frames?: number;
  beganAt?: number;
  /** Whether the phone gives its motion sensor. */
  gyroscope?: boolean;
}

export interface Film {
  trace: Trace;
  /** A photograph at one and a half times the frames' size, taken as the trace begins. */
  still: Picture;
  second: Picture;
}

/** Films a stage: frames, crops, still photographs and motion samples. */
export async function drawFilm(shot: Shot): Promise<Film> {
  const { way, sensor } = shot;
  const rng = random(sensor.seed * 31 + 11);
  const count = shot.frames ?? 20;
  const last = way.position.length - 1;
  // Frames fall on multiples of the camera's period of 1/30 s.
  const places = Array.from({ length: count }, (_, i) => 2 * Math.floor((i * last) / (2 * (count - 1))));
  const times = places.map(place => (place * 1000) / RATE + 0.05 * rng.normal());
  const pose = (place: number): Pose => ({
    focal: sensor.focal,
    position: way.position[place]!,
    turn: way.turn[place]!,
  });
  const take = (place: number, window: Window): Promise<Picture> =>
    expose(shot, pose(place), (place * 1000) / RATE, window, rng);
  const frames: Trace['frames'] = [];
  const crops: Crop[] = [];
  const corner = { x: ((FRAME.width * ZOOM - CROP) / 2) | 0, y: ((FRAME.height * ZOOM - CROP) / 2) | 0 };
  for (const [index, place] of places.entries()) {
    frames.push({ at: times[index]!, picture: await take(place, { x: 0, y: 0, ...FRAME, zoom: 1 }) });
    if (crops.length < CROPS && index >= (crops.length * (count - 1)) / (CROPS - 1)) {
      const picture = await take(place, { ...corner, width: CROP, height: CROP, zoom: ZOOM });
      crops.push({ frame: index, ...corner, picture });
    }
  }
  const whole = { x: 0, y: 0, width: FRAME.width * 1.5, height: FRAME.height * 1.5, zoom: 1.5 };
  return {
    trace: {
      beganAt: shot.beganAt ?? 1_760_000_000_000,
      frames,
      videoWidth: FRAME.width * ZOOM,
      crops,
      ...(shot.gyroscope ? { motion: ratesOf(way, rng) } : { motion: [], motionAbsence: 'silent' }),
    },
    still: await take(0, whole),
    second: await take(last, whole),
  };
}

/**
 * Films the whole way as a video for a virtual camera.
 *
 * @param zoom size of the video, in sizes of the frames
 * @param every poses of the way for each frame of the video: 60 a second
 */
export async function drawVideo(shot: Shot, zoom: number, every: number): Promise<Picture[]> {
  const rng = random(shot.sensor.seed * 31 + 13);
  const { position, turn } = shot.way;
  const whole = { x: 0, y: 0, width: FRAME.width * zoom, height: FRAME.height * zoom, zoom };
  const frames: Picture[] = [];
  for (let place = 0; place < position.length; place += every) {
    const pose: Pose = { focal: shot.sensor.focal, position: position[place]!, turn: turn[place]! };
    frames.push(await expose(shot, pose, (place * 1000) / RATE, whole, rng));
  }
  return frames;
}

/** Device axes have y up and z towards the person; the pose's have y down and z away. */
function ratesOf({ turn }: Way, rng: Random): MotionSample[] {
  const delay = rng.uniform(5, 90);
  const bias = [0.005 * rng.normal(), 0.005 * rng.normal(), 0.005 * rng.normal()];
  return turn.slice(1).map((now, i) => {
    const rate = (axis: number, sign: number): number =>
      sign * (now[axis]! - turn[i]![axis]!) * RATE + bias[axis]! + 0.004 * rng.normal();
    return { at: ((i + 0.5) * 1000) / RATE + delay, rate: [rate(0, 1), rate(1, -1), rate(2, -1)] };
  });
}

/** A part of the video at `zoom` times the frames' resolution. */
interface Window {
  x: number;
  y: number;
  width: number;
  height: number;
  zoom: number;
}

async function expose(shot: Shot, pose: Pose, at: number, window: Window, rng: Random): Promise<Picture> {
  const { sensor } = shot;
  const { width, height, zoom } = window;
  const data = Buffer.alloc(width * height * 3);
  const look = (shot.view ?? viewOf(shot.stage))(pose, at);
  const place = new Float64Array(3);
  // A small frame averages ZOOM x ZOOM pixels of the sensor.
  const noise = (sensor.noise * zoom) / ZOOM;
  const pattern = (sensor.pattern * zoom) / ZOOM;
  for (let j = 0; j < height; j++) {
    const y = (window.y + j + 0.5) / zoom;
    const lit = sensor.light?.(y, at) ?? 1;
    for (let i = 0; i < width; i++) {
      const x = (window.x + i + 0.5) / zoom;
      look(x - FRAME.width / 2, y - FRAME.height / 2, place);
      const gain = lit * (1 + pattern * fixed(sensor.seed, window.x + i, window.y + j, zoom));
      const grain = noise * bell(rng);
      const tint = 0.5 * noise * bell(rng);
      const to = (j * width + i) * 3;
      for (let c = 0; c < 3; c++) {
        const value = place[c]! * gain;
        // Most of the noise is common to the three colours, because each is interpolated from its neighbours.
        data[to + c] = clampByte(value + Math.sqrt((value + 8) / 136) * (c === 1 ? grain : 0.8 * grain + tint));
      }
    }
  }
  return recoded({ width, height, data }, sensor.jpegQuality);
}

const clampByte = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : value + 0.5);

/** A normal deviate from a table, because a film needs millions of them. */
const BELL = (() => {
  const rng = random(4711);
  return Float32Array.from({ length: 1 << 14 }, () => rng.normal());
})();
const bell = (rng: Random): number => BELL[(rng.uniform() * BELL.length) | 0]!;

/** The sensor's own pattern: a normal deviate that depends only on the pixel. */
function fixed(seed: number, x: number, y: number, zoom: number): number {
  let h = Math.imul(x + 1, 0x9e3779b1) ^ Math.imul(y + 1, 0x85ebca6b) ^ Math.imul(seed + 8 * zoom, 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  return BELL[(h ^ (h >>> 12)) & (BELL.length - 1)]!;
}

/** Encodes as JPEG and decodes again. */
export async function recoded(picture: Picture, quality: number): Promise<Picture> {
  return {
    ...picture,
    data: await sharp(await jpegOf(picture, quality))
      .raw()
      .toBuffer(),
  };
}

export function viewOf(stage: Stage): View {
  const { backdrop } = stage;
  const cards = [...stage.cards].sort((a, b) => a.z - b.z);
  const scale = backdrop.width / (1.9 * FRAME.width);
  const point: [number, number] = [0, 0];
  return pose => {
    const onCards = cards.map(({ z }) => onPlane(pose, z));
    const onBackdrop = onPlane(pose, 1);
    return (dx, dy, out) => {
      for (let i = 0; i < cards.length; i++) {
        const card = cards[i]!;
        onCards[i]!(dx, dy, point);
        const s = (point[0] - card.x) / card.halfWidth;
        const t = (point[1] - card.y) / card.halfHeight;
        if (card.round ? s * s + t * t > 1 : Math.abs(s) > 1 || Math.abs(t) > 1) continue;
        sample(card.picture, ((s + 1) * card.picture.width) / 2, ((t + 1) * card.picture.height) / 2, out);
        return;
      }
      onBackdrop(dx, dy, point);
      sample(backdrop, point[0] * scale + backdrop.width / 2, point[1] * scale + backdrop.height / 2, out);
    };
  };
}

/**
 * Returns what writes where the ray through a point of the frame meets the plane at distance `z`, in frame pixels at distance 1. Turns
 * about z, then x, then y, as `recapture.ts` does.
 */
export function onPlane(
  { focal, position, turn }: Pose,
  z: number,
): (dx: number, dy: number, out: [number, number]) => void {
  const [sx, sy, sz] = [Math.sin(turn[0]), Math.sin(turn[1]), Math.sin(turn[2])];
  const [cx, cy, cz] = [Math.cos(turn[0]), Math.cos(turn[1]), Math.cos(turn[2])];
  const [px, py] = [focal * position[0], focal * position[1]];
  return (dx, dy, out) => {
    const x0 = cz * dx - sz * dy;
    const y0 = sz * dx + cz * dy;
    const y1 = cx * y0 - sx * focal;
    const z1 = sx * y0 + cx * focal;
    const t = (focal * (z - position[2])) / (cy * z1 - sy * x0);
    out[0] = px + t * (cy * x0 + sy * z1);
    out[1] = py + t * y1;
  };
}

/** Interpolates 8-bit RGB between pixels; edges repeat. */
export function sample({ width, height, data }: Picture, x: number, y: number, out: Float64Array): void {
  const px = Math.min(width - 1.001, Math.max(0, x - 0.5));
  const py = Math.min(height - 1.001, Math.max(0, y - 0.5));
  const ix = px | 0;
  const iy = py | 0;
  const [fx, fy] = [px - ix, py - iy];
  const at = 3 * (iy * width + ix);
  const low = at + 3 * width;
  for (let c = 0; c < 3; c++) {
    out[c] =
      (data[at + c]! * (1 - fx) + data[at + 3 + c]! * fx) * (1 - fy) +
      (data[low + c]! * (1 - fx) + data[low + 3 + c]! * fx) * fy;
  }
}
