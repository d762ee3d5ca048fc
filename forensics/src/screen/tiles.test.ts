import { describe, expect, it } from 'vitest';
import { fft2, HANN, N } from '../pixels/fft.ts';
import type { Picture } from '../pixels/picture.ts';
import { random as seeded } from '../pixels/random.ts';
import { measureTiles, type Tile } from './tiles.ts';

const HALF = N / 2;
const random = seeded(7).uniform;
const noise = () => Float32Array.from({ length: N * N }, () => random() - 0.5);

describe('fft2', () => {
  it('is the discrete Fourier transform, transposed', () => {
    const [re, im] = [noise(), noise()];
    const [outRe, outIm] = [re.slice(), im.slice()];
    fft2(outRe, outIm);
    for (const [fx, fy] of [
      [0, 0],
      [1, 0],
      [0, 1],
      [3, 250],
      [64, 128],
      [255, 77],
      [130, 131],
    ] as const) {
      let [sumRe, sumIm] = [0, 0];
      for (let i = 0; i < N * N; i++) {
        const angle = (-2 * Math.PI * (fx * (i % N) + fy * Math.floor(i / N))) / N;
        sumRe += re[i] * Math.cos(angle) - im[i] * Math.sin(angle);
        sumIm += re[i] * Math.sin(angle) + im[i] * Math.cos(angle);
      }
      expect(outRe[fx * N + fy]).toBeCloseTo(sumRe, 2);
      expect(outIm[fx * N + fy]).toBeCloseTo(sumIm, 2);
    }
  });
});

/** Draws one tile with two gratings at right angles, one of them coloured, on noise. */
function gratings(): Picture {
  const data = new Uint8Array(N * N * 3);
  for (let i = 0; i < N * N; i++) {
    const [x, y] = [i % N, Math.floor(i / N)];
    const first = 30 * Math.cos((2 * Math.PI * (40 * x + 21 * y)) / N);
    const second = 20 * Math.cos((2 * Math.PI * (-22 * x + 41 * y)) / N);
    for (let c = 0; c < 3; c++) data[3 * i + c] = 110 + 10 * c + first + second * (c - 0.5) + 20 * random();
  }
  return { width: N, height: N, data };
}

/** Computes a tile's numbers cell by cell, by definition. */
function definition({ data }: Picture) {
  const luma = Float64Array.from({ length: N * N }, (_, i) => weigh(data, i, [0.299, 0.587, 0.114]));
  const opponent = Float64Array.from({ length: N * N }, (_, i) => weigh(data, i, [1, 0, -1]));
  const redGreen = Float64Array.from({ length: N * N }, (_, i) => weigh(data, i, [1, -1, 0]));
  const a = spectrum(luma);
  const b = spectrum(opponent);
  const rings = Array.from({ length: 8 }, () => ({ n: 0, luma: 0, opponent: 0, re: 0, im: 0 }));
  const sectors = Array.from({ length: 4 * 16 }, () => ({ n: 0, luma: 0 }));
  for (let fx = 0; fx <= HALF; fx++) {
    for (let fy = -HALF; fy < HALF; fy++) {
      const f = Math.hypot(fx, fy) / N;
      if (f >= 0.5) continue;
      const ring = Math.floor(f * 16);
      const at = fx * N + ((fy + N) % N);
      const [p, q] = [a.re[at] ** 2 + a.im[at] ** 2, b.re[at] ** 2 + b.im[at] ** 2];
      rings[ring].n++;
      rings[ring].luma += p;
      rings[ring].opponent += q;
      rings[ring].re += a.re[at] * b.re[at] + a.im[at] * b.im[at];
      rings[ring].im += a.im[at] * b.re[at] - a.re[at] * b.im[at];
      if (ring >= 4) continue;
      const sector = sectors[ring * 16 + Math.min(15, Math.floor((Math.atan2(fy, fx) / Math.PI + 0.5) * 16))];
      sector.n++;
      sector.luma += p;
    }
  }
  const bands = rings.map(({ luma, n }) => Math.log(luma / n + 1));
  const inner = rings.slice(0, 4);
  const strongest = (ring: number) =>
    Math.max(...sectors.slice(16 * ring, 16 * ring + 16).map(({ luma, n }) => luma / Math.max(1, n)));
  const residuals = residualOf(luma);
  const variance = mean(residuals.map(v => v * v));
  return {
    mean: mean(luma),
    deviation: Math.sqrt(mean(luma.map(v => v * v)) - mean(luma) ** 2),
    bands: bands.map(level => level - bands[1]),
    chroma: inner.map(({ luma, opponent, n }) => Math.log((opponent + n) / (luma + n))),
    coherence: inner.map(({ luma, opponent, re, im }) => (re ** 2 + im ** 2) / (luma * opponent + 1)),
    direction: inner.map(({ luma, n }, ring) => Math.log((strongest(ring) + 1) / (luma / n + 1))),
    noise: Math.log(mean(residuals.map(Math.abs)) + 0.05),
    kurtosis: Math.log(mean(residuals.map(v => v ** 4)) / (variance ** 2 + 1e-6) + 1e-3),
    colourNoise: Math.log(mean(residualOf(redGreen).map(Math.abs)) + 0.05),
  };
}

