import type { Move } from '@firsthand/forensics/presence/trace.ts';

/** Where the camera points at each frame of a film, as a share of the longer side; y down. */
export type Place = { x: number; y: number };

/** Frames at which a person begins, turns, and ends. Between two of them the film runs forward or backward, without a cut. */
export type Walk = readonly number[];

/** Way of each move, as a share of the longer side: more than the page asks for (0.075), because a person does not stop at the very end. */
const WAY = 0.1;
/** A move of a film that takes longer is no answer to an arrow. Between two moves the film may stray for a while. */
const LONGEST_MS = 5_000;
const STRAY_MS = 1_500;
/** Share of the whole way that goes where the moves go: a person who follows arrows hardly strays. The page asks for 0.65. */
const LEAST_STRAIGHT = 0.68;

const ALONG: Record<Move, (dx: number, dy: number) => [along: number, across: number]> = {
  left: (dx, dy) => [-dx, dy],
  right: (dx, dy) => [dx, dy],
  up: (dx, dy) => [-dy, dx],
  down: (dx, dy) => [dy, dx],
};

/**
 * Finds parts of a film that make the moves one after the other. Each part begins where the one before ends, or shortly before or after. Returns
 * the shortest such walk; undefined if the film has none.
 *
 * @param rate places of the path a second
 */
export function walkFor(path: readonly Place[], moves: readonly Move[], rate: number): Walk | undefined {
  const most = Math.round((LONGEST_MS * rate) / 1000);
  const stray = Math.round((STRAY_MS * rate) / 1000);
  // The way up to each place.
  const ways = [0];
  for (let i = 1; i < path.length; i++)
    ways.push(ways[i - 1]! + Math.hypot(path[i]!.x - path[i - 1]!.x, path[i]!.y - path[i - 1]!.y));
  const alongOf = (move: Move, from: number, to: number): [number, number] =>
    ALONG[move](path[to]!.x - path[from]!.x, path[to]!.y - path[from]!.y);
  /** The first place, forward and backward, at which a move from `from` is done. */
  const ends = (from: number, move: Move): number[] =>
    [1, -1].flatMap(direction => {
      for (let step = 1; step <= most; step++) {
        const to = from + direction * step;
        if (to < 0 || to >= path.length) return [];
        const [along, across] = alongOf(move, from, to);
        if (along < -0.02 || Math.abs(across) > 0.07) return [];
        if (along - 0.7 * Math.abs(across) >= WAY) return [to];
      }
      return [];
    });
  const ended = new Map<string, number[]>();
  const endsOnce = (from: number, move: Move): number[] => {
    const key = `${move}${from}`;
    const known = ended.get(key) ?? ends(from, move);
    ended.set(key, known);
    return known;
  };
  let best: { walk: Walk; length: number } | undefined;
  const go = (walk: Walk, length: number, way: number, along: number, done: number): void => {
    if (best && length >= best.length) return;
    const move = moves[done];
    const here = walk.at(-1)!;
    if (!move) {
      if (along >= LEAST_STRAIGHT * way) best = { walk, length };
      return;
    }
    const slack = done === 0 ? 0 : stray;
    for (let from = Math.max(0, here - slack); from <= Math.min(path.length - 1, here + slack); from++)
      for (const to of endsOnce(from, move))
        go(
          from === here ? [...walk, to] : [...walk, from, to],
          length + Math.abs(from - here) + Math.abs(to - from),
          way + Math.abs(ways[from]! - ways[here]!) + Math.abs(ways[to]! - ways[from]!),
          along + alongOf(move, from, to)[0],
          done + 1,
        );
  };
  for (const i of path.keys()) go([i], 0, 0, 0, 0);
  return best?.walk;
}
