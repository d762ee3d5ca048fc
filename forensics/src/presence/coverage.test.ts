import { expect, it } from 'vitest';
import { coveredShare } from './coverage.ts';

const photo = { width: 400, height: 300 };

it('coveredShare tells the area within four corners, whichever way they run', () => {
  const middle: [number, number][] = [
    [100, 75],
    [300, 75],
    [300, 225],
    [100, 225],
  ];
  expect(coveredShare(middle, photo)).toBeCloseTo(0.25, 2);
  expect(coveredShare(middle.toReversed(), photo)).toBeCloseTo(0.25, 2);
  const wider: [number, number][] = [
    [-50, 37.5],
    [450, 37.5],
    [450, 262.5],
    [-50, 262.5],
  ];
  expect(coveredShare(wider, photo)).toBeCloseTo(0.75, 1);
});
