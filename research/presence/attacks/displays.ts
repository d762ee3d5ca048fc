import { random } from '@firsthand/forensics/pixels/random.ts';
import {
  drawFilm,
  drawSensor,
  drawStage,
  FRAME,
  handWay,
  onPlane,
  photographed,
  type Sensor,
  type View,
  viewOf,
  type Way,
} from '@firsthand/forensics/simulate/film.ts';
import { type Attack, answered } from './session.ts';

/** Time in which a phone reads its sensor from the first row to the last, ms. */
export const READOUT = 22;

/**
 * The light of a display over time as a rolling shutter sees it: dimming by pulses of `dimming` a second and a dip at each refresh, both
 * averaged over the exposure.
 */
export function displayLight(refresh: number, seed: number): NonNullable<Sensor['light']> {
  const rng = random(seed * 17 + refresh);
  const dimming = refresh * rng.pick([2, 4, 8]);
  const depth = rng.pick([0, 0.05, 0.2, 0.5]);
  const dip = rng.uniform(0.005, 0.04);
  const exposure = rng.logUniform(3, 16);
  const averaged = (hertz: number): number => {
    const x = (Math.PI * hertz * exposure) / 1000;
    return Math.sin(x) / x;
  };
  const [pulses, dips] = [depth * averaged(dimming), dip * averaged(refresh)];
  return (row, at) => {
    const seconds = (at + (row / FRAME.height) * READOUT) / 1000;
    return 1 + pulses * Math.sin(2 * Math.PI * dimming * seconds) + dips * Math.sin(2 * Math.PI * refresh * seconds);
  };
}

/** A still photograph on a display, filmed by a hand that makes the asked moves. */
export const stillOnDisplay = (refresh: number): Attack => ({
  name: `photo on a display, ${refresh} Hz`,
  kind: 'shown to the camera',
  async make(seed, moves) {
    const stage = photographed(drawStage(seed), seed);
    const sensor = { ...drawSensor(seed), light: displayLight(refresh, seed) };
    return answered(await drawFilm({ stage, way: handWay(moves, random(seed)), sensor, gyroscope: true }), moves);
  },
});

/** A photograph printed without a visible screen. */
export const print: Attack = {
  name: 'print',
  kind: 'shown to the camera',
  async make(seed, moves) {
    const stage = photographed(drawStage(seed), seed);
    const way = handWay(moves, random(seed));
    return answered(await drawFilm({ stage, way, sensor: drawSensor(seed), gyroscope: true }), moves);
  },
};

/** A film of the real scene with the asked moves, played on a display before a phone that is held still. */
export const filmOnDisplay: Attack = {
  name: 'film with the asked moves on a display, 60 Hz',
  kind: 'shown to the camera',
  async make(seed, moves) {
    const stage = drawStage(seed);
    const played = handWay(moves, random(seed));
    const held = handWay([], random(seed + 1));
    const length = played.position.length;
    const outer: Way = { position: [], turn: [] };
    for (let i = 0; i < length; i++) {
      outer.position.push(held.position[i % held.position.length]!);
      outer.turn.push(held.turn[i % held.turn.length]!);
    }
    const sensor = { ...drawSensor(seed), light: displayLight(60, seed) };
    const film = viewOf(stage);
    const view: View = (pose, at) => {
      const toDisplay = onPlane(pose, 1);
      const place = Math.min(length - 1, Math.round((at * 60) / 1000));
      const shown = film({ focal: pose.focal, position: played.position[place]!, turn: played.turn[place]! }, at);
      const point: [number, number] = [0, 0];
      return (dx, dy, out) => {
        toDisplay(dx, dy, point);
        shown(point[0], point[1], out);
      };
    };
    return answered(await drawFilm({ stage, way: outer, sensor, view, gyroscope: true }), moves);
  },
};
