import { isLost, type Path } from './path.ts';

/**
 * What is kept of a film to know it again: how the picture shifted and turned from each frame to the next, 6 bytes a step. No picture can be
 * made of it. It holds no times, because the sender writes them.
 */
export type FilmPrint = Uint8Array;

/** Bytes of a step: shift to the right, shift down, turn; 16 bits each. */
const BYTES = 6;
/** One longer side, or one radian, in units. */
const UNITS = 2 ** 15;
/** Stands for a step that could not be registered. */
const LOST = -UNITS;

/** Steps in which two films must agree before the comparison follows them further. */
const WINDOW = 4;
/** Below this share of the longer side, noise decides where a step leads. */
const LEAST_STEP = 0.003;
/** Allowed difference of two shifts, as a share of the longer side and of the shift; of two turns, in radians and as a share of the turn. */
const SHIFT = { noise: 0.0006, share: 0.03 };
const TURN = { noise: 0.001, share: 0.03 };
/** A copy that was cropped shows the same way longer or shorter by this factor at most. */
const ZOOM = 1.6;
/** Steps that another encoding registered otherwise may lie between those that agree, this many at a time. */
const LONGEST_GAP = 2;
/** Bits that agreement must be worth. `bench/results/film-prints.md` shows how it was chosen. */
export const LEAST_BITS = 40;

/** The print of a film; undefined where the camera moved too little, or too evenly, to know it again. */
export function filmPrint({ steps }: Pick<Path, 'steps'>): FilmPrint | undefined {
  const print = new Uint8Array(steps.length * BYTES);
  const view = new DataView(print.buffer);
  const units = (value: number): number => Math.max(LOST + 1, Math.min(-LOST - 1, Math.round(value * UNITS)));
  for (const [i, step] of steps.entries()) {
    view.setInt16(i * BYTES, isLost(step) ? LOST : units(step.dx));
    view.setInt16(i * BYTES + 2, units(step.dy));
    view.setInt16(i * BYTES + 4, units(step.turn));
  }
  const way = wayOf(print);
  let bits = 0;
  for (let i = 1; i < way.steps; i++) bits += bitsOf(way, i - 1, i, i + 1);
  return bits < LEAST_BITS ? undefined : print;
}

/** The way of a film: sums of its steps from the beginning to each frame. */
interface Way {
  steps: number;
  x: Float64Array;
  y: Float64Array;
  turn: Float64Array;
  /** Steps so far that could not be registered. */
  lost: Uint8Array;
}

/**
 * Adds up the steps of a film: as it is, played backwards, mirrored, or both. Upside down is half a turn of the mirrored film, and no
 * comparison sees a turn.
 */
function wayOf(print: FilmPrint, backwards = false, mirrored = false): Way {
  const view = new DataView(print.buffer, print.byteOffset, print.byteLength);
  const steps = print.byteLength / BYTES;
  const way: Way = {
    steps,
    x: new Float64Array(steps + 1),
    y: new Float64Array(steps + 1),
    turn: new Float64Array(steps + 1),
    lost: new Uint8Array(steps + 1),
  };
  for (let i = 0; i < steps; i++) {
    const at = BYTES * (backwards ? steps - 1 - i : i);
    const known = view.getInt16(at) !== LOST;
    const add = (offset: number, sign: boolean): number =>
      known ? ((sign ? -1 : 1) * view.getInt16(at + offset)) / UNITS : 0;
    way.x[i + 1] = way.x[i]! + add(0, mirrored !== backwards);
    way.y[i + 1] = way.y[i]! + add(2, backwards);
    way.turn[i + 1] = way.turn[i]! + add(4, mirrored !== backwards);
    way.lost[i + 1] = way.lost[i]! + (known ? 0 : 1);
  }
  return way;
}

const tolerance = ({ noise, share }: typeof SHIFT, size: number): number => noise + share * Math.abs(size);

/**
 * How much it says that two films agree from one frame to another, in bits: the further the movement differs from that before it, the fewer
 * other films go there. A camera that moves evenly says nothing.
 */
function bitsOf({ x, y, turn, lost }: Way, before: number, from: number, to: number): number {
  if (lost[Math.max(before, from, to)]! > lost[Math.min(before, from, to)]!) return 0;
  const [m, n] = [Math.abs(from - before), Math.abs(to - from)];
  const change = (list: Float64Array): number => (list[to]! - list[from]!) / n - (list[from]! - list[before]!) / m;
  const size = Math.hypot(x[to]! - x[from]!, y[to]! - y[from]!) / n;
  const shifted = Math.hypot(change(x), change(y)) / tolerance(SHIFT, size);
  const turned = Math.abs(change(turn)) / tolerance(TURN, (turn[to]! - turn[from]!) / n);
  return 2 * Math.log2(Math.max(1, shifted)) + Math.log2(Math.max(1, turned));
}

