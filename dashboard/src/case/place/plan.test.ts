import type { Capture } from '@firsthand/contract/verification/verification.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coordinatesOf, planOf, roundBelow } from './plan.ts';

const captureAt = (latitude: number, longitude: number, accuracy_m: number, distance_m?: number): Capture =>
  ({
    location: { latitude, longitude, accuracy_m },
    location_match: distance_m === undefined ? undefined : { result: 'no_match', distance_m, tolerance_m: 150 },
  }) as Capture;

test('planOf keeps both circles inside the drawing, at the distance that the service measured', () => {
  const number = (max: number) => fc.double({ min: 0, max, noNaN: true });
  fc.assert(
    fc.property(
      number(80),
      number(170),
      number(5_000),
      number(2_000_000),
      fc.boolean(),
      (lat, lon, accuracy, distance, known) => {
        const plan = planOf(
          captureAt(lat, lon, accuracy, distance),
          known ? '52.5163, 13.3777' : 'Pariser Platz 1, Berlin',
        )!;
        const { expected, middle, reach } = plan;
        expect(Math.hypot(expected!.x, expected!.y)).toBeCloseTo(distance, 3);
        expect(expected!.directionKnown).toBe(known);
        for (const circle of [
          { x: 0, y: 0, r: accuracy },
          { ...expected!, r: 150 },
        ]) {
          expect(Math.abs(circle.x - middle.x) + circle.r).toBeLessThanOrEqual(reach + 1e-6);
          expect(Math.abs(circle.y - middle.y) + circle.r).toBeLessThanOrEqual(reach + 1e-6);
        }
      },
    ),
  );
});

test('planOf puts a place in the north above the photo', () => {
  const plan = planOf(captureAt(52, 13, 10, 1_112), '52.01,13')!;
  expect(plan.expected!.y).toBeGreaterThan(1_000);
  expect(Math.abs(plan.expected!.x)).toBeLessThan(1);
});

test('planOf draws nothing without a position, and one circle without an expected place', () => {
  expect(planOf({} as Capture, 'Berlin')).toBeNull();
  expect(planOf(captureAt(1, 2, 30), undefined)).toMatchObject({ expected: null, distance: null });
});

test('coordinatesOf takes no address for a place', () => {
  expect(coordinatesOf('52.5, -13.4')).toEqual({ latitude: 52.5, longitude: -13.4 });
  for (const text of ['Unter den Linden 77', '91,0', '52.5', '9F4MGC2M+H4']) expect(coordinatesOf(text)).toBeNull();
});

test('roundBelow gives a number that is easy to read', () => {
  expect([1, 9, 10, 49, 50, 999, 1_000].map(roundBelow)).toEqual([1, 5, 10, 20, 50, 500, 1_000]);
});
