import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawScene } from '../simulate/scene.ts';
import { fingerprint, prepare, searchedCorners } from './fingerprint.ts';
import { mirrored } from './keypoints.ts';
import type { Pixels } from './pdq.ts';
import { place } from './place.ts';

/** Draws the part of a scene that the map shows, on a canvas of the scene's size. */
function drawn(seed: number, map: (x: number, y: number) => [number, number], mirror = false): Pixels {
  const { data, width, height } = drawScene(seed);
  const copy = new Uint8Array(data.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [u, v] = map((x + 0.5) / width - 0.5, (y + 0.5) / height - 0.5);
      const [fromX, fromY] = [Math.round((u + 0.5) * width - 0.5), Math.round((v + 0.5) * height - 0.5)];
      if (fromX < 0 || fromY < 0 || fromX >= width || fromY >= height) continue;
      const to = (y * width + (mirror ? width - 1 - x : x)) * 3;
      for (let c = 0; c < 3; c++) copy[to + c] = data[(fromY * width + fromX) * 3 + c]!;
    }
  return { data: copy, width, height, channels: 3 };
}
const stored = (seed: number) => fingerprint(prepare(drawn(seed, (x, y) => [x, y])));
const searched = (pixels: Pixels) => {
  const prepared = prepare(pixels);
  return { plane: prepared.plane, corners: searchedCorners(prepared) };
};

test('place finds a part of 60%, turned by up to 10°, tilted, and mirrored, where it was cut', () => {
  const copy = fc.record({
    seed: fc.integer({ min: 1, max: 12 }),
    share: fc.double({ min: 0.6, max: 1, noNaN: true }),
    degrees: fc.double({ min: -10, max: 10, noNaN: true }),
    tilt: fc.double({ min: -0.15, max: 0.15, noNaN: true }),
    mirror: fc.boolean(),
  });
  fc.assert(
    fc.property(copy, ({ seed, share, degrees, tilt, mirror }) => {
      const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
      const pixels = drawn(
        seed,
        (x, y) => {
          const w = 1 + tilt * x;
          return [((x * cos - y * sin) * share) / w, ((x * sin + y * cos) * share) / w];
        },
        mirror,
      );
      const found = place(searched(pixels), stored(seed));
      expect(found).toMatchObject({ confirmed: true });
      expect(found!.share).toBeGreaterThan(0.6);
    }),
    { numRuns: 8 },
  );
});

test('place confirms a copy under waves', () => {
  const wave = (height: number, count: number) => (x: number, y: number) =>
    [x + height * Math.sin(2 * Math.PI * count * y), y + height * Math.sin(2 * Math.PI * count * x)] as [
      number,
      number,
    ];
  const confirmed = [1, 2, 3].flatMap(seed =>
    [wave(0.006, 3), wave(0.012, 2)].filter(map => place(searched(drawn(seed, map)), stored(seed))?.confirmed),
  );
  expect(confirmed.length).toBeGreaterThanOrEqual(5);
});

test('place confirms no other scene', () => {
  for (let seed = 1; seed <= 6; seed++) {
    const found = place(searched(drawn(seed, (x, y) => [x, y])), stored(seed + 20));
    expect(found?.confirmed ?? false).toBe(false);
  }
});

test('mirrored twice is the corner itself', () => {
  const { corners } = searched(drawn(3, (x, y) => [x, y]));
  for (const corner of corners) {
    const again = mirrored(mirrored(corner, 1), 1);
    expect([again.low, again.high]).toEqual([corner.low, corner.high]);
    expect(again.x).toBeCloseTo(corner.x);
    expect(Math.cos(again.angle - corner.angle)).toBeCloseTo(1);
  }
});
