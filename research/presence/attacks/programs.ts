import { boxBlur } from '@firsthand/forensics/pixels/blur.ts';
import { lumaOf } from '@firsthand/forensics/pixels/luma.ts';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { areaResize } from '@firsthand/forensics/pixels/resize.ts';
import {
  drawFilm,
  drawSensor,
  drawStage,
  FRAME,
  handWay,
  onPlane,
  photographed,
  type Stage,
  sample,
  straightWay,
  type View,
} from '@firsthand/forensics/simulate/film.ts';
import { type Attack, answered } from './session.ts';

/** A program adds no noise of a sensor: the still carries its own along. */
const silent = (seed: number) => ({ ...drawSensor(seed), noise: 0, pattern: 0 });

/** A photograph that a program pans on straight lines at constant speed. */
export const pannedStraight: Attack = {
  name: 'still panned on straight lines',
  kind: 'injected',
  async make(seed, moves) {
    const stage = photographed(drawStage(seed), seed);
    return answered(await drawFilm({ stage, sensor: silent(seed), way: straightWay(moves) }), moves);
  },
};

/** The same along a hand's path, with new noise in every frame where `noise` says so. */
export const pannedByHand = (noise: boolean): Attack => ({
  name: noise ? 'still panned along a hand’s path, new noise' : 'still panned along a hand’s path',
  kind: 'injected',
  async make(seed, moves) {
    const stage = photographed(drawStage(seed), seed);
    const sensor = noise ? { ...drawSensor(seed), pattern: 0 } : silent(seed);
    return answered(await drawFilm({ stage, sensor, way: handWay(moves, random(seed)) }), moves);
  },
});

/**
 * The view of a photograph of a stage that a program warps by its depth, as a network guesses it. `layers`: the guess is cut into so many
 * planes.
 */
export async function warpedView(stage: Stage, seed: number, layers?: number): Promise<View> {
  const inverse = guessedDepth(stage, seed);
  if (layers) cutIntoLayers(inverse, layers);
  return viewBy(inverse, await photoOf(stage, seed));
}

export const photoOf = async (stage: Stage, seed: number): Promise<Picture> => {
  const sensor = { ...drawSensor(seed), pattern: 0 };
  return (await drawFilm({ stage, way: straightWay(['right'], 0), sensor, frames: 2 })).still;
};

/** The view of a photograph whose points move as their inverse depth says, pixel by pixel of a frame. */
export function viewBy(inverse: Float32Array, still: Picture): View {
  const { width, height } = FRAME;
  return pose => {
    const plane = onPlane({ ...pose, position: [0, 0, 0] }, 1);
    const point: [number, number] = [0, 0];
    const { focal, position } = pose;
    return (dx, dy, out) => {
      plane(dx, dy, point);
      let [x, y] = point;
      // Where a point of the still moves to depends on its depth, so its place is found by iteration.
      for (let step = 0; step < 3; step++) {
        const column = Math.max(0, Math.min(width - 1, Math.round(x + width / 2)));
        const row = Math.max(0, Math.min(height - 1, Math.round(y + height / 2)));
        const near = inverse[row * width + column]!;
        x = point[0] + focal * position[0] * near;
        y = point[1] + focal * position[1] * near;
      }
      const scale = still.width / width;
      sample(still, x * scale + still.width / 2, y * scale + still.height / 2, out);
    };
  };
}

/** A photograph with the depth that a network guesses, warped along a hand's path, with new noise in every frame. */
export const depthWarped: Attack = {
  name: 'still warped by guessed depth, hand’s path, new noise',
  kind: 'injected',
  async make(seed, moves) {
    const stage = drawStage(seed);
    const sensor = { ...drawSensor(seed), pattern: 0 };
    const view = await warpedView(stage, seed);
    return answered(await drawFilm({ stage, view, sensor, way: handWay(moves, random(seed)) }), moves);
  },
};

