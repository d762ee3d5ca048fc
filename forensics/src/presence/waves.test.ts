import { expect, it } from 'vitest';
import type { Picture } from '../pixels/picture.ts';
import { drawConfounder } from '../simulate/confounders.ts';
import { type Pose, plainCapture, plainDisplay } from '../simulate/params.ts';
import { simulateDirect, simulateRecapture } from '../simulate/recapture.ts';
import { checkLight } from './light.ts';
import { pathOf } from './path.ts';
import type { TraceFrame } from './trace.ts';
import { wavesOf } from './waves.ts';

const SIZE = { width: 480, height: 360 };
const capture = plainCapture(7, SIZE);
const cloth = drawConfounder(3, 'weave', { width: 620, height: 465 });

/** Six frames of a hand that moves to the right and turns a little. */
const poses: Pose[] = Array.from({ length: 6 }, (_, i) => ({
  focal: 400,
  position: [0.013 * i, 0.004 * Math.sin(i), 0],
  turn: [0.05, -0.006 * i, 0.04 + 0.003 * i],
}));

const filmed = async (shoot: (pose: Pose, seed: number) => Promise<{ picture: Picture }>): Promise<TraceFrame[]> =>
  Promise.all(poses.map(async (pose, i) => ({ at: 150 * i, picture: (await shoot(pose, 7 + i)).picture })));

it('finds that the moire of a filmed display does not move with the scene, and that the threads of cloth do', async () => {
  const display = { ...plainDisplay(capture), scale: 1.2, fill: 1.4 };
  const onDisplay = await filmed((pose, seed) => simulateRecapture(cloth, { ...display, pose, seed }));
  const moire = wavesOf(onDisplay, pathOf(onDisplay));
  expect(moire.waves).toBeGreaterThanOrEqual(20);
  expect(Math.abs(moire.followed / moire.waves)).toBeLessThan(0.35);
  expect(checkLight(onDisplay, pathOf(onDisplay))).toMatchObject({
    evidence: { moire: true },
    words: expect.stringMatching(/as on a display\.$/),
  });

  const direct = await filmed((pose, seed) => simulateDirect(cloth, { ...capture, pose, seed }));
  const threads = wavesOf(direct, pathOf(direct));
  expect(threads.waves).toBeGreaterThanOrEqual(12);
  expect(threads.followed / threads.waves).toBeGreaterThan(0.9);
  expect(checkLight(direct, pathOf(direct)).evidence.moire).toBe(false);
});
