import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import type { Grey } from './grey.ts';
import { judge } from './judge.ts';

const WIDTH = 480;
const HEIGHT = 360;
const LARGE = { width: 2667, height: 2000 };

/** Draws a page of text-like bars on a table. `svg` adds an overlay. */
async function scene(
  o: { light?: number; blur?: number; turn?: number; over?: string; width?: number } = {},
): Promise<Grey> {
  const bars = Array.from({ length: 34 }, (_, i) => {
    const y = 90 + (i % 17) * 32;
    const x = i < 17 ? 250 : 610;
    return `<rect x="${x}" y="${y}" width="${180 + ((i * 73) % 150)}" height="13" fill="#223"/>`;
  }).join('');
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="900">
    <rect width="1200" height="900" fill="#8a7a66"/>
    <g transform="rotate(${o.turn ?? 0} 600 450)"><rect x="200" y="40" width="800" height="640" fill="#f2f2ee"/>${bars}</g>
    ${o.over ?? ''}</svg>`;
  let image = sharp(Buffer.from(svg));
  if (o.blur) image = sharp(await image.png().toBuffer()).blur(o.blur);
  const { data, info } = await image
    .resize(WIDTH, HEIGHT)
    .linear(o.light ?? 1, 0)
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: Float32Array.from(data) };
}

describe('judge', () => {
  test('gives a sharp, well lit, level page no hint', async () => {
    expect(judge(await scene(), LARGE)).toEqual([]);
  });
  test('calls the same page in the dark dark, and nothing else', async () => {
    expect(judge(await scene({ light: 0.12 }), LARGE)).toEqual(['dark']);
  });
  test('calls an unfocused page blurred', async () => {
    expect(judge(await scene({ blur: 9 }), LARGE)).toEqual(['blurred']);
  });
  test('calls a picture with few pixels small', async () => {
    expect(judge(await scene(), { width: 700, height: 525 })).toEqual(['small']);
  });
  test('says first that a picture below 640 pixels on its long side is too small to be checked', async () => {
    expect(judge(await scene(), { width: 639, height: 480 })).toEqual(['tooSmall']);
    expect(judge(await scene({ blur: 9 }), { width: 480, height: 639 })).toEqual(['tooSmall', 'blurred']);
    expect(judge(await scene(), { width: 640, height: 480 })).toEqual(['small']);
  });
  test('calls a page turned by 15 degrees tilted, by 2 degrees not', async () => {
    expect(judge(await scene({ turn: 15 }), LARGE)).toEqual(['tilted']);
    expect(judge(await scene({ turn: 2 }), LARGE)).toEqual([]);
  });
  test('calls a dark blob over a corner a finger', async () => {
    const finger = '<ellipse cx="1150" cy="860" rx="520" ry="460" fill="#4a2a20"/>';
    expect(judge(await scene({ over: finger }), LARGE)).toContain('finger');
  });
  test('does not call an empty wall blurred', () => {
    const data = new Float32Array(WIDTH * HEIGHT).fill(180);
    expect(judge({ width: WIDTH, height: HEIGHT, data }, LARGE)).toEqual([]);
  });
});
