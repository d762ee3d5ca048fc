import { expect, test } from 'vitest';
import { backLenses } from './lens.ts';

const cameras = (...labels: string[]) => labels.map((label, i) => ({ kind: 'videoinput', deviceId: `d${i}`, label }));
const order = (...labels: string[]) => backLenses(cameras(...labels)).map(camera => camera.label);

test('backLenses puts an iPhone’s wide lens before switching, ultra wide and telephoto ones', () => {
  const names = [
    'Front Camera',
    'Back Ultra Wide Camera',
    'Back Telephoto Camera',
    'Back Dual Wide Camera',
    'Back Camera',
  ];
  expect(order(...names)).toEqual([
    'Back Camera',
    'Back Dual Wide Camera',
    'Back Ultra Wide Camera',
    'Back Telephoto Camera',
  ]);
});

test('backLenses puts Android’s camera 0 first', () => {
  expect(order('camera2 2, facing back', 'camera2 1, facing front', 'camera2 0, facing back')).toEqual([
    'camera2 0, facing back',
    'camera2 2, facing back',
  ]);
});

test('backLenses keeps every camera in order when no label helps', () => {
  expect(order('', '').length).toBe(2);
  expect(order('FaceTime HD Camera')).toEqual(['FaceTime HD Camera']);
});

test('backLenses omits other devices and cameras without an id', () => {
  expect(backLenses([{ kind: 'audioinput', deviceId: 'a', label: 'Mic' }])).toEqual([]);
  expect(backLenses([{ kind: 'videoinput', deviceId: '', label: '' }])).toEqual([]);
});
