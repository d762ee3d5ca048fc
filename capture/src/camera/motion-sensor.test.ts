import { afterEach, expect, test, vi } from 'vitest';
import { askForMotion, type MotionSample, motionAbsence, recordMotion, thinned } from './motion-sensor.ts';

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

test('recordMotion tells how far the picture went because the phone turned, however the display is turned', () => {
  for (const [angle, rates, sign] of [
    [0, { alpha: 0, beta: 45 }, [-1, 0]],
    [0, { alpha: 45, beta: 0 }, [0, -1]],
    [90, { alpha: 45, beta: 0 }, [-1, 0]],
    [90, { alpha: 0, beta: 45 }, [0, 1]],
  ] as const) {
    const target = new EventTarget();
    vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
    vi.stubGlobal('removeEventListener', target.removeEventListener.bind(target));
    vi.stubGlobal('screen', { orientation: { angle } });
    const recording = recordMotion();
    expect(recording.turned()).toBeUndefined();
    for (let i = 0; i <= 20; i++) {
      const event = Object.assign(new Event('devicemotion'), { rotationRate: { ...rates, gamma: 0 } });
      Object.defineProperty(event, 'timeStamp', { value: 1_000 + i * 50 });
      target.dispatchEvent(event);
    }
    // A second at 45 degrees a second.
    const way = (0.8 * Math.PI) / 4;
    expect(recording.turned()!.x).toBeCloseTo(sign[0] * way, 3);
    expect(recording.turned()!.y).toBeCloseTo(sign[1] * way, 3);
    recording.stop();
  }
});

test('motionAbsence tells a person who refused from a frame that does not pass the sensor on, and from silence', async () => {
  expect(motionAbsence({})).toBe('silent');
  expect(motionAbsence({ featurePolicy: { allowsFeature: name => name !== 'gyroscope' } })).toBe('blocked');
  for (const [answer, absence] of [
    ['denied', 'refused'],
    ['granted', 'silent'],
  ] as const) {
    vi.stubGlobal('DeviceMotionEvent', { requestPermission: async () => answer });
    await askForMotion();
    expect(motionAbsence({})).toBe(absence);
  }
});
