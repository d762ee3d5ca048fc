import { type Random, random } from '@firsthand/forensics/pixels/random.ts';
import { drawCamera } from '@firsthand/forensics/simulate/camera.ts';
import { drawStage, FRAME } from '@firsthand/forensics/simulate/film.ts';
import type { Pose } from '@firsthand/forensics/simulate/params.ts';
import { drawScene } from '@firsthand/forensics/simulate/scene.ts';
import type { Gloss, Place } from './render.ts';

const DEGREE = Math.PI / 180;
const FLAT = 1e6;

/** Real things within 1.5 m, in a room. */
export const NEAR = ['things', 'sheet', 'glossy object', 'lamp', 'behind glass', 'dark lacquer'] as const;
export const DISPLAYS = ['matte display', 'glossy display'] as const;
/** No answer is right here: too far, too bright, or both kinds of surface in one frame. */
export const ELSEWHERE = ['room from 1.5 to 3 m', 'far', 'out of a window', 'car outdoors'] as const;
/** Told, and not judged. */
export const MIXED = ['a display among things'] as const;
export type Kind =
  | (typeof NEAR)[number]
  | (typeof DISPLAYS)[number]
  | (typeof ELSEWHERE)[number]
  | (typeof MIXED)[number];

const mirror = (rng: Random, reflectance: number, z = 1): Gloss => ({
  card: -1,
  z,
  reflectance,
  haze: rng.uniform(0.05, 0.3),
  lobe: rng.uniform(1.5, 5) * DEGREE,
  radius: FLAT,
  slope: [0, 0],
});
const satin = (rng: Random): Gloss => ({ ...mirror(rng, 0.04), haze: 1, lobe: rng.uniform(3, 12) * DEGREE });

/** Draws where a pair is taken. The same seed draws the same phone and room for every kind. */
export function drawPlace(kind: Kind, seed: number): Place {
  const rng = random(seed * 7151 + 29);
  // 7 to 50 lm are the figures that were published for five phones. An even emitter has lumens / pi candela along its axis.
  const candela = rng.logUniform(7, 50) / Math.PI;
  const place: Place = {
    stage: { ...drawStage(seed), cards: [] },
    distance: rng.uniform(0.3, 1.5),
    glosses: [],
    nits: 0,
    albedo: 0.85,
    lamp: 0,
    lux: rng.logUniform(50, 500),
    gradient: [0.25 * rng.normal(), 0.25 * rng.normal()].map(value => Math.max(-0.8, Math.min(0.8, value))) as [
      number,
      number,
    ],
    bands: { amplitude: rng.uniform() < 0.3 ? rng.uniform(0.003, 0.03) : 0, period: rng.logUniform(40, 400) },
    candela,
    camera: { ...drawCamera(rng), jpegQuality: 80 },
    poses: posesOf(rng, 0.2),
    locked: rng.uniform() < 0.3,
  };
  const drawn = { ...place, ...DRAWN[kind](rng, place, seed) };
  const [first, second] = drawn.poses;
  const [x, y, z] = second.position;
  const { distance } = drawn;
  return { ...drawn, poses: [first, { ...second, position: [x / distance, y / distance, z / distance] }] };
}

/** A hand that aims at the middle within `tilt` radians (standard deviation), and moves by some millimetres between the frames. Positions in metres. */
function posesOf(rng: Random, tilt: number): [Pose, Pose] {
  const focal = FRAME.width * rng.uniform(0.7, 0.95);
  const turn = (spread: number): [number, number, number] => [
    spread * rng.normal(),
    spread * rng.normal(),
    0.5 * spread * rng.normal(),
  ];
  const first: Pose = { focal, position: [0, 0, 0], turn: turn(tilt) };
  const moved = turn(0.01);
  const second: Pose = {
    focal,
    position: [0.008 * rng.normal(), 0.008 * rng.normal(), 0.004 * rng.normal()],
    turn: [first.turn[0] + moved[0], first.turn[1] + moved[1], first.turn[2] + moved[2]],
  };
  return [first, second];
}

type Draw = (rng: Random, place: Place, seed: number) => Partial<Place>;

const cardsOf = (seed: number) => drawStage(seed).cards;

/** Some of the cards are glossy: cups, boxes, foils. */
function glossyCards(rng: Random, cards: number, share: number): Gloss[] {
  return Array.from({ length: cards }, (_, card) => ({
    ...mirror(rng, rng.uniform(0.03, 0.06)),
    card,
    haze: rng.uniform() < 0.5 ? 1 : rng.uniform(0.05, 0.5),
    radius: rng.uniform() < 0.5 ? FLAT : rng.logUniform(0.02, 0.5),
    slope: [0.2 * rng.normal(), 0.2 * rng.normal()] as [number, number],
  })).filter(() => rng.uniform() < share);
}

