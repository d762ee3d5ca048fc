import type { TraceParts } from '@firsthand/sdk/capture/trace.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitted, programOf } from './trace.ts';

const MOST = 1_000;

test('fitted leaves out crops, then frames, until the pictures fit, and keeps each crop with its frame', () => {
  const sizes = (least: number, most: number) => fc.array(fc.nat(90), { minLength: least, maxLength: most });
  fc.assert(
    fc.property(sizes(16, 32), sizes(0, 12), (frames, crops) => {
      const parts = {
        frames: frames.map((bytes, at) => ({ at, jpeg: new ArrayBuffer(bytes) })),
        crops: crops.map((bytes, i) => ({ frame: i, x: 0, y: 0, jpeg: new ArrayBuffer(bytes) })),
      } as unknown as TraceParts;
      const left = fitted(parts, MOST);
      const total = [...left.frames, ...left.crops].reduce((sum, { jpeg }) => sum + jpeg.byteLength, 0);
      if (total > MOST) {
        expect(left.crops.length).toBeLessThanOrEqual(5);
        // Frames with a crop, and every second of the rest, stay.
        expect(left.frames.length).toBeLessThanOrEqual(24);
      }
      expect(left.frames.length).toBeGreaterThanOrEqual(16);
      expect(left.frames[0]).toBe(parts.frames[0]);
      expect(left.frames.at(-1)).toBe(parts.frames.at(-1));
      for (const { frame, jpeg } of left.crops) {
        const before = parts.crops.find(crop => crop.jpeg === jpeg)!;
        expect(left.frames[frame]).toBe(parts.frames[before.frame]);
      }
    }),
  );
});

test('programOf names programs that pretend to be a camera, and no other camera', () => {
  for (const label of [
    'OBS Virtual Camera',
    'ManyCam Virtual Webcam',
    'Dummy video device (v4l2loopback)',
    'XSplit VCam',
  ])
    expect(programOf(label)).toEqual({ program: label });
  for (const label of [
    '',
    'camera2 0, facing back',
    'Back Dual Wide Camera',
    'FaceTime HD Camera',
    'Ann’s iPhone Camera',
  ])
    expect(programOf(label)).toEqual({});
  expect(programOf()).toEqual({});
  expect(programOf(`OBS ${'x'.repeat(200)}`).program).toHaveLength(100);
});
