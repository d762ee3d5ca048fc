import { type Match, matchFrames } from '@firsthand/forensics/motion/match.ts';
import { boxBlur } from '@firsthand/forensics/pixels/blur.ts';
import { lumaOf } from '@firsthand/forensics/pixels/luma.ts';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { areaResize } from '@firsthand/forensics/pixels/resize.ts';
import type { Move } from '@firsthand/forensics/presence/trace.ts';
import { drawFilm, drawSensor, drawStage, type Film, handWay, sample } from '@firsthand/forensics/simulate/film.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import { type Attack, answered } from './session.ts';

const liveFilm = (seed: number, moves: readonly Move[]): Promise<Film> =>
  drawFilm({ stage: drawStage(seed), way: handWay(moves, random(seed)), sensor: drawSensor(seed), gyroscope: true });

/** An old still of the same scene by another camera. `far`: where it was taken, as a share of the subject's distance; by hand without. */
async function oldPhoto(seed: number, far?: number): Promise<Picture> {
  const way =
    far === undefined
      ? handWay(['right'], random(seed + 2))
      : { position: [[far, 0, 0]] as [number, number, number][], turn: [[0, 0, 0]] as [number, number, number][] };
  return (await drawFilm({ stage: drawStage(seed), way, sensor: drawSensor(seed + 2), frames: 2 })).second;
}

/** An old still that was taken almost where the film begins. */
export const alignedStill = (far: number): Attack => ({
  name: `old still from ${100 * far}% of the distance beside, live trace`,
  kind: 'injected',
  make: async (seed, moves) => answered(await liveFilm(seed, moves), moves, { still: await oldPhoto(seed, far) }),
});

const LED_IN = 3;
const INTERVAL = 120;

/** The old still stands at the beginning of the live trace as well, as small frames with new noise. */
export const ledIn: Attack = {
  name: 'old still of the same scene, put before the live trace too',
  kind: 'injected',
  async make(seed, moves) {
    const { trace, ...film } = await liveFilm(seed, moves);
    const still = await oldPhoto(seed);
    const { picture } = trace.frames[0]!;
    const small = areaResize(still, Math.max(picture.width, picture.height));
    const rng = random(seed + 21);
    const noisy = (): Picture => ({ ...small, data: small.data.map(value => value + 1.5 * rng.normal()) });
    const lead = LED_IN * INTERVAL;
    const later = <T extends { at: number }>(list: T[]): T[] => list.map(item => ({ ...item, at: item.at + lead }));
    const before = Array.from({ length: LED_IN }, (_, i) => ({ at: i * INTERVAL, picture: noisy() }));
    const frames = [...before, ...later(trace.frames)];
    const crops = trace.crops.map(crop => ({ ...crop, frame: crop.frame + LED_IN }));
    return answered({ ...film, trace: { ...trace, frames, crops, motion: later(trace.motion) } }, moves, { still });
  },
};

/** Matches whose shifts are averaged at each point of a grid, and its distance in pixels. */
const NEAREST = 4;
export const GRID = 6;

/** The old still, bent by a program until it lies on the first frame of the live trace: between matched points the shift is interpolated. */
export const bentStill: Attack = {
  name: 'old still of the same scene, warped onto the live trace by its flow',
  kind: 'injected',
  async make(seed, moves) {
    const film = await liveFilm(seed, moves);
    const old = await oldPhoto(seed);
    const frame = film.trace.frames[0]!.picture;
    const side = Math.max(frame.width, frame.height);
    const matches = matchFrames(planeOf(frame), planeOf(areaResize(old, side)));
    const { width, height } = film.still;
    const scale = width / frame.width;
    const shifts = shiftsFrom(matches, Math.ceil(frame.width / GRID) + 2, Math.ceil(frame.height / GRID) + 2);
    const data = new Uint8Array(width * height * 3);
    const out = new Float64Array(3);
    const back = old.width / frame.width;
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const [u, v] = [x / scale, y / scale];
        const [dx, dy] = shifts(u, v);
        sample(old, (u + dx) * back, (v + dy) * back, out);
        data.set(out, (y * width + x) * 3);
      }
    return answered(film, moves, { still: { width, height, data } });
  },
};

