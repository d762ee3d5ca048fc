import { expect, test } from 'vitest';
import { betterLens, type Facing, lensesBeside } from './lens.ts';

/** Cameras by label. Where `facing` is given, the browser tells it for each. */
const cameras = (labels: readonly string[], facing?: readonly ('user' | 'environment')[]) =>
  labels.map((label, i) => ({
    kind: 'videoinput' as const,
    deviceId: `d${i}`,
    label,
    ...(facing ? { getCapabilities: () => ({ facingMode: [facing[i]!] }) } : {}),
  }));
const open = (n: number, facing: Facing = 'back') => ({ deviceId: `d${n}`, facing });
const order = (devices: ReturnType<typeof cameras>, opened: ReturnType<typeof open>) =>
  lensesBeside(devices, opened).map(({ label }) => label);

const IPHONE = [
  'Front Camera',
  'Back Ultra Wide Camera',
  'Back Telephoto Camera',
  'Back Dual Wide Camera',
  'Back Camera',
];

test('lensesBeside puts an iPhone’s wide lens before switching, ultra wide and telephoto ones', () => {
  expect(order(cameras(IPHONE), open(4))).toEqual([
    'Back Camera',
    'Back Dual Wide Camera',
    'Back Ultra Wide Camera',
    'Back Telephoto Camera',
  ]);
});

test('lensesBeside believes the browser about each camera, whatever its label says', () => {
  const devices = cameras(
    ['Fotocamera posteriore', 'Back Camera', 'camera2 0, facing back'],
    ['environment', 'user', 'user'],
  );
  expect(order(devices, open(0))).toEqual(['Fotocamera posteriore']);
});

test('lensesBeside offers no camera beside an open back one unless something says that it looks back', () => {
  expect(order(cameras(['Kamera przednia', 'Kamera tylna', 'Kamera tylna (ultra)']), open(1))).toEqual([
    'Kamera tylna',
  ]);
  expect(order(cameras(['', '']), open(0))).toHaveLength(1);
});

test('lensesBeside offers every camera of a desktop that says nothing', () => {
  expect(order(cameras(['FaceTime HD Camera', 'Logitech C920']), open(0, 'unknown'))).toHaveLength(2);
});

test('lensesBeside omits other devices and cameras without an id', () => {
  expect(lensesBeside([{ kind: 'audioinput', deviceId: 'a', label: 'Mic' }], open(0))).toEqual([]);
  expect(lensesBeside([{ kind: 'videoinput', deviceId: '', label: '' }], open(0))).toEqual([]);
});

test('betterLens names Android’s main lens in place of one with a higher number', () => {
  const lenses = lensesBeside(
    cameras(['camera2 2, facing back', 'camera2 1, facing front', 'camera2 0, facing back']),
    open(0),
  );
  expect(lenses.map(({ deviceId }) => deviceId)).toEqual(['d2', 'd0']);
  expect(betterLens(lenses, open(0))?.deviceId).toBe('d2');
  expect(betterLens(lenses, open(2))).toBeUndefined();
});

test('betterLens names a back camera in place of the front one that the browser opened', () => {
  const lenses = lensesBeside(cameras(['前面カメラ', '背面カメラ'], ['user', 'environment']), open(0, 'front'));
  expect(betterLens(lenses, open(0, 'front'))?.deviceId).toBe('d1');
});

test('betterLens keeps what the browser opened where only words speak against it', () => {
  for (let n = 1; n < IPHONE.length; n++) {
    expect(betterLens(lensesBeside(cameras(IPHONE), open(n)), open(n))).toBeUndefined();
  }
});
