import { expect, it } from 'vitest';
import { random } from '../pixels/random.ts';
import { hasEvenTimes } from './even-times.ts';

const film = (count: number, at: (i: number) => number) => Array.from({ length: count }, (_, i) => ({ at: at(i) }));
const rounded = (at: number): number => Math.round(at * 100) / 100;

it('hasEvenTimes finds frames that a program counts, also with gaps, and leaves out those of a clock that jitters', () => {
  expect(hasEvenTimes(film(20, i => rounded((i * 1000) / 30)))).toBe(true);
  expect(hasEvenTimes(film(20, i => rounded((Math.round(i * 2.4) * 1000) / 25)))).toBe(true);
  expect(hasEvenTimes(film(8, i => (i * 1000) / 30))).toBe(false);
  const rng = random(3);
  expect(hasEvenTimes(film(20, i => rounded((i * 1000) / 30 + 0.2 * rng.normal())))).toBe(false);
});
