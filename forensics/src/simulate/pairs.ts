import type { Picture } from '../pixels/picture.ts';
import { random } from '../pixels/random.ts';
import { type CaptureParams, drawCapture, type Pose } from './params.ts';
import type { Card } from './recapture.ts';
import { drawScene } from './scene.ts';

/**
 * Draws three captures of one subject: the second after a small sideways move, as the capture page requests, the third after another move
 * of about the same size. Any two make a pair.
 */
export function drawMoves(
  seed: number,
  size: { width: number; height: number },
): [CaptureParams, CaptureParams, CaptureParams] {
  const rng = random(seed * 2741 + 13);
  const capture = { ...drawCapture(seed, size), shake: { length: 0, angle: 0 } };
  const focal = Math.max(size.width, size.height) * rng.uniform(0.7, 0.95);
  const turn = (spread: number): [number, number, number] => [
    spread * rng.normal(),
    spread * rng.normal(),
    spread * rng.normal(),
  ];
  const first: Pose = { focal, position: [0, 0, 0], turn: turn(0.08) };
  const distance = rng.uniform(0.05, 0.18);
  const direction = rng.uniform(-0.4, 0.4) + (rng.uniform() < 0.5 ? Math.PI : 0);
  // The hand turns to keep the subject in the frame, but not completely.
  const follow = rng.uniform(0.2, 0.9);
  const moved = (x: number, y: number, number: number): CaptureParams => {
    const pose: Pose = {
      focal,
      position: [x, y, 0.02 * rng.normal()],
      turn: [
        first.turn[0] + y * follow + 0.01 * rng.normal(),
        first.turn[1] - x * follow + 0.01 * rng.normal(),
        first.turn[2] + 0.02 * rng.normal(),
      ],
    };
    // The camera redoes exposure, white balance and focus.
    const { camera } = capture;
    const [red, green, blue] = camera.whiteBalance;
    const again = {
      ...camera,
      exposure: camera.exposure * rng.uniform(0.85, 1.15),
      whiteBalance: [red * rng.uniform(0.98, 1.02), green, blue * rng.uniform(0.98, 1.02)] as [number, number, number],
    };
    return {
      ...capture,
      seed: seed + number * 1_000_003,
      camera: again,
      blur: capture.blur * rng.uniform(0.85, 1.3),
      pose,
    };
  };
  const second = moved(distance * Math.cos(direction), distance * Math.sin(direction), 1);
  const further = distance * rng.uniform(1.6, 2.3);
  const turned = direction + rng.uniform(-0.15, 0.15);
  return [{ ...capture, pose: first }, second, moved(further * Math.cos(turned), further * Math.sin(turned), 2)];
}

/** Draws cards for `simulateDeep`: objects at a quarter to nine tenths of the backdrop's distance. */
export function drawCards(seed: number, size: { width: number; height: number }): Card[] {
  const rng = random(seed * 4409 + 41);
  const count = 4 + Math.floor(rng.uniform(0, 5));
  return Array.from({ length: count }, (_, index) => {
    const half = size.width * rng.uniform(0.07, 0.2);
    const picture: Picture = drawScene(seed * 13 + index, { width: 400, height: 300 });
    return {
      z: rng.uniform(0.45, 0.9),
      x: rng.uniform(-0.4, 0.4) * size.width,
      y: rng.uniform(-0.4, 0.4) * size.height,
      halfWidth: half,
      halfHeight: half * rng.uniform(0.6, 1.4),
      round: rng.uniform() < 0.5,
      picture,
    };
  });
}
