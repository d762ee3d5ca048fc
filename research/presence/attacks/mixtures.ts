import { random } from '@firsthand/forensics/pixels/random.ts';
import {
  drawFilm,
  drawSensor,
  drawStage,
  FRAME,
  handWay,
  photographed,
  type Stage,
  type View,
  viewOf,
  type Way,
} from '@firsthand/forensics/simulate/film.ts';
import { displayLight, READOUT } from './displays.ts';
import { warpedView } from './programs.ts';
import { type Attack, answered } from './session.ts';

/** Rows that share a pose where the sensor is read row by row. */
const BAND = 12;
const RATE = 60;

/** The view of a stage by a sensor that is read row by row while the hand moves on. */
export function rollingView(stage: Stage, way: Way): View {
  const look = viewOf(stage);
  return (pose, at) => {
    const bands = Array.from({ length: Math.ceil(FRAME.height / BAND) }, (_, band) => {
      const late = READOUT * (((band + 0.5) * BAND) / FRAME.height - 0.5);
      const place = ((at + late) * RATE) / 1000;
      const from = Math.max(0, Math.min(way.position.length - 2, Math.floor(place)));
      const share = Math.max(0, Math.min(1, place - from));
      const between = (list: [number, number, number][]): [number, number, number] => {
        const [a, b] = [list[from]!, list[from + 1]!];
        return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])];
      };
      return look({ focal: pose.focal, position: between(way.position), turn: between(way.turn) }, at);
    });
    const last = bands.length - 1;
    return (dx, dy, out) =>
      bands[Math.max(0, Math.min(last, Math.floor((dy + FRAME.height / 2) / BAND)))]!(dx, dy, out);
  };
}

/** Takes every second pose, so that the hand is twice as fast. */
const hurried = ({ position, turn }: Way): Way => ({
  position: position.filter((_, i) => i % 2 === 0),
  turn: turn.filter((_, i) => i % 2 === 0),
});

/** A photo on a display before a fast hand: the sensor bends the display's plane, as depth would. */
export const bentDisplay: Attack = {
  name: 'photo on a display, fast hand, sensor read row by row',
  kind: 'shown to the camera',
  async make(seed, moves) {
    const stage = photographed(drawStage(seed), seed);
    const way = hurried(handWay(moves, random(seed)));
    const sensor = { ...drawSensor(seed), light: displayLight(60, seed) };
    return answered(await drawFilm({ stage, way, sensor, view: rollingView(stage, way), gyroscope: true }), moves);
  },
};

/** Pieces of a print stand before the rest of it, as in a pop-up book. */
export const popUp: Attack = {
  name: 'print with pieces cut out and set before it',
  kind: 'shown to the camera',
  async make(seed, moves) {
    const stage = drawStage(seed);
    const flat = photographed(stage, seed);
    const { backdrop } = flat;
    const scale = backdrop.width / (1.9 * FRAME.width);
    const cards = stage.cards.slice(0, 3).map(card => {
      const z = 0.9;
      // The piece shows what the print shows there, and hides it from the middle of the path.
      const [hw, hh] = [card.halfWidth / card.z, card.halfHeight / card.z];
      const [cx, cy] = [card.x / card.z, card.y / card.z];
      const [left, top] = [
        Math.round((cx - hw) * scale + backdrop.width / 2),
        Math.round((cy - hh) * scale + backdrop.height / 2),
      ];
      const [width, height] = [Math.max(2, Math.round(2 * hw * scale)), Math.max(2, Math.round(2 * hh * scale))];
      const data = new Uint8Array(width * height * 3);
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
          const [u, v] = [
            Math.max(0, Math.min(backdrop.width - 1, left + x)),
            Math.max(0, Math.min(backdrop.height - 1, top + y)),
          ];
          for (let c = 0; c < 3; c++) data[(y * width + x) * 3 + c] = backdrop.data[(v * backdrop.width + u) * 3 + c]!;
        }
      const picture = { width, height, data };
      return { ...card, picture, z, x: cx * z, y: cy * z, halfWidth: hw * z, halfHeight: hh * z };
    });
    const way = handWay(moves, random(seed));
    return answered(
      await drawFilm({ stage: { backdrop, cards }, way, sensor: drawSensor(seed), gyroscope: true }),
      moves,
    );
  },
};

