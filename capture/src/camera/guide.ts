import type { Point } from './selection.ts';

export type Move = 'left' | 'right' | 'up' | 'down';

/** Way of one move, as a share of the picture's longer side. The service recognises a move from 0.035 on. */
export const ENOUGH = 0.075;
/** The service counts this share of a movement to the side against the move. */
const STRAY = 0.7;
/** Share of the whole way that the moves must explain. The service asks for 0.55. */
const LEAST_EXPLAINED = 0.65;
/** Of that way, the phone must slide so much. A camera that only turns shows no depth, and turning is the most frequent reason for no answer. */
const LEAST_SLIDE = 0.6 * ENOUGH;
/** Whoever cannot slide goes on after so much of a turn. */
const RELIEF = 2.5 * ENOUGH;
/** A last move that must make up for detours is this much longer at most. */
const MOST_EXTRA = 0.1;
/** Below this correlation two frames could not be laid on each other. The service needs four of five that can. */
export const LEAST_FIT = 0.45;
const MOST_LOST = 0.2;
/** Edges of fewer grey levels than this are an even wall. */
const LEAST_DETAIL = 2.5;
/** Faster than this, in longer sides a second, a phone's frames blur. */
const TOO_FAST = 1;
/** A state must last before a hint speaks of it, and a hint stays long enough to be read. */
const LASTS_MS = 500;
const STANDS_STILL_MS = 3_000;
const READ_MS = 1_500;

export type GuideHint = 'dark' | 'plain' | 'fast' | 'other' | 'turned' | 'more';

/** Measurements of one frame of the video. `turned`: the part of its place that comes from turning, where the phone has a motion sensor. */
export type Seen = Point & {
  fit: number;
  detail: number;
  dark: boolean;
  turned?: { x: number; y: number } | undefined;
};

export type GuideState = {
  /** Index of the move that is asked for. */
  move: number;
  /** 0..1, by the picture's own movement in the move's direction, as far as the phone slides. */
  progress: number;
  done: boolean;
  hint?: GuideHint;
};

const ALONG: Record<Move, (x: number, y: number) => [along: number, across: number]> = {
  left: (x, y) => [-x, y],
  right: (x, y) => [x, y],
  up: (x, y) => [-y, x],
  down: (x, y) => [y, x],
};

/** Length of a way in one direction, less what it strays to the side. */
function sizeOf(move: Move, from: Point, to: Point): number {
  const [along, across] = ALONG[move](to.x - from.x, to.y - from.y);
  return along - STRAY * Math.abs(across);
}

/** Length of a way in one direction that the phone slid; undefined without a motion sensor. */
function slideOf(move: Move, from: Seen, to: Seen): number | undefined {
  if (!from.turned || !to.turned) return undefined;
  const [along] = ALONG[move](to.x - to.turned.x - from.x + from.turned.x, to.y - to.turned.y - from.y + from.turned.y);
  return along;
}

/** Whether the states that hints speak of have lasted. */
function createWaits() {
  const since: Partial<Record<GuideHint, number>> = {};
  return (hint: GuideHint, holds: boolean, at: number, ms = LASTS_MS): boolean => {
    if (!holds) {
      delete since[hint];
      return false;
    }
    since[hint] ??= at;
    return at - since[hint] >= ms;
  };
}

/** The move that is asked for, as far as it was made. */
type Progress = {
  /** Frames since the last move was done. */
  piece: readonly Seen[];
  last: Seen | undefined;
  size: number;
  slide: number | undefined;
  /** When the move was last seen to grow. */
  grewAt: number;
};

/** Returns what is wrong with a move, by the frame that was just seen. */
function hintFor(
  now: Seen,
  { piece, last, size, slide, grewAt }: Progress,
  lasts: ReturnType<typeof createWaits>,
): GuideHint | undefined {
  const lost = piece.slice(-6).filter(isLost).length;
  const passed = last ? now.at - last.at : 0;
  const speed = last && passed > 0 ? (Math.hypot(now.x - last.x, now.y - last.y) / passed) * 1000 : 0;
  const clear = !now.dark && now.detail >= LEAST_DETAIL;
  const first = piece[0] ?? now;
  const found: [GuideHint, boolean][] = [
    ['dark', lasts('dark', now.dark, now.at)],
    ['plain', lasts('plain', !now.dark && now.detail < LEAST_DETAIL, now.at)],
    ['fast', clear && (lost >= 3 || lasts('fast', speed > TOO_FAST, now.at, 100))],
    ['other', Math.hypot(now.x - first.x, now.y - first.y) > 0.8 * ENOUGH && size < 0.3 * ENOUGH],
    ['turned', slide !== undefined && size > 0.6 * ENOUGH && slide < 0.5 * LEAST_SLIDE],
    ['more', now.at - grewAt > STANDS_STILL_MS],
  ];
  return found.find(([, holds]) => holds)?.[0];
}

