import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataFiles } from '../../test/data.ts';
import { decode } from './decode.ts';
import { decodeAllOf, terminated } from './missing-scan.ts';

const EOI = Buffer.from([0xff, 0xd9]);
const part = (bytes: Buffer, share: number) => bytes.subarray(0, Math.floor(bytes.length * share));
const ended = (bytes: Buffer) => Buffer.concat([bytes, EOI]);

function chunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length);
  head.write(type, 4);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(Buffer.concat([head.subarray(4), content])));
  return Buffer.concat([head, content, check]);
}

/** A PNG whose chunks are all in order, with a part of its compressed rows. */
function cutPng(bytes: Buffer, share: number): Buffer {
  const kept: Buffer[] = [bytes.subarray(0, 8)];
  const rows: Buffer[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') rows.push(bytes.subarray(at + 8, at + 8 + length));
    else if (type !== 'IEND') kept.push(bytes.subarray(at, at + 12 + length));
    at += 12 + length;
  }
  return Buffer.concat([...kept, chunk('IDAT', part(Buffer.concat(rows), share)), chunk('IEND', Buffer.alloc(0))]);
}

describe('decode', () => {
  let drawn: Sharp;
  beforeAll(() => {
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
    drawn = sharp({ create: { width: 403, height: 301, channels: 3, background: '#888', noise } });
  });
  const kinds: [string, (picture: Sharp) => Sharp][] = [
    ['baseline', picture => picture.jpeg({ quality: 90 })],
    ['progressive', picture => picture.jpeg({ quality: 90, progressive: true })],
    ['grey', picture => picture.greyscale().jpeg()],
    ['without subsampling', picture => picture.jpeg({ chromaSubsampling: '4:4:4', quality: 60 })],
  ];

  it.each(kinds)('refuses a %s JPEG of which a part is missing, with an end marker and without', async (_, encode) => {
    const whole = await encode(drawn.clone()).toBuffer();
    for (const share of [0.3, 0.5, 2 / 3, 0.9]) {
      await expect(decode(ended(part(whole, share)))).rejects.toMatchObject({ code: 'truncated' });
    }
    expect((await decode(whole)).picture.width).toBe(403);
  });

  it('refuses a PNG whose rows end early', async () => {
    const whole = await drawn.clone().png().toBuffer();
    for (const share of [0.3, 2 / 3, 0.98]) {
      await expect(decode(cutPng(whole, share))).rejects.toMatchObject({ code: 'truncated' });
    }
    expect((await decode(cutPng(whole, 1))).picture.height).toBe(301);
  });

  it('takes a JPEG with stray bytes between its segments, which lacks no pixel', async () => {
    const whole = await drawn.clone().jpeg().toBuffer();
    const stray = Buffer.concat([whole.subarray(0, 20), Buffer.from([1, 2, 3]), whole.subarray(20)]);
    expect((await decode(stray)).picture.width).toBe(403);
  });
});

describe('decodeAllOf', () => {
  it('takes a JPEG that lacks only its end marker, and refuses one that lacks more', async () => {
    const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
    const create = { width: 64, height: 64, channels: 3, background: '#a63', noise } as const;
    const whole = await sharp({ create }).jpeg().toBuffer();
    const small = (bytes: Uint8Array) => decodeAllOf(failOn => sharp(terminated(bytes), { failOn }).raw().toBuffer());
    expect((await small(whole.subarray(0, -2))).length).toBe(64 * 64 * 3);
    await expect(small(part(whole, 0.6))).rejects.toMatchObject({ code: 'truncated' });
  });

  const genuine = dataFiles('camera', 'depth', 'phash', 'screen', 'ai').filter(({ path }) =>
    /\.(jpe?g|png|webp)$/i.test(path),
  );
  it.skipIf(genuine.length === 0)('refuses no real picture', { timeout: 900_000 }, async () => {
    // The set has it because it is broken: restart markers and data between them are missing.
    const BROKEN = /ianare\/corrupted\.jpg$/;
    const refused: string[] = [];
    for (const { path, read } of genuine.filter(file => !BROKEN.test(file.path))) {
      const bytes = read();
      const whole = /\.jpe?g$/i.test(path) ? terminated(bytes) : bytes;
      const small = decodeAllOf(failOn => sharp(whole, { failOn, sequentialRead: true }).resize(64).raw().toBuffer());
      await small.catch(cause => refused.push(`${path}: ${(cause as Error).message}`));
    }
    expect(refused).toEqual([]);
  });
});
