import { pyramidOf, register, type Step } from './register.ts';
import type { TraceFrame } from './trace.ts';

/** Below this correlation two frames count as not registered. */
const LEAST_CORRELATION = 0.6;
/** Below this difference of correlation from the next best place, the step may as well lead there. */
const LEAST_LEAD = 0.1;

/** The way that the camera went, as the picture shows it. */
export interface Path {
  /** Steps between neighbouring frames. */
  steps: Step[];
  /** Where the camera points at each frame: the opposite of the content's shift, as a share of the longer side; y down. */
  points: { at: number; x: number; y: number }[];
  /** Share of steps with frames that could be registered. */
  registered: number;
  /** Steps that fit another place about as well: a chessboard moved by one square looks the same. */
  ambiguous: number;
}

/** Whether two frames could not be registered: what the camera did between them is unknown. */
export const isLost = ({ correlation }: Step): boolean => correlation < LEAST_CORRELATION;

/** Adds up the steps between neighbouring frames. A step that could not be registered counts as none. */
export function pathOf(frames: readonly TraceFrame[]): Path {
  const pyramids = frames.map(({ picture }) => pyramidOf(picture));
  const steps = pyramids.slice(1).map((pyramid, i) => register(pyramids[i], pyramid));
  let [x, y] = [0, 0];
  const points = frames.map(({ at }, index) => {
    const step = steps[index - 1];
    if (step && !isLost(step)) {
      x -= step.dx;
      y -= step.dy;
    }
    return { at, x, y };
  });
  const good = steps.filter(step => !isLost(step)).length;
  const ambiguous = steps.filter(({ correlation, rival }) => correlation - rival < LEAST_LEAD).length;
  return { steps, points, registered: steps.length === 0 ? 0 : good / steps.length, ambiguous };
}
