import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { readMetadata } from '../files/metadata/read.ts';
import type { Picture } from '../pixels/picture.ts';
import { drawScene } from '../simulate/scene.ts';
import { checkFresh } from './fresh.ts';
import { standardQuality } from './standard-tables.ts';
import type { Session } from './trace.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const dot: Picture = { width: 1, height: 1, data: new Uint8Array(3) };
const size = { width: 160, height: 120 };

function session(change: Partial<Session> = {}, times = Array.from({ length: 20 }, (_, i) => i * 133)): Session {
  return {
    challenge: { moves: ['right', 'up'], issuedAt: NOW - 20_000, expiresAt: NOW + 100_000 },
    trace: { beganAt: NOW, frames: times.map(at => ({ at, picture: dot })), videoWidth: 1, crops: [], motion: [] },
    still: dot,
    ...change,
  };
}

describe('checkFresh', () => {
  it('passes a trace begun under its challenge, whatever the spacing of a camera', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 60, max: 400, noNaN: true }), { minLength: 20, maxLength: 31 }), gaps => {
        let at = 0;
        const times = [0, ...gaps.map(gap => (at += gap))];
        expect(checkFresh(session({}, times))).toMatchObject({ evaluated: true, passed: true });
      }),
    );
  });

  it('calls a trace from before the challenge, or with times that stand or run back, a contradiction', () => {
    fc.assert(
      fc.property(fc.integer({ min: 61_000, max: 400 * 24 * 3600_000 }), before => {
        const early = session();
        early.trace.beganAt = early.challenge.issuedAt - before;
        expect(checkFresh(early)).toMatchObject({ passed: false, contradiction: true });
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 19 }), fc.integer({ min: 0, max: 500 }), (index, back) => {
        const times = Array.from({ length: 20 }, (_, i) => i * 133);
        times[index] = times[index - 1]! - back;
        expect(checkFresh(session({}, times))).toMatchObject({ passed: false, contradiction: true });
      }),
    );
  });

  it('doubts a file from another day and does not call it a contradiction', () => {
    const metadata = { thumbnail: false, fields: [], faults: [] };
    for (const taken_at of ['2025-05-02T10:00:00', '2025-05-02T10:00:00+02:00', '2026-03-04T12:00:00']) {
      const { passed, contradiction } = checkFresh(session({ metadata: { ...metadata, taken_at } }));
      expect([passed, contradiction]).toEqual([false, undefined]);
    }
    expect(checkFresh(session({ metadata: { ...metadata, gps_at: '2025-05-02T10:00:00Z' } })).passed).toBe(false);
    for (const taken_at of ['2026-03-02T01:59:00', '2026-02-28T22:01:00', '2026-03-01T13:00:00+01:00'])
      expect(checkFresh(session({ metadata: { ...metadata, taken_at } })).passed).toBe(true);
  });

  it('doubts an editor, a file saved again, a crop and a thumbnail of another picture', async () => {
    const picture = drawScene(4, size);
    const { data } = picture;
    const raw = { ...size, channels: 3 as const };
    const file = (quality: number): Promise<Buffer> =>
      sharp(data, { raw })
        .withExif({ IFD0: { Make: 'Maker' } })
        .jpeg({ quality })
        .toBuffer();
    const metadata = await readMetadata(await file(72));
    expect(checkFresh(session({ metadata })).evidence.standard_quality).toBe(72);
    expect(checkFresh(session({ metadata })).passed).toBe(false);
    expect(checkFresh(session({ metadata: await readMetadata(await file(93)) })).passed).toBe(true);
    const plain = { thumbnail: false, fields: [], faults: [] };
    expect(checkFresh(session({ metadata: { ...plain, software: 'Adobe Photoshop 25.1' } })).passed).toBe(false);
    expect(checkFresh(session({ metadata: { ...plain, software: 'HDR+ 1.0.9' } })).passed).toBe(true);
    const cropped = { ...plain, size: { width: 800, height: 600 }, exif_size: { width: 4000, height: 3000 } };
    expect(checkFresh(session({ metadata: cropped })).passed).toBe(false);
    const turned = { ...plain, size: { width: 3000, height: 4000 }, exif_size: { width: 4000, height: 3000 } };
    expect(checkFresh(session({ metadata: turned })).passed).toBe(true);
    const with_ = (thumbnail: Picture): Session => session({ metadata: plain, still: picture, thumbnail });
    expect(checkFresh(with_(drawScene(5, size))).passed).toBe(false);
    expect(checkFresh(with_(drawScene(4, size))).passed).toBe(true);
  });
});

it('standardQuality knows no other tables', () => {
  expect(standardQuality('0'.repeat(32))).toBeUndefined();
});
