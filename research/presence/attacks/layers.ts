import { boxBlur } from '@firsthand/forensics/pixels/blur.ts';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import {
  drawFilm,
  drawSensor,
  drawStage,
  FRAME,
  handWay,
  photographed,
  type Stage,
} from '@firsthand/forensics/simulate/film.ts';
import { photoOf, viewBy } from './programs.ts';
import { type Attack, answered } from './session.ts';

/** Half width of the blur with which a program paints in what lies behind a piece, as a share of the picture's width, and its rounds. */
const BRUSH = 0.02;
const ROUNDS = 12;

/**
 * A photograph cut along the outlines of its things, each set before the rest at an invented distance; behind them a program paints in the
 * background from its surroundings. Edges stay sharp, and what a move uncovers is new.
 */
export const layered: Attack = {
  name: 'still in layers with invented depth, background painted in, crops of a sensor and rates of the path',
  kind: 'injected',
  async make(seed, moves) {
    const stage = layersOf(drawStage(seed), seed);
    const way = handWay(moves, random(seed));
    return answered(await drawFilm({ stage, way, sensor: drawSensor(seed), gyroscope: true }), moves);
  },
};

/** The photograph of a stage, as layers. A network that cuts pictures knows the outlines of things, and no distance. */
function layersOf(stage: Stage, seed: number): Stage {
  const flat = photographed(stage, seed);
  const { backdrop } = flat;
  const { width, height } = backdrop;
  const scale = width / (1.9 * FRAME.width);
  const rng = random(seed + 17);
  const behind = Uint8Array.from(backdrop.data);
  const cut = new Uint8Array(width * height);
  const cards = stage.cards.map(card => {
    // Where the thing stands in the photograph, in pixels of it.
    const [cx, cy] = [(card.x / card.z) * scale + width / 2, (card.y / card.z) * scale + height / 2];
    const [hw, hh] = [(card.halfWidth / card.z) * scale, (card.halfHeight / card.z) * scale];
    const [left, top] = [Math.round(cx - hw), Math.round(cy - hh)];
    const [w, h] = [Math.max(2, Math.round(2 * hw)), Math.max(2, Math.round(2 * hh))];
    const data = new Uint8Array(w * h * 3);
    for (let y = 0; y < h; y++)
      for (let x = 0; x < w; x++) {
        const [u, v] = [Math.max(0, Math.min(width - 1, left + x)), Math.max(0, Math.min(height - 1, top + y))];
        const from = 3 * (v * width + u);
        data.set(backdrop.data.subarray(from, from + 3), 3 * (y * w + x));
        const [s, t] = [(2 * (x + 0.5)) / w - 1, (2 * (y + 0.5)) / h - 1];
        if (u === left + x && v === top + y && (!card.round || s * s + t * t <= 1)) cut[v * width + u] = 1;
      }
    const z = rng.uniform(0.5, 0.9);
    const at = (place: number): number => (place / scale) * z;
    return {
      ...card,
      picture: { width: w, height: h, data },
      z,
      x: at(left + w / 2 - width / 2),
      y: at(top + h / 2 - height / 2),
      halfWidth: at(w / 2),
      halfHeight: at(h / 2),
    };
  });
  return { backdrop: paintedIn({ width, height, data: behind }, cut), cards };
}

/** Fills what was cut out with what surrounds it: blurs of the known pixels, from narrow to wide, and grain of the rest. */
function paintedIn({ width, height, data }: Picture, cut: Uint8Array): Picture {
  const filled = Uint8Array.from(data);
  const open = Uint8Array.from(cut);
  const rng = random(width + height);
  for (let round = 1; round <= ROUNDS && open.includes(1); round++) {
    const radius = Math.round(BRUSH * width * round);
    const known = Float32Array.from(cut, value => 1 - value);
    boxBlur(known, width, height, radius);
    const colours = [0, 1, 2].map(c => {
      const sum = Float32Array.from(cut, (value, i) => (value ? 0 : data[3 * i + c]!));
      boxBlur(sum, width, height, radius);
      return sum;
    });
    for (let i = 0; i < open.length; i++) {
      if (!open[i] || known[i]! < 0.02) continue;
      const grain = 3 * rng.normal();
      for (let c = 0; c < 3; c++) filled[3 * i + c] = Math.max(0, Math.min(255, colours[c]![i]! / known[i]! + grain));
      open[i] = 0;
    }
  }
  return { width, height, data: filled };
}

/** A photograph of a print by an inverse depth that has nothing to do with the picture, with everything that a sensor adds. */
const invented = (name: string, depth: (seed: number) => Float32Array): Attack => ({
  name,
  kind: 'injected',
  async make(seed, moves) {
    const stage = photographed(drawStage(seed), seed);
    const view = viewBy(depth(seed), await photoOf(stage, seed));
    const way = handWay(moves, random(seed));
    return answered(await drawFilm({ stage, view, way, sensor: drawSensor(seed), gyroscope: true }), moves);
  },
});

/** Side of the hills, as a share of a frame's width, and how much nearer the nearest point is than the farthest. */
const HILLS = 0.07;
const NEARER = 0.9;

/** Smooth hills and valleys that are drawn at random. */
export const hilly = invented(
  'still of any origin, depth of random hills, crops of a sensor and rates of the path',
  seed => {
    const { width, height } = FRAME;
    const rng = random(seed + 23);
    const map = Float32Array.from({ length: width * height }, () => rng.normal());
    for (let round = 0; round < 3; round++) boxBlur(map, width, height, Math.round((HILLS * width) / 2));
    // As much of the picture near as far: heights as they fall would lie close to their mean.
    const sorted = map.toSorted();
    const ranks = Float32Array.from({ length: 101 }, (_, i) => sorted[Math.floor((i / 100) * (sorted.length - 1))]!);
    return spread(map.map(value => ranks.findIndex(limit => limit >= value)));
  },
);

/** The bottom is near and the top far, as of a floor, and some patches stand before it. */
export const ramped = invented(
  'still of any origin, depth of a floor with things on it, crops of a sensor and rates of the path',
  seed => {
    const { width, height } = FRAME;
    const rng = random(seed + 29);
    const map = Float32Array.from({ length: width * height }, (_, i) => Math.floor(i / width) / height);
    for (let thing = 0; thing < 5; thing++) {
      const [cx, cy] = [rng.uniform(0.1, 0.9) * width, rng.uniform(0.2, 0.9) * height];
      const [rx, ry] = [rng.uniform(0.06, 0.16) * width, rng.uniform(0.08, 0.22) * width];
      const near = cy / height + rng.uniform(0.2, 0.6);
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++)
          if (((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1)
            map[y * width + x] = Math.max(near, map[y * width + x]!);
    }
    boxBlur(map, width, height, 4);
    return spread(map);
  },
);

/** Inverse depth between 1 and 1 + NEARER. */
function spread(map: Float32Array): Float32Array {
  const least = map.reduce((a, b) => Math.min(a, b));
  const most = map.reduce((a, b) => Math.max(a, b));
  return map.map(value => 1 + (NEARER * (value - least)) / Math.max(1e-6, most - least));
}