/** The photo of this moment, into which a program has set a piece of another picture. `share`: of its width. */
export const patchedStill = (share: number): Attack => ({
  name: `photo of the moment with a piece of ${100 * share}% of its width set in`,
  kind: 'injected',
  async make(seed, moves) {
    const film = await liveFilm(seed, moves);
    const { width, height } = film.still;
    const other = areaResize(drawStage(seed + 500_000).backdrop, width);
    const data = Uint8Array.from(film.still.data);
    const side = Math.round(share * width);
    const rng = random(seed + 8);
    const [left, top] = [rng.uniform(0.1, 0.9 - share) * width, rng.uniform(0.1, 0.6) * height].map(Math.round) as [
      number,
      number,
    ];
    for (let y = top; y < Math.min(height, top + side); y++)
      for (let x = left; x < Math.min(width, left + side); x++)
        for (let c = 0; c < 3; c++) data[(y * width + x) * 3 + c] = other.data[(y * other.width + x) * 3 + c]!;
    return answered(film, moves, { still: { width, height, data } });
  },
});

/** Side of the true middle, as a share of the photo's: the smallest part that the comparison with the film looks for. */
const MIDDLE = 0.68;

/** The photo of this moment as the middle of a larger one, whose outer ring shows another scene. */
export const forgedRing: Attack = {
  name: `photo of the moment with a forged outer ring, ${Math.round(100 * (1 - MIDDLE ** 2))}% of its area`,
  kind: 'injected',
  async make(seed, moves) {
    const film = await liveFilm(seed, moves);
    const { still } = film;
    const [width, height] = [Math.round(still.width / MIDDLE), Math.round(still.height / MIDDLE)];
    const { data } = areaResize(drawScene(seed + 500_000, { width, height }), width);
    const [left, top] = [(width - still.width) >> 1, (height - still.height) >> 1];
    for (let y = 0; y < still.height; y++) {
      const row = still.data.subarray(3 * y * still.width, 3 * (y + 1) * still.width);
      data.set(row, 3 * ((top + y) * width + left));
    }
    return answered(film, moves, { still: { width, height, data } });
  },
};

export function planeOf({ width, height, data }: Picture) {
  const luma = lumaOf(data, width * height);
  boxBlur(luma, width, height, 1);
  return { width, height, data: luma };
}

/** Interpolates shifts between matches: by distance at the points of a grid, linearly between them. */
export function shiftsFrom(
  matches: readonly Match[],
  columns: number,
  rows: number,
): (x: number, y: number) => [number, number] {
  const grid = Array.from({ length: columns * rows }, (_, i): [number, number] => {
    const [x, y] = [(i % columns) * GRID, Math.floor(i / columns) * GRID];
    const near = matches
      .map(match => ({ match, far: (match.x0 - x) ** 2 + (match.y0 - y) ** 2 + 4 }))
      .sort((a, b) => a.far - b.far)
      .slice(0, NEAREST);
    const sum = near.reduce((total, { far }) => total + 1 / far, 0);
    const mean = (of: (match: Match) => number): number =>
      near.reduce((total, { match, far }) => total + of(match) / far, 0) / sum;
    return [mean(match => match.x1 - match.x0), mean(match => match.y1 - match.y0)];
  });
  return (x, y) => {
    const [i, j] = [Math.floor(x / GRID), Math.floor(y / GRID)];
    const [fx, fy] = [x / GRID - i, y / GRID - j];
    const at = j * columns + i;
    const [a, b, c, d] = [grid[at]!, grid[at + 1]!, grid[at + columns]!, grid[at + columns + 1]!];
    const mix = (axis: 0 | 1): number =>
      (a[axis] * (1 - fx) + b[axis] * fx) * (1 - fy) + (c[axis] * (1 - fx) + d[axis] * fx) * fy;
    return [mix(0), mix(1)];
  };
}