/** Puts each pixel on the plane of its quantile. */
function cutIntoLayers(inverse: Float32Array, layers: number): void {
  const sorted = Float32Array.from(inverse).sort();
  const of = (value: number): number => {
    const rank = sorted.findIndex(v => v >= value);
    return Math.min(layers - 1, Math.floor((rank / sorted.length) * layers));
  };
  const known = new Map<number, number>();
  for (let i = 0; i < inverse.length; i++) {
    const key = Math.round(inverse[i]! * 200);
    let plane = known.get(key);
    if (plane === undefined) {
      plane = sorted[Math.floor(((of(inverse[i]!) + 0.5) / layers) * sorted.length)]!;
      known.set(key, plane);
    }
    inverse[i] = plane;
  }
}

/** Inverse depth at every pixel of a frame, with the blurred edges and the wrong scale of a guess. */
function guessedDepth({ cards }: Stage, seed: number): Float32Array {
  const { width, height } = FRAME;
  const rng = random(seed + 9);
  const wrong = cards.map(() => rng.uniform(0.8, 1.2));
  const map = new Float32Array(width * height).fill(1);
  const sorted = cards.map((card, i) => ({ card, wrong: wrong[i]! })).sort((a, b) => b.card.z - a.card.z);
  for (const { card, wrong } of sorted) {
    // A card at distance z appears larger by 1/z.
    const [cx, cy] = [card.x / card.z, card.y / card.z];
    const [hw, hh] = [card.halfWidth / card.z, card.halfHeight / card.z];
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const s = (x - width / 2 - cx) / hw;
        const t = (y - height / 2 - cy) / hh;
        if (card.round ? s * s + t * t <= 1 : Math.abs(s) <= 1 && Math.abs(t) <= 1)
          map[y * width + x] = 1 + (1 / card.z - 1) * wrong;
      }
  }
  boxBlur(map, width, height, 4);
  boxBlur(map, width, height, 4);
  return map;
}

/** Side of the blur, as a share of a frame's width, and how much nearer the brightest point is than the darkest. */
const BLUR = 0.1;
const NEARER = 0.9;

/**
 * The least that a program needs: no scene, no depth network, no sensor. A photograph of a print, whose blurred brightness is taken for depth, is
 * warped along a hand's path. Nothing but the frames is sent.
 */
export const brightnessWarped: Attack = {
  name: 'still of any origin, its blurred brightness taken for depth, no crops and no motion sensor',
  kind: 'injected',
  async make(seed, moves) {
    const film = await drawFilm({
      ...(await byBrightness(seed)),
      sensor: silent(seed),
      way: handWay(moves, random(seed)),
    });
    return answered({ ...film, trace: { ...film.trace, crops: [], motion: [] } }, moves);
  },
};

/** The same by a program that adds the noise and the pattern of a sensor, crops and the rates of its path. */
export const brightnessWarpedWithSensor: Attack = {
  name: 'still of any origin, its blurred brightness taken for depth, crops of a sensor and rates of the path',
  kind: 'injected',
  async make(seed, moves) {
    const way = handWay(moves, random(seed));
    const film = { ...(await byBrightness(seed)), sensor: drawSensor(seed), way, gyroscope: true };
    return answered(await drawFilm(film), moves);
  },
};

/** A photograph of a print, and its view by its brightness. */
async function byBrightness(seed: number): Promise<{ stage: Stage; view: View }> {
  const stage = photographed(drawStage(seed), seed);
  const still = await photoOf(stage, seed);
  return { stage, view: viewBy(brightnessAsDepth(still), still) };
}

function brightnessAsDepth(still: Picture): Float32Array {
  const { width, height } = FRAME;
  const luma = lumaOf(areaResize(still, width).data, width * height);
  const radius = Math.round((BLUR * width) / 2);
  boxBlur(luma, width, height, radius);
  boxBlur(luma, width, height, radius);
  const least = luma.reduce((a, b) => Math.min(a, b));
  const most = luma.reduce((a, b) => Math.max(a, b));
  return luma.map(value => 1 + (NEARER * (value - least)) / Math.max(1, most - least));
}

/** The real scene, filmed by a machine on straight lines. */
export const scripted: Attack = {
  name: 'real scene, scripted path',
  kind: 'injected',
  async make(seed, moves) {
    const film = await drawFilm({ stage: drawStage(seed), way: straightWay(moves), sensor: drawSensor(seed) });
    return answered(film, moves);
  },
};
