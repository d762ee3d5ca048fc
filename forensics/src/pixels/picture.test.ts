import { describe, expect, it } from 'vitest';
import { halved, type Picture, release, shrink } from './picture.ts';
import { random as seeded } from './random.ts';

function noise(width: number, height: number): Picture {
  const random = seeded(width * height).uniform;
  return { width, height, data: Uint8Array.from({ length: width * height * 3 }, () => random() * 256) };
}

/** Computes the result pixel by pixel, by definition. */
function box({ data, width, height }: Picture, factor: number): Picture {
  const small = { width: Math.floor(width / factor), height: Math.floor(height / factor) };
  const out = new Uint8Array(small.width * small.height * 3);
  for (let i = 0; i < out.length; i++) {
    const [x, y, c] = [Math.floor(i / 3) % small.width, Math.floor(i / 3 / small.width), i % 3];
    let sum = 0;
    for (let k = 0; k < factor ** 2; k++)
      sum += data[((y * factor + Math.floor(k / factor)) * width + x * factor + (k % factor)) * 3 + c];
    out[i] = Math.floor(sum / factor ** 2 + 0.5);
  }
  return { ...small, data: out };
}

describe('shrink', () => {
  // Widths around the vector width of eight pixels, and one larger than a row buffer.
  it.each([
    [2, 2],
    [15, 5],
    [16, 4],
    [17, 3],
    [33, 6],
    [48, 3],
    [8_195, 5],
    [20_001, 2],
  ])('means 2 x 2 pixels of %i x %i, rounded to nearest', (width, height) => {
    const picture = noise(width, height);
    const { data, ...size } = shrink(picture, 2);
    const { data: expected, ...expectedSize } = box(picture, 2);
    expect(size).toEqual(expectedSize);
    expect(Buffer.compare(data, expected)).toBe(0);
  });

  it('leaves one pixel of a side that is shorter than the box', () => {
    expect(shrink(noise(1, 1), 2)).toMatchObject({ width: 1, height: 1, data: new Uint8Array(noise(1, 1).data) });
    expect(shrink(noise(9, 1), 2)).toMatchObject({ width: 4, height: 1 });
  });

  it.each([3, 5])('averages boxes of side %i', factor => {
    const picture = noise(31, 22);
    expect(Buffer.compare(shrink(picture, factor).data, box(picture, factor).data)).toBe(0);
  });
});

it('halved computes the half size once per picture', () => {
  const picture = noise(20, 20);
  expect(halved(picture)).toBe(halved({ ...picture }));
});

describe('release', () => {
  it('frees the pixels of a picture and of its halves', () => {
    const picture = noise(64, 32);
    const half = halved(picture);
    const quarter = halved(half);
    release(picture);
    expect([picture, half, quarter].map(({ data }) => data.byteLength)).toEqual([0, 0, 0]);
  });

  it('leaves a buffer that others use', () => {
    const { data } = noise(64, 64);
    const picture: Picture = { width: 64, height: 32, data: data.subarray(0, 64 * 32 * 3) };
    const half = halved(picture);
    release(picture);
    expect(data.byteLength).toBe(64 * 64 * 3);
    expect(half.data.byteLength).toBe(0);
  });

  it('lets a later picture use the memory of released halves, and no one see it through an earlier picture', () => {
    const first = noise(64, 32);
    const [half, memory] = [halved(first), halved(first).data.buffer];
    release(first);
    for (const [width, height] of [
      [64, 32],
      [40, 20],
      [200, 100],
    ] as const) {
      const later = noise(width, height);
      expect(Buffer.compare(halved(later).data, box(later, 2).data)).toBe(0);
      expect(Buffer.compare(halved(halved(later)).data, box(box(later, 2), 2).data)).toBe(0);
      expect([half.data.byteLength, memory.byteLength]).toEqual([0, 0]);
      release(later);
    }
  });
});