const isLost = ({ fit }: Seen): boolean => fit < LEAST_FIT;

/** The place in a piece from which a move to `now` is longest. */
function startOf(move: Move, piece: readonly Seen[], now: Seen): Seen {
  let start = now;
  for (const point of piece) if (sizeOf(move, point, now) > sizeOf(move, start, now)) start = point;
  return start;
}

/** The last move goes on until the moves (`along` the finished ones, `here` so far) explain enough of the whole way. */
function lastNeeds(here: number, along: number, whole: number): number {
  const missing = (LEAST_EXPLAINED * whole - along - here) / (1 - LEAST_EXPLAINED);
  return Math.max(ENOUGH, Math.min(ENOUGH + MOST_EXTRA, here + missing));
}

/** 0..1, by how far the picture moved and the phone slid. */
function progressOf(size: number, needed: number, slide: number | undefined): number {
  const slid = slide === undefined || size >= RELIEF ? 1 : slide / LEAST_SLIDE;
  return Math.max(0, Math.min(1, size / needed, slid));
}

/** Adds up the way of the camera. Tremor is no way: it counts in steps of the size that the service sees. */
function createWay() {
  let anchor: Seen | undefined;
  let length = 0;
  return {
    see(now: Seen): number {
      anchor ??= now;
      const step = Math.hypot(now.x - anchor.x, now.y - anchor.y);
      if (step >= 0.01) {
        length += step;
        anchor = now;
      }
      return length;
    },
    /** Begins anew with a way that was already made. */
    begin(made: number): void {
      length = made;
    },
  };
}

/** Keeps a hint until it can be read. */
function createShown() {
  let shown: { hint: GuideHint; at: number } | undefined;
  return (hint: GuideHint | undefined, at: number): GuideHint | undefined => {
    if (hint) shown = { hint, at };
    else if (shown && at - shown.at > READ_MS) shown = undefined;
    return shown?.hint;
  };
}

/**
 * Follows the camera's path through the moves that are asked for, one after the other, and says what is wrong. A move counts from wherever it
 * begins, so that a detour costs nothing but the way.
 */
export function createGuide(moves: readonly Move[]) {
  let index = 0;
  let began = 0;
  let done = false;
  /** Frames since the last move was done. */
  let piece: Seen[] = [];
  /** Way along the finished moves. */
  let along = 0;
  const way = createWay();
  let last: Seen | undefined;
  let best = { size: 0, at: 0 };
  const lasts = createWaits();
  const show = createShown();

  /** Ends a move, or begins it again where too much of it was blurred. Returns whether it counts. */
  function finish(now: Seen, start: Seen, here: number): boolean {
    const steps = piece.slice(piece.indexOf(start));
    piece = [now];
    best = { size: 0, at: now.at };
    if (steps.filter(isLost).length > MOST_LOST * steps.length) return false;
    if (index === 0) {
      began = start.at;
      way.begin(Math.hypot(now.x - start.x, now.y - start.y));
    }
    along += here;
    done = index === moves.length - 1;
    if (!done) index++;
    return true;
  }

  return {
    /** When the first move began; undefined while none is done. */
    get beganAt(): number | undefined {
      return index > 0 || done ? began : undefined;
    },
    get movesDone(): number {
      return done ? moves.length : index;
    },

    see(now: Seen): GuideState {
      if (done) return { move: moves.length - 1, progress: 1, done };
      piece.push(now);
      const whole = way.see(now);
      const move = moves[index]!;
      const start = startOf(move, piece, now);
      const size = sizeOf(move, start, now);
      if (size > best.size + 0.1 * ENOUGH || best.at === 0) best = { size, at: now.at };
      const [here] = ALONG[move](now.x - start.x, now.y - start.y);
      const slide = slideOf(move, start, now);
      const needed = index === moves.length - 1 ? lastNeeds(here, along, whole) : ENOUGH;
      let progress = progressOf(size, needed, slide);
      const hint = hintFor(now, { piece, last, size, slide, grewAt: best.at }, lasts);
      const isBlurred = progress === 1 && !finish(now, start, here);
      if (progress === 1 && !done) progress = 0;
      last = now;
      const shown = show(isBlurred ? 'fast' : hint, now.at);
      return { move: index, progress, done, ...(shown && !done ? { hint: shown } : {}) };
    },
  };
}
