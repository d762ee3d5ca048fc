import { corners, type Followed, followWave } from '../motion/waves.ts';
import { BLOCK } from '../pixels/block-spectrum.ts';
import { frameLuma } from './luma.ts';
import type { Path } from './path.ts';
import type { TraceFrame } from './trace.ts';

/** Steps compared, evenly spread over those that can be: each costs 10 ms of processor time. */
const STEPS = 5;
const LEAST_CORRELATION = 0.7;
/** Steps that move the picture further, as a share of the longer side, show the near things of a scene from another side. */
const LARGEST_SHIFT = 0.06;

/** Follows the waves of a film's frames from each to the next. */
export function wavesOf(frames: readonly TraceFrame[], { steps }: Path): Followed {
  const usable = steps.flatMap((step, i) =>
    step.correlation >= LEAST_CORRELATION && Math.hypot(step.dx, step.dy) <= LARGEST_SHIFT ? [i] : [],
  );
  const count = Math.min(STEPS, usable.length);
  const found: Followed = { blocks: 0, waves: 0, followed: 0 };
  for (let n = 0; n < count; n++) {
    const i = usable[Math.floor(((n + 0.5) * usable.length) / count)]!;
    const [first, second] = [frameLuma(frames[i]!.picture), frameLuma(frames[i + 1]!.picture)];
    const { dx, dy, turn, scale } = steps[i]!;
    const { width, height } = first;
    const side = Math.max(width, height);
    const [a, b] = [scale * Math.cos(turn), scale * Math.sin(turn)];
    for (const y of corners(height, BLOCK)) {
      for (const x of corners(width, BLOCK)) {
        const [u, v] = [x + (BLOCK - width) / 2, y + (BLOCK - height) / 2];
        const place = {
          x: a * u - b * v + dx * side + second.width / 2,
          y: b * u + a * v + dy * side + second.height / 2,
          step: [a, -b, b, a] as const,
        };
        followWave(first, second, [x, y], place, found);
      }
    }
  }
  return found;
}