/** A lacquered body: little colour of its own, and a mirror of what surrounds it. */
const lacquer = (rng: Random, seed: number, lux: number): Partial<Place> => ({
  albedo: rng.logUniform(0.02, 0.15),
  glosses: [{ ...mirror(rng, 0.045), radius: rng.pick([FLAT, rng.logUniform(0.3, 5)]) }],
  mirrored: { picture: drawScene(seed + 17, size), nits: (0.045 * lux * rng.logUniform(0.3, 3)) / Math.PI },
});

const size = { width: 500, height: 375 };

const display = (rng: Random, place: Place): Partial<Place> => ({
  distance: rng.uniform(0.15, 0.6),
  nits: rng.logUniform(100, 500),
  albedo: rng.uniform(0.003, 0.015),
  bands: { ...place.bands, amplitude: rng.uniform() < 0.25 ? rng.uniform(0.003, 0.05) : 0 },
});
const matte = (rng: Random): Gloss => ({
  ...mirror(rng, rng.uniform(0.03, 0.05)),
  haze: 1,
  lobe: rng.uniform(2, 7) * DEGREE,
});
const glass = (rng: Random): Gloss => mirror(rng, rng.uniform(0.02, 0.045));

const DRAWN: Record<Kind, Draw> = {
  things(rng, { stage }, seed) {
    const cards = cardsOf(seed);
    return { stage: { ...stage, cards }, glosses: glossyCards(rng, cards.length, 0.3) };
  },
  sheet: (rng, { poses }) => ({
    glosses: rng.pick([[], [satin(rng)], [mirror(rng, 0.04)]]),
    poses,
    distance: rng.uniform(0.2, 1.5),
  }),
  'glossy object'(rng, { stage }, seed) {
    const [card] = cardsOf(seed);
    const [x, y] = [card!.x * 0.4, card!.y * 0.4];
    return { stage: { ...stage, cards: [{ ...card!, x, y }] }, glosses: glossyCards(rng, 1, 1) };
  },
  lamp(rng, { stage }, seed) {
    const cards = cardsOf(seed);
    const lamp = { ...cards[0]!, z: 0.3, halfWidth: rng.uniform(6, 40), halfHeight: rng.uniform(6, 40), round: true };
    return {
      stage: { ...stage, cards: [lamp, ...cards.slice(1)] },
      glosses: glossyCards(rng, cards.length, 0.2).filter(({ card }) => card > 0),
      lamp: rng.logUniform(1_000, 20_000),
    };
  },
  'behind glass': rng => ({ glosses: [mirror(rng, 0.08, rng.uniform(0.9, 1))] }),
  'dark lacquer': (rng, { lux }, seed) => lacquer(rng, seed, lux),
  'matte display': (rng, place) => ({ ...display(rng, place), glosses: [matte(rng)] }),
  'glossy display': (rng, place) => ({ ...display(rng, place), glosses: [glass(rng)] }),
  'room from 1.5 to 3 m'(rng, { stage }, seed) {
    const cards = cardsOf(seed);
    return { stage: { ...stage, cards }, glosses: glossyCards(rng, cards.length, 0.3), distance: rng.uniform(2, 3.5) };
  },
  far(rng, { stage }, seed) {
    const cards = cardsOf(seed);
    const lux = rng.logUniform(1_000, 50_000);
    return {
      stage: { ...stage, cards },
      glosses: glossyCards(rng, cards.length, 0.2),
      distance: rng.uniform(5, 40),
      lux,
    };
  },
  'out of a window'(rng, { stage }, seed) {
    const distance = rng.uniform(5, 40);
    const pane = mirror(rng, 0.08, rng.uniform(0.3, 1.5) / distance);
    return { stage: { ...stage, cards: cardsOf(seed) }, glosses: [pane], distance, lux: rng.logUniform(100, 20_000) };
  },
  'car outdoors'(rng, _place, seed) {
    const lux = rng.logUniform(1_000, 50_000);
    return { ...lacquer(rng, seed, lux), lux };
  },
  'a display among things'(rng, place, seed) {
    const cards = cardsOf(seed).map(card => ({ ...card, x: card.x * 1.4, y: card.y * 1.4 }));
    const stage = { ...place.stage, cards };
    return { ...display(rng, place), glosses: [rng.uniform() < 0.5 ? matte(rng) : glass(rng)], stage };
  },
};
