import { round } from '../pixels/round.ts';
import { isLost, type Path } from './path.ts';
import { type CheckResult, contradicted, doubt, type Move, noAnswer, passed } from './trace.ts';

/** With fewer frames, or with fewer of them registered, the path is not known. */
const LEAST_FRAMES = 12;
const LEAST_REGISTERED = 0.8;
/** A move shifts the picture by at least this share of its longer side. */
const LEAST_MOVE = 0.035;
/** Share of the way that the asked moves must explain, so that a film of moves in all directions does not fit every challenge. */
const LEAST_EXPLAINED = 0.55;
/** Way before the first move that does not count against the moves: a hand drifts while the person reads what to do. */
const DRIFT = 0.03;
/** Deviations from a smooth path that no bare hand stays below, as a share of the longer side. `CARD.md` says how it was set. */
const RULED = 0.0004;

const ALONG: Record<Move, (dx: number, dy: number) => [along: number, across: number]> = {
  left: (dx, dy) => [-dx, dy],
  right: (dx, dy) => [dx, dy],
  up: (dx, dy) => [-dy, dx],
  down: (dx, dy) => [dy, dx],
};

/** Asks whether the camera moved as asked, in the order asked, and as a hand moves. */
export function checkAsked(path: Path, moves: readonly Move[]): CheckResult {
  const { points, registered, ambiguous } = path;
  const evidence = { frames: points.length, registered: round(registered), ambiguous };
  if (points.length < LEAST_FRAMES || registered < LEAST_REGISTERED)
    return noAnswer('The movement of the camera could not be followed from frame to frame.', evidence);
  const { found, during, way, explained } = fitOf(path, moves);
  const jitter = jitterOf(during);
  const measured = {
    ...evidence,
    least_move: round(found.least),
    explained: round(explained),
    jitter_ppm: round(jitter * 1e6),
    way: round(way),
  };
  if (way < LEAST_MOVE) return noAnswer('The camera hardly moved.', measured);
  if (found.least < LEAST_MOVE || explained < LEAST_EXPLAINED) {
    // A short or untidy move is a clumsy person; a clear move in another direction is another film. A slow phone may lose an asked move
    // between two frames, and a repeating pattern may show a wrong one, so a path with a gap or a doubt contradicts nothing. Nor does a
    // film that ends after the first move: over such a pattern, the page may count moves that nobody made.
    const first = fitOf(path, moves.slice(0, 1));
    const begun = first.found.least >= LEAST_MOVE && first.explained >= LEAST_EXPLAINED;
    const isOther =
      registered === 1 && ambiguous === 0 && !begun && found.least < 0.3 * LEAST_MOVE && way > 2 * LEAST_MOVE;
    if (!isOther) return noAnswer('The asked moves were too small or too untidy to recognise.', measured);
    return contradicted(`The camera did not move ${moves.join(', then ')} as asked.`, 0.97, measured);
  }
  // Phones that steady their films, gimbals and tripods make paths as smooth as computed ones, so this accuses nobody.
  if (jitter < RULED)
    return doubt(
      'The camera moved as asked, but too smoothly for a bare hand: it was steadied, or the path is computed.',
      0.6,
      measured,
    );
  return passed(`The camera moved ${moves.join(', then ')} as asked, as a hand moves.`, 0.03, measured);
}

type Points = Path['points'];

/** How well the moves explain the way: `explained` is their share of it, 0..1. */
function fitOf(path: Path, moves: readonly Move[]): { found: Split; during: Points; way: number; explained: number } {
  const { points } = path;
  const found = bestSplit(points, moves);
  const before = lengthOf(smoothed(points.slice(0, found.began + 1)));
  const during = points.slice(found.began);
  const way = lengthOf(smoothed(during)) + Math.max(0, before - DRIFT) + lostWay(path, found.began);
  return { found, during, way, explained: way > 0 ? Math.min(1, found.total / way) : 0 };
}

interface Split {
  /** The smallest of the moves, less what it strays to the side. */
  least: number;
  /** Sum of the moves along their directions. */
  total: number;
  /** Index of the point at which the first move begins. */
  began: number;
}

/**
 * Splits the path into one piece per move, and gaps, such that the smallest move is as large as possible: dynamic programming over the
 * number of moves done and the frame at which the last ended.
 */
function bestSplit(points: Points, moves: readonly Move[]): Split {
  let ends: (Split | undefined)[] = points.map((_, began) => ({ least: Number.POSITIVE_INFINITY, total: 0, began }));
  for (const move of moves) {
    const next: (Split | undefined)[] = points.map(() => undefined);
    for (let end = 1; end < points.length; end++) {
      let best = next[end - 1];
      for (let start = 0; start < end; start++) {
        const before = ends[start];
        if (!before) continue;
        const [along, across] = ALONG[move](points[end].x - points[start].x, points[end].y - points[start].y);
        const size = Math.max(0, along - 0.7 * Math.abs(across));
        const split = {
          least: Math.min(before.least, size),
          total: before.total + Math.max(0, along),
          began: before.began,
        };
        if (!best || split.least > best.least + 1e-9 || (split.least > best.least - 1e-9 && split.total > best.total))
          best = split;
      }
      next[end] = best;
    }
    ends = next;
  }
  return ends.at(-1) ?? { least: 0, total: 0, began: 0 };
}

function smoothed(points: Points): Points {
  return points.map((point, i) => {
    const near = points.slice(Math.max(0, i - 1), i + 2);
    const mean = (of: (p: Points[number]) => number): number => near.reduce((sum, p) => sum + of(p), 0) / near.length;
    return { at: point.at, x: mean(p => p.x), y: mean(p => p.y) };
  });
}

function lengthOf(points: Points): number {
  return points.slice(1).reduce((sum, p, i) => sum + Math.hypot(p.x - points[i].x, p.y - points[i].y), 0);
}

/**
 * Returns the way that steps from a point on may hide: each that could not be registered counts as much as the longest that could, because fast
 * steps are lost first. A film that rushes in all directions would otherwise fit many challenges.
 */
function lostWay({ steps }: Path, from: number): number {
  const longest = Math.max(0, ...steps.filter(step => !isLost(step)).map(({ dx, dy }) => Math.hypot(dx, dy)));
  return longest * steps.slice(from).filter(isLost).length;
}

/**
 * Returns the median deviation of the path from the cubic through its four neighbours in time. The cubic follows any smooth motion; a
 * hand's tremor at 4 to 12 Hz it does not.
 */
function jitterOf(points: Points): number {
  const deviations: number[] = [];
  for (let i = 2; i + 2 < points.length; i++) {
    const near = [points[i - 2], points[i - 1], points[i + 1], points[i + 2]];
    const through = (of: (p: Points[number]) => number): number =>
      near.reduce((sum, p) => {
        const weight = near.reduce((w, q) => (q === p ? w : (w * (points[i].at - q.at)) / (p.at - q.at)), 1);
        return sum + weight * of(p);
      }, 0);
    deviations.push(Math.hypot(points[i].x - through(p => p.x), points[i].y - through(p => p.y)));
  }
  deviations.sort((a, b) => a - b);
  return deviations[deviations.length >> 1] ?? 0;
}