/** Returns what it is worth, in bits, that a part of two films agrees, whatever its size, side and direction. */
export function agreement(earlier: FilmPrint, later: FilmPrint): number {
  const a = wayOf(earlier);
  let best = 0;
  for (const backwards of [false, true])
    for (const mirrored of [false, true]) {
      const b = wayOf(later, backwards, mirrored);
      for (const pattern of PATTERNS)
        for (let i = 0; i + pattern[WINDOW]! <= a.steps; i++)
          for (let j = 0; j + WINDOW <= b.steps; j++) {
            const factor = factorAt(a, i, pattern, b, j);
            if (factor) best = Math.max(best, grown(a, i, i + pattern[WINDOW]!, b, j, factor));
          }
    }
  return best;
}

export const isSameFilm = (earlier: FilmPrint, later: FilmPrint): boolean => agreement(earlier, later) >= LEAST_BITS;

/** Frames of the earlier film that may be those of a window of the copy, which lacks some of them. */
const PATTERNS = [
  [0, 1, 2, 3, 4],
  [0, 2, 3, 4, 5],
  [0, 1, 3, 4, 5],
  [0, 1, 2, 4, 5],
  [0, 1, 2, 3, 5],
  [0, 2, 3, 5, 6],
  [0, 1, 3, 4, 6],
  [0, 2, 4, 6, 8],
] as const;

/** A turn and a change of size, as a complex factor. */
interface Factor {
  re: number;
  im: number;
}

/** The factor that takes a window of one film to that of another, by least squares; undefined where it leaves a step out. */
function factorAt(a: Way, i: number, pattern: readonly number[], b: Way, j: number): Factor | undefined {
  let re = 0;
  let im = 0;
  let norm = 0;
  for (let k = 0; k < WINDOW; k++) {
    const [from, to] = [i + pattern[k]!, i + pattern[k + 1]!];
    const turn = a.turn[to]! - a.turn[from]!;
    if (Math.abs(turn - b.turn[j + k + 1]! + b.turn[j + k]!) > tolerance(TURN, turn)) return undefined;
    const [ax, ay] = [a.x[to]! - a.x[from]!, a.y[to]! - a.y[from]!];
    const [bx, by] = [b.x[j + k + 1]! - b.x[j + k]!, b.y[j + k + 1]! - b.y[j + k]!];
    re += ax * bx + ay * by;
    im += ax * by - ay * bx;
    norm += ax * ax + ay * ay;
  }
  if (norm < WINDOW * LEAST_STEP ** 2) return undefined;
  const factor = { re: re / norm, im: im / norm };
  const zoom = Math.hypot(factor.re, factor.im);
  if (zoom > ZOOM || zoom < 1 / ZOOM) return undefined;
  const pair = { a, b, factor };
  for (let k = 0; k < WINDOW; k++)
    if (!agrees(pair, i + pattern[k]!, i + pattern[k + 1]!, j + k, j + k + 1)) return undefined;
  return factor;
}

/** Two films, and the factor between their movements. */
interface Pair {
  a: Way;
  b: Way;
  factor: Factor;
}

/** Whether one film moves between two of its frames as another does between two of its own. */
function agrees({ a, b, factor: { re, im } }: Pair, from: number, to: number, start: number, end: number): boolean {
  if (a.lost[from] !== a.lost[to] || b.lost[start] !== b.lost[end]) return false;
  const turn = a.turn[to]! - a.turn[from]!;
  if (Math.abs(turn - b.turn[end]! + b.turn[start]!) > tolerance(TURN, turn)) return false;
  const [ax, ay] = [a.x[to]! - a.x[from]!, a.y[to]! - a.y[from]!];
  const [bx, by] = [b.x[end]! - b.x[start]!, b.y[end]! - b.y[start]!];
  const off = Math.hypot(re * ax - im * ay - bx, re * ay + im * ax - by);
  return off <= tolerance(SHIFT, Math.hypot(bx, by));
}

/** How many frames a step of the one and of the other film may span. */
const SPANS = [
  [1, 1],
  [2, 1],
  [1, 2],
  [3, 1],
  [1, 3],
  [2, 2],
] as const;

/** Follows two films to both sides of a window in which they agree, and returns the bits of all that agrees. */
function grown(a: Way, first: number, last: number, b: Way, j: number, factor: Factor): number {
  const pair = { a, b, factor };
  let bits = 0;
  for (let k = 1; k < WINDOW; k++) bits += bitsOf(b, j + k - 1, j + k, j + k + 1);
  for (const way of [1, -1]) {
    let [p, q] = way === 1 ? [last, j + WINDOW] : [first, j];
    let before = q - way;
    let gap = 0;
    while (gap <= LONGEST_GAP && p >= 0 && q >= 0 && p <= a.steps && q <= b.steps) {
      const span = SPANS.find(([m, n]) => {
        const [to, end] = [p + way * m, q + way * n];
        if (to < 0 || end < 0 || to > a.steps || end > b.steps) return false;
        return way === 1 ? agrees(pair, p, to, q, end) : agrees(pair, to, p, end, q);
      });
      const [m, n] = span ?? [1, 1];
      if (span) bits += bitsOf(b, before, q, q + way * n);
      gap = span ? 0 : gap + 1;
      before = q;
      p += way * m;
      q += way * n;
    }
  }
  return bits;
}

