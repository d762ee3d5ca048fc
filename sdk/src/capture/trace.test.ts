import {
  TRACE_CONTENT_TYPE as CONTENT_TYPE,
  TRACE,
  type TraceHeader,
} from '@firsthand/contract/verification/presence.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TRACE_CONTENT_TYPE, TRACE_LIMITS, type TraceParts, traceBlob } from './trace.ts';

const parts = (frames: Uint8Array[], crops: Uint8Array[], motion: TraceParts['motion'] = []): TraceParts => ({
  challenge_id: 'chl_1',
  began_at: 1_795_000_000_000,
  video: { width: 1280, height: 960 },
  frames: frames.map((bytes, i) => ({ at: i * 66.7, jpeg: Uint8Array.from(bytes).buffer })),
  crops: crops.map((bytes, i) => ({ frame: i, x: 512, y: 352, jpeg: Uint8Array.from(bytes).buffer })),
  motion,
  track: { settings: { width: 1280 }, capabilities: {} },
  guidance: { gave_up: false, seconds: 3.1, moves: [{ move: 'right', done: true }] },
});

test('traceBlob gives a file whose header and lengths lead to every picture, with no byte left over', () => {
  const picture = fc.uint8Array({ minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(
      fc.array(picture, { minLength: 16, maxLength: 32 }),
      fc.array(picture, { maxLength: 12 }),
      (frames, crops) => {
        const file = new Uint8Array(traceBlob(parts(frames, crops)));
        const length = new DataView(file.buffer).getUint32(0);
        const header = JSON.parse(new TextDecoder().decode(file.subarray(4, 4 + length))) as TraceHeader;
        expect(header).toMatchObject({ version: 1, challenge_id: 'chl_1', video: { width: 1280, height: 960 } });
        let at = 4 + length;
        const found = [...header.frames, ...header.crops].map(({ bytes }) => {
          at += bytes;
          return file.slice(at - bytes, at);
        });
        expect(found).toEqual([...frames, ...crops].map(bytes => Uint8Array.from(bytes)));
        expect(at).toBe(file.length);
        expect(header.crops.every(({ size }) => size === 256)).toBe(true);
      },
    ),
  );
});

test('traceBlob throws for what the service refuses', () => {
  const one = Uint8Array.of(1);
  const many = (n: number, bytes = one) => Array.from({ length: n }, () => bytes);
  expect(() => traceBlob(parts(many(15), []))).toThrow('16 to 32 frames, not 15');
  expect(() => traceBlob(parts(many(33), []))).toThrow('16 to 32 frames');
  expect(() => traceBlob(parts(many(16), many(13)))).toThrow('12 crops');
  expect(() =>
    traceBlob(
      parts(
        many(16),
        [],
        Array.from({ length: 601 }, () => [0, 0, 0, 0]),
      ),
    ),
  ).toThrow('600 motion');
  expect(() => traceBlob(parts(many(16, new Uint8Array(100_000)), []))).toThrow('1500000 bytes');
  const wordy = parts(many(16), []);
  wordy.track.capabilities = { name: 'x'.repeat(70_000) };
  expect(() => traceBlob(wordy)).toThrow('bytes of header');
});

test('limits of a trace equal those of the contract', () => {
  const { maxSide: _, minFrames, maxFrames, maxCrops, cropSide, maxBytes, maxHeaderBytes, maxMotionSamples } = TRACE;
  expect(TRACE_LIMITS).toEqual({
    minFrames,
    maxFrames,
    maxCrops,
    cropSide,
    maxBytes,
    maxHeaderBytes,
    maxMotionSamples,
  });
  expect(TRACE_CONTENT_TYPE).toBe(CONTENT_TYPE);
});
