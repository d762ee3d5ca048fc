import { expect, test } from 'vitest';
import { backLenses } from './lens.ts';

const cameras = (...labels: string[]) => labels.map((label, i) => ({ kind: 'videoinput', deviceId: `d${i}`, label }));
const order = (...labels: string[]) => backLenses(cameras(...labels)).map(camera => camera.label);

test('an iPhone’s wide lens comes before the ones that switch by themselves, ultra wide and telephoto', () => {
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

test('Android’s camera 0 comes first', () => {
  expect(order('camera2 2, facing back', 'camera2 1, facing front', 'camera2 0, facing back')).toEqual([
    'camera2 0, facing back',
    'camera2 2, facing back',
  ]);
});

test('where no label tells, every camera stays, in its order', () => {
  expect(order('', '').length).toBe(2);
  expect(order('FaceTime HD Camera')).toEqual(['FaceTime HD Camera']);
});

test('what is no camera, or has no id yet, is left out', () => {
  expect(backLenses([{ kind: 'audioinput', deviceId: 'a', label: 'Mic' }])).toEqual([]);
  expect(backLenses([{ kind: 'videoinput', deviceId: '', label: '' }])).toEqual([]);
});
