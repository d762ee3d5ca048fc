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
  /** Way along the finished moves, and the whole way since the first of them began. */
  let [along, way] = [0, 0];
  let [anchor, last]: (Seen | undefined)[] = [];
  const since: Partial<Record<GuideHint, number>> = {};
  let best = { size: 0, at: 0 };
  let shown: { hint: GuideHint; at: number } | undefined;

  /** Whether a state has lasted for `ms`. */
  const lasts = (hint: GuideHint, holds: boolean, at: number, ms = LASTS_MS): boolean => {
    if (!holds) {
      delete since[hint];
      return false;
    }
    since[hint] ??= at;
    return at - since[hint] >= ms;
  };

  /** The place in this piece from which the move is longest. */
  const startOf = (now: Seen): Seen => {
    let start = now;
    for (const point of piece) if (sizeOf(moves[index]!, point, now) > sizeOf(moves[index]!, start, now)) start = point;
    return start;
  };

  function hintFor(now: Seen, size: number, slide: number | undefined): GuideHint | undefined {
    const recent = piece.slice(-6);
    const lost = recent.filter(({ fit }) => fit < LEAST_FIT).length;
    const passed = last ? now.at - last.at : 0;
    const speed = last && passed > 0 ? (Math.hypot(now.x - last.x, now.y - last.y) / passed) * 1000 : 0;
    const clear = !now.dark && now.detail >= LEAST_DETAIL;
    const first = piece[0]!;
    const found: [GuideHint, boolean][] = [
      ['dark', lasts('dark', now.dark, now.at)],
      ['plain', lasts('plain', !now.dark && now.detail < LEAST_DETAIL, now.at)],
      ['fast', clear && (lost >= 3 || lasts('fast', speed > TOO_FAST, now.at, 100))],
      ['other', Math.hypot(now.x - first.x, now.y - first.y) > 0.8 * ENOUGH && size < 0.3 * ENOUGH],
      ['turned', slide !== undefined && size > 0.6 * ENOUGH && slide < 0.5 * LEAST_SLIDE],
      ['more', now.at - best.at > STANDS_STILL_MS],
    ];
    return found.find(([, holds]) => holds)?.[0];
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
      // Tremor is no way: the way adds up in steps of the size that the service sees.
      anchor ??= now;
      if (Math.hypot(now.x - anchor.x, now.y - anchor.y) >= 0.01) {
        way += Math.hypot(now.x - anchor.x, now.y - anchor.y);
        anchor = now;
      }
      const move = moves[index]!;
      const start = startOf(now);
      const size = sizeOf(move, start, now);
      if (size > best.size + 0.1 * ENOUGH || best.at === 0) best = { size, at: now.at };
      const isLast = index === moves.length - 1;
      const [here] = ALONG[move](now.x - start.x, now.y - start.y);
      // The last move goes on until the moves explain enough of the way.
      const missing = (LEAST_EXPLAINED * way - along - here) / (1 - LEAST_EXPLAINED);
      const needed = isLast ? Math.max(ENOUGH, Math.min(ENOUGH + MOST_EXTRA, here + missing)) : ENOUGH;
      const slide = slideOf(move, start, now);
      const slid = slide === undefined || size >= RELIEF ? 1 : slide / LEAST_SLIDE;
      let progress = Math.max(0, Math.min(1, size / needed, slid));
      let hint = hintFor(now, size, slide);
      if (progress === 1) {
        const steps = piece.slice(piece.indexOf(start));
        const lost = steps.filter(({ fit }) => fit < LEAST_FIT).length;
        if (lost > MOST_LOST * steps.length) {
          // Too much of this move was blurred: it counts again from here.
          hint = 'fast';
        } else {
          if (index === 0) [began, way] = [start.at, Math.hypot(now.x - start.x, now.y - start.y)];
          along += here;
          done = isLast;
          if (!isLast) index++;
        }
        if (!done) progress = 0;
        piece = [now];
        best = { size: 0, at: now.at };
      }
      last = now;
      if (hint) shown = { hint, at: now.at };
      else if (shown && now.at - shown.at > READ_MS) shown = undefined;
      return { move: index, progress, done, ...(shown && !done ? { hint: shown.hint } : {}) };
    },
  };
}
