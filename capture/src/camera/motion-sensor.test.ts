import { afterEach, expect, test, vi } from 'vitest';
import { type MotionSample, recordMotion, thinned } from './motion-sensor.ts';

afterEach(() => vi.unstubAllGlobals());

test('recordMotion gives alpha, beta and gamma as rates about x, y and z in radians a second', () => {
  const target = new EventTarget();
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
  vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target));
  const recording = recordMotion();
  const event = (rotationRate: object | null) => Object.assign(new Event('devicemotion'), { rotationRate });
  target.dispatchEvent(event({ alpha: 180, beta: 90, gamma: -45 }));
  target.dispatchEvent(event(null));
  target.dispatchEvent(event({ alpha: null, beta: null, gamma: null }));
  const samples = recording.stop();
  target.dispatchEvent(event({ alpha: 1, beta: 1, gamma: 1 }));
  expect(samples).toEqual([[expect.any(Number), Math.PI, Math.PI / 2, -Math.PI / 4]]);
});

test('thinned keeps the angle that the rates add up to', () => {
  const samples = Array.from({ length: 1200 }, (_, i): MotionSample => [i * 16, Math.sin(i / 40), 0.5, -0.1]);
  const few = thinned(samples);
  expect(few).toHaveLength(600);
  const turned = (list: MotionSample[], axis: 1 | 2) =>
    list.slice(1).reduce((sum, sample, i) => sum + sample[axis] * (sample[0] - list[i]![0]), 0);
  for (const axis of [1, 2] as const) expect(turned(few, axis) / turned(samples, axis)).toBeCloseTo(1, 1);
});