/** Widths of the bins of a key: changes of the shift as a share of the window's way, and turns in radians. */
const BIN = { shift: 0.06, turn: 0.004 };
/** A number this near to the edge of its bin, in bins, is looked up on both sides, the nearest of them first. */
const EDGE = 0.25;
const MOST_EDGES = 3;
/** Least way of a window, as a share of the longer side, and least share of it that leads on: noise decides about shorter or more crooked ones. */
const LEAST_WAY = 0.02;
const LEAST_ONWARD = 0.4;
/** Bits of a window's three changes at least, or its key is that of too many films. */
const LEAST_KEY_BITS = 8;

/** The keys under which a film is filed: a few numbers of each window, in bins, whatever its size, side and direction. */
export const filedKeys = (print: FilmPrint): number[] => keysOf(print, PATTERNS, 0);

/** The keys under which the film that a print was copied from is filed. */
export const soughtKeys = (print: FilmPrint): number[] => keysOf(print, PATTERNS.slice(0, 1), MOST_EDGES);

function keysOf(print: FilmPrint, patterns: readonly (readonly number[])[], edges: number): number[] {
  const way = wayOf(print);
  const keys = new Set<number>();
  for (const pattern of patterns)
    for (let i = 0; i + pattern[WINDOW]! <= way.steps; i++) {
      const places = numbersOf(way, i, pattern);
      if (places) for (const bins of binsOf(places, edges)) keys.add(keyOf(bins));
    }
  return [...keys];
}

/** What a window looks like, in bins: three changes of the shift along and across its direction, and four turns. */
function numbersOf(way: Way, i: number, pattern: readonly number[]): number[] | undefined {
  const frames = pattern.map(frame => i + frame);
  if (way.lost[frames[0]!] !== way.lost[frames[WINDOW]!]) return undefined;
  const between = (list: Float64Array): number[] => frames.slice(1).map((at, k) => list[at]! - list[frames[k]!]!);
  const [x, y, turn] = [between(way.x), between(way.y), between(way.turn)];
  const length = x.reduce((total, dx, k) => total + Math.hypot(dx, y[k]!), 0);
  const onward = [way.x, way.y].map(list => list[frames[WINDOW]!]! - list[frames[0]!]!);
  const far = Math.hypot(...onward);
  if (length < LEAST_WAY || far < LEAST_ONWARD * length) return undefined;
  let bits = 0;
  for (let k = 1; k < WINDOW; k++) bits += bitsOf(way, frames[k - 1]!, frames[k]!, frames[k + 1]!);
  if (bits < LEAST_KEY_BITS) return undefined;
  const [cos, sin] = onward.map(value => value / far / length / BIN.shift) as [number, number];
  const changes = (list: number[]): number[] => list.slice(1).map((value, k) => value - list[k]!);
  const along = changes(x.map((dx, k) => dx * cos + y[k]! * sin));
  const across = changes(x.map((dx, k) => y[k]! * cos - dx * sin));
  return [...along, ...across, ...turn.map(value => value / BIN.turn)];
}

/** The bins of some numbers, and those beside them where a number lies near an edge. */
function binsOf(numbers: readonly number[], edges: number): number[][] {
  const near = numbers
    .map((value, at) => ({ at, side: value - Math.round(value) }))
    .filter(({ side }) => Math.abs(side) > 0.5 - EDGE)
    .sort((p, q) => Math.abs(q.side) - Math.abs(p.side))
    .slice(0, edges);
  let found = [numbers.map(value => Math.round(value))];
  for (const { at, side } of near) found = found.flatMap(bins => [bins, bins.with(at, bins[at]! + Math.sign(side))]);
  return found;
}

/** One number for the bins of a window, of its mirror image and of both played backwards. */
function keyOf(bins: readonly number[]): number {
  const [along, across, turn] = [bins.slice(0, 3), bins.slice(3, 6), bins.slice(6)];
  const minus = (list: number[]): number[] => list.map(value => -value);
  // Backwards, steps point the other way, as the window does: changes come in the other order with the other sign.
  const back = (list: number[]): number[] => list.toReversed();
  const views = [
    [...along, ...across, ...turn],
    [...along, ...minus(across), ...minus(turn)],
    [...minus(back(along)), ...minus(back(across)), ...minus(back(turn))],
    [...minus(back(along)), ...back(across), ...back(turn)],
  ];
  return Math.min(...views.map(hashOf));
}

/** FNV-1a over the low bytes. */
function hashOf(values: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const value of values) hash = Math.imul(hash ^ (value & 0xff), 0x01000193);
  // The last multiplication leaves the low bits poor.
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) | 0;
}