function weigh(data: Uint8Array, pixel: number, weights: number[]): number {
  return weights.reduce((sum, weight, c) => sum + weight * data[3 * pixel + c], 0);
}

function mean(values: Float64Array | number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

function spectrum(plane: Float64Array): { re: Float32Array; im: Float32Array } {
  const level = mean(plane);
  const re = Float32Array.from(plane, (v, i) => (v - level) * HANN[i % N] * HANN[Math.floor(i / N)]);
  const im = new Float32Array(N * N);
  fft2(re, im);
  return { re, im };
}

function residualOf(plane: Float64Array): number[] {
  const kernel = [1, -2, 1];
  const found: number[] = [];
  for (let y = 1; y < N - 1; y += 2) {
    for (let x = 1; x < N - 1; x++) {
      let sum = 0;
      for (let k = 0; k < 9; k++)
        sum += kernel[k % 3] * kernel[Math.floor(k / 3)] * plane[(y + Math.floor(k / 3) - 1) * N + x + (k % 3) - 1];
      found.push(sum);
    }
  }
  return found;
}

describe('measureTiles', () => {
  const picture = gratings();
  const [tile] = measureTiles(picture, 1).tiles as [Tile];

  it('agrees with the definitions', () => {
    for (const [name, expected] of Object.entries(definition(picture))) {
      const measured = [tile[name as 'bands']].flat();
      for (const [i, value] of [expected].flat().entries())
        expect(Math.abs(measured[i] - value), `${name} ${i}`).toBeLessThan(1e-4 * Math.max(1, Math.abs(value)));
    }
  });

  it('finds both gratings, their lattice and which of them is coloured', () => {
    const at = ({ fx, fy }: { fx: number; fy: number }) => [fx * N, fy * N];
    expect(tile.luma.slice(0, 2).map(at)).toEqual([
      [40, 21],
      [22, -41],
    ]);
    expect(at(tile.opponent[0])).toEqual([22, -41]);
    const [first, second] = tile.luma;
    expect(second.colour - first.colour).toBeGreaterThan(3);
    expect(first.height).toBeGreaterThan(8);
    expect(tile.lattice).toBe(second.height);
  });

  it('omits dark and overexposed tiles', () => {
    const flat = (level: number) => ({ width: N, height: N, data: new Uint8Array(N * N * 3).fill(level) });
    expect(measureTiles(flat(5), 1).tiles).toHaveLength(0);
    expect(measureTiles(flat(254), 1).tiles).toHaveLength(0);
    expect(measureTiles(flat(128), 1).tiles[0]).toMatchObject({ mean: 128, deviation: 0, luma: [], lattice: 0 });
  });
});
