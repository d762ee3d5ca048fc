import { type Move, TRACE, type TraceHeader } from '@firsthand/contract/verification/presence.ts';
import fc from 'fast-check';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { traceFile } from '../simulate/trace-file.ts';
import { decodeTrace, readTraceFile, TraceFault } from './read-trace.ts';

const MOVES: Move[] = ['right', 'up'];

/** Flat pictures: a trace whose structure is right costs nothing to make. */
const jpeg = (width: number, height: number, o: { orientation?: number; progressive?: boolean } = {}) => {
  const made = sharp({ create: { width, height, channels: 3, background: '#7a8' } });
  const turned = o.orientation ? made.withMetadata({ orientation: o.orientation }) : made;
  return turned.jpeg({ progressive: o.progressive ?? false }).toBuffer();
};

let frame: Buffer;
let crop: Buffer;
beforeAll(async () => {
  frame = await jpeg(320, 240);
  crop = await jpeg(256, 256);
});

const headerOf = (frames: Buffer[], crops: Buffer[]): TraceHeader => ({
  version: 1,
  challenge_id: 'chl_01JD3V6ZB2C4D6E8F0G1H3J5K7',
  began_at: Date.UTC(2026, 10, 21),
  video: { width: 1280, height: 960 },
  frames: frames.map(({ length }, i) => ({ at: 133.4 * i, bytes: length })),
  crops: crops.map(({ length }, i) => ({ frame: i, x: 512, y: 352, size: 256, bytes: length })),
  motion: [[0.5, 0.1, -0.2, 0.01]],
  track: { settings: { facingMode: 'environment' }, capabilities: {} },
  guidance: { gave_up: false, seconds: 2.5, moves: MOVES.map(move => ({ move, done: true })) },
});
const parts = (frames: number = TRACE.minFrames, crops = 2): [Buffer[], Buffer[]] => [
  Array(frames).fill(frame),
  Array(crops).fill(crop),
];
const fileOf = (frames: Buffer[], crops: Buffer[], change: object = {}): Buffer =>
  traceFile({ ...headerOf(frames, crops), ...change }, [...frames, ...crops]);
const refused = async (file: Uint8Array): Promise<void> => {
  await expect(readTraceFile(file)).rejects.toThrow(TraceFault);
};

describe('readTraceFile', () => {
  it.each([
    [TRACE.minFrames, 0],
    [TRACE.maxFrames, TRACE.maxCrops],
  ])('takes %i frames and %i crops', async (frames, crops) => {
    const read = await readTraceFile(fileOf(...parts(frames, crops)));
    const trace = await decodeTrace(read);
    expect([trace.frames.length, trace.crops.length]).toEqual([frames, crops]);
    expect(trace.frames[3]).toMatchObject({ at: 133.4 * 3, picture: { width: 320, height: 240 } });
    expect(trace.motion).toEqual([{ at: 0.5, rate: [0.1, -0.2, 0.01] }]);
  });

  it('keeps the name of a program, and refuses one of more than 100 characters', async () => {
    const named = (program: unknown) => fileOf(...parts(), { track: { settings: {}, capabilities: {}, program } });
    expect((await readTraceFile(named('OBS Virtual Camera'))).header.track.program).toBe('OBS Virtual Camera');
    expect((await readTraceFile(fileOf(...parts()))).header.track).not.toHaveProperty('program');
    await refused(named('x'.repeat(101)));
    await refused(named(7));
  });

  it('refuses counts and sizes outside the bounds', async () => {
    await refused(fileOf(...parts(TRACE.minFrames - 1)));
    await refused(fileOf(...parts(TRACE.maxFrames + 1)));
    await refused(fileOf(...parts(TRACE.minFrames, TRACE.maxCrops + 1)));
    await refused(fileOf(Array(TRACE.minFrames).fill(await jpeg(481, 320)), []));
    await refused(fileOf(Array(TRACE.minFrames).fill(await jpeg(320, 40)), []));
    await refused(fileOf([...parts()[0].slice(1), await jpeg(321, 240)], []));
    await refused(fileOf(parts()[0], [await jpeg(255, 256)]));
    await refused(fileOf(...parts(), { motion: Array(TRACE.maxMotionSamples + 1).fill([0, 0, 0, 0]) }));
    await refused(Buffer.concat([fileOf(...parts()), Buffer.alloc(1)]));
    await refused(fileOf(...parts()).subarray(0, -1));
    await refused(new Uint8Array(TRACE.maxBytes + 1));
    const header = Buffer.alloc(4);
    header.writeUInt32BE(0xffffffff);
    await refused(Buffer.concat([header, Buffer.alloc(100)]));
  });

  it('refuses what is no upright JPEG', async () => {
    await refused(fileOf(Array(TRACE.minFrames).fill(await jpeg(320, 240, { orientation: 6 })), []));
    const png = await sharp(frame).png().toBuffer();
    await refused(fileOf(Array(TRACE.minFrames).fill(png), []));
    await refused(fileOf(Array(TRACE.minFrames).fill(frame.subarray(0, 200)), []));
    const scans = Buffer.concat([
      frame.subarray(0, -2),
      ...Array(70).fill(Buffer.from([0xff, 0xda])),
      frame.subarray(-2),
    ]);
    await refused(fileOf([scans, ...parts()[0].slice(1)], []));
  });

  it('takes progressive JPEGs', async () => {
    const progressive = await jpeg(320, 240, { progressive: true });
    await expect(readTraceFile(fileOf(Array(TRACE.minFrames).fill(progressive), []))).resolves.toBeDefined();
  });

  it('reads a header of any JSON, or refuses it with a TraceFault', async () => {
    const [frames, crops] = parts();
    const right = headerOf(frames, crops);
    const names = Object.keys(right) as (keyof TraceHeader)[];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.jsonValue(), async (name, value) => {
        const file = traceFile({ ...right, [name]: value }, [...frames, ...crops]);
        await readTraceFile(file).then(decodeTrace, error => expect(error).toBeInstanceOf(TraceFault));
      }),
      { numRuns: 300 },
    );
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), value => refused(traceFile(value, [...frames, ...crops]))),
      { numRuns: 100 },
    );
  });

  it('reads a damaged file, or refuses it with a TraceFault', async () => {
    const file = fileOf(...parts());
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ at: fc.nat(file.length - 1), byte: fc.nat(255) }), { minLength: 1, maxLength: 40 }),
        fc.nat(file.length),
        async (damage, cut) => {
          const damaged = Buffer.from(file);
          for (const { at, byte } of damage) damaged[at] = byte;
          for (const bytes of [damaged, damaged.subarray(0, cut)]) {
            await readTraceFile(bytes)
              .then(decodeTrace)
              .catch(error => expect(error).toBeInstanceOf(TraceFault));
          }
        },
      ),
      { numRuns: 100 },
    );
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), refused), { numRuns: 200 });
  });
});
