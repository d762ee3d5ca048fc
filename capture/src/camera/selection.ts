/** The fewest and the most frames and crops of a trace. The service refuses others. */
export const LEAST_FRAMES = 16;
export const MOST_FRAMES = 32;
export const MOST_CROPS = 12;

/** Movement between kept frames, as a share of the longer side: two moves of `ENOUGH` (guide.ts) give about 20 frames. */
const STEP = 0.007;
/** The service takes a film with a longer pause than 1.5 s for an interrupted one. */
const LONGEST_PAUSE_MS = 900;
/** Frames closer than this do not show a movement that the others miss. */
const SHORTEST_MS = 30;
/** When the film must end, frames follow each other at this distance until there are enough. */
const HURRY_MS = 65;
/** Movement between crops in pixels of the video: the noise of two crops can be compared from 3 pixels on, and while they overlap by a third. */
const CROP_STEP = { share: 0.03, least: 16, most: 64 };

/** Where the camera pointed when a frame was taken, as a share of the longer side; x to the right, y down. */
export type Point = { at: number; x: number; y: number };

export type Kept<T> = Point & { value: T; hasCrop: boolean };

/**
 * Chooses the frames of a trace by movement: many while the picture moves, few while it rests, 32 at most. A frame that shows least is
 * dropped for a new one.
 */
export function createSelection<T>() {
  let kept: Kept<T>[] = [];
  const far = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y);

  /** Movement and pause that would be left without the frame at `i`. */
  const cost = (i: number): number => {
    const [before, after] = [kept[i - 1]!, kept[i + 1]!];
    const pause = after.at - before.at;
    return far(before, kept[i]!) + far(kept[i]!, after) + (pause > 1.4 * LONGEST_PAUSE_MS ? pause : pause / 1e5);
  };

  return {
    get kept(): readonly Kept<T>[] {
      return kept;
    },

    /** `hurry`: the film ends as soon as it has enough frames. */
    wants(point: Point, hurry = false): boolean {
      const last = kept.at(-1);
      if (!last) return true;
      const passed = point.at - last.at;
      if (passed >= LONGEST_PAUSE_MS || (hurry && passed >= HURRY_MS)) return true;
      return passed >= SHORTEST_MS && far(last, point) >= STEP;
    },

    /** @param videoSide longer side of the full video frame, in pixels */
    wantsCrop(point: Point, videoSide: number): boolean {
      const crops = kept.filter(frame => frame.hasCrop);
      const last = crops.at(-1);
      if (!last) return true;
      const step = Math.min(CROP_STEP.most, Math.max(CROP_STEP.least, CROP_STEP.share * videoSide));
      return crops.length < MOST_CROPS && far(last, point) * videoSide >= step;
    },

    add(frame: Kept<T>): void {
      kept.push(frame);
      if (kept.length <= MOST_FRAMES) return;
      let drop = -1;
      for (let i = 1; i < kept.length - 1; i++) {
        if (!kept[i]!.hasCrop && (drop < 0 || cost(i) < cost(drop))) drop = i;
      }
      kept.splice(drop, 1);
    },

    /** Drops what was filmed before `at`, except the frame right before it. */
    dropBefore(at: number): void {
      const first = kept.findLastIndex(frame => frame.at < at);
      if (first > 0) kept = kept.slice(first);
    },
  };
}