/** Knows every check: warps a still by its depth along a hand's path, adds a sensor's noise and pattern, and computes the rates of the path. */
export const knowsAll: Attack = {
  name: 'still warped by guessed depth, noise and pattern of a sensor, rates computed from the path',
  kind: 'injected',
  async make(seed, moves) {
    const way = handWay(moves, random(seed));
    const view = await warpedView(drawStage(seed), seed);
    const film = await drawFilm({ stage: drawStage(seed), view, sensor: drawSensor(seed), way, gyroscope: true });
    return answered(film, moves);
  },
};

/** The same from a still whose depth was guessed as two layers, near and far. */
export const twoLayers: Attack = {
  name: 'still cut into two layers, noise and pattern of a sensor, rates computed from the path',
  kind: 'injected',
  async make(seed, moves) {
    const way = handWay(moves, random(seed));
    const view = await warpedView(drawStage(seed), seed, 2);
    const film = await drawFilm({ stage: drawStage(seed), view, sensor: drawSensor(seed), way, gyroscope: true });
    return answered(film, moves);
  },
};

/** A film of the real scene with the asked moves, and the rates that a program computes from its path. */
export const archiveWithRates: Attack = {
  name: 'film with the asked moves through a virtual camera, rates computed from its path',
  kind: 'injected',
  async make(seed, moves) {
    const way = handWay(moves, random(seed));
    return answered(await drawFilm({ stage: drawStage(seed), way, sensor: drawSensor(seed), gyroscope: true }), moves);
  },
};

/** An old still of the same scene, with the colours of the light of today. */
export const relitStill: Attack = {
  name: 'old still of the same scene, colours matched, live trace',
  kind: 'injected',
  async make(seed, moves) {
    const film = await drawFilm({
      stage: drawStage(seed),
      way: handWay(moves, random(seed)),
      sensor: drawSensor(seed),
      gyroscope: true,
    });
    const way = handWay(['up'], random(seed + 4));
    const old = await drawFilm({ stage: drawStage(seed), way, sensor: drawSensor(seed + 4), frames: 2 });
    const { second, still } = old;
    const [was, now] = [meanOf(second), meanOf(film.still)];
    const data = Uint8Array.from(second.data, (value, i) => Math.min(255, (value * now[i % 3]!) / was[i % 3]!));
    return answered(film, moves, { still: { width: still.width, height: still.height, data } });
  },
};

function meanOf({ data }: { data: Uint8Array }): number[] {
  const sums = [1, 1, 1];
  for (let i = 0; i < data.length; i++) sums[i % 3]! += data[i]!;
  return sums;
}

/** Shows a plane that turns while the camera stands still, so that the picture moves as asked. */
export const heldPrint: Attack = {
  name: 'print moved by hand before a camera on a stand',
  kind: 'shown to the camera',
  async make(seed, moves) {
    const stage = photographed(drawStage(seed), seed);
    const way = handWay(moves, random(seed));
    const still: Way = { position: way.position.map(() => [0, 0, 0]), turn: way.turn.map(() => [0, 0, 0]) };
    const look = viewOf(stage);
    const view: View = (pose, at) => {
      const place = Math.min(way.position.length - 1, Math.round((at * RATE) / 1000));
      return look({ focal: pose.focal, position: way.position[place]!, turn: way.turn[place]! }, at);
    };
    return answered(await drawFilm({ stage, view, way: still, sensor: drawSensor(seed), gyroscope: true }), moves);
  },
};
