import { BLOCK, cellAt, type Filler, type Spectrum, twoSpectra } from '../pixels/block-spectrum.ts';
import type { Plane } from './corners.ts';
import { type Matrix3, placeOf } from './geometry.ts';

/** Frequencies of waves, in cycles a block. Coarser ones are the scene's own shapes, finer ones are noise. */
const COARSEST = 4;
const FINEST = 28;
/** Power over the mean power around it, of a wave that both blocks show. */
const LEAST_HEIGHT = 6;
/** The same for a wave that only one of them shows. The other has less than this part of its power. */
const LEAST_ALONE = 15;
const LACKING = 8;
const AROUND = 7;
const OWN = 2;
/** Power of 0.1 squared grey levels: the rounding error of a picture without noise. */
const ROUNDING = 0.1 * BLOCK * BLOCK * 0.14;
/** A block's own shift counts where its coarse parts agree on it to this degree, 0..1, and it is at most this long, pixels. */
const LEAST_AGREEMENT = 0.5;
const FARTHEST = 4;

/** Blocks compared between two photographs at most, and the least distance between them, pixels: neighbours share half of their sides. */
const BLOCKS = 250;
const LEAST_SPACING = BLOCK / 2;

/** A frequency in cycles a block. */
interface Wave {
  kx: number;
  ky: number;
}

/** Where a point of the first frame lies in the second, and the derivative of that by rows: what a small step in the first becomes. */
export interface Local {
  x: number;
  y: number;
  step: readonly [number, number, number, number];
}

/** The spectra of a block of the first frame, by its upper left corner, and of the same place in the second; undefined outside of it. */
function bothSpectra(
  first: Plane,
  second: Plane,
  corner: readonly [number, number],
  place: Local,
): readonly [Spectrum, Spectrum] | undefined {
  const [a, b, c, d] = place.step;
  const reach = (BLOCK / 2) * Math.max(Math.abs(a) + Math.abs(b), Math.abs(c) + Math.abs(d)) + 1;
  const { x, y } = place;
  const inside = x >= reach && y >= reach && x <= second.width - 1 - reach && y <= second.height - 1 - reach;
  return inside ? twoSpectra(part(first, corner), laidOn(second, place)) : undefined;
}

/** Whether the fine waves of a film move with what it shows. */
export interface Followed {
  /** Blocks of a frame that were laid on another frame. */
  blocks: number;
  /** Those of them with a clear wave in both frames. */
  waves: number;
  /** Sum of the cosines between where each wave is and where it should be: `waves` where they belong to the scene, 0 where they go their own way. */
  followed: number;
}

/**
 * Follows the clearest wave of a block from a frame to one shortly after it. Cloth, bricks and a page's lines move with the scene: where the
 * block is laid on the same place of the other frame, the wave has the same phase. Moire between a display's pixels and the sensor's is the
 * difference of two lattices, and only one of them moves: its phase in the other frame is that of chance.
 */
export function followWave(
  first: Plane,
  second: Plane,
  corner: readonly [number, number],
  place: Local,
  found: Followed,
): void {
  const spectra = bothSpectra(first, second, corner, place);
  if (!spectra) return;
  found.blocks++;
  const [p, q] = spectra;
  const wave = clearest(p, q);
  const shift = Math.min(heightOf(p, wave), heightOf(q, wave)) >= LEAST_HEIGHT && ownShift(p, q);
  if (!shift) return;
  found.waves++;
  found.followed += Math.cos(phase(p, q, wave, shift));
}

/** Whether the fine waves of a photograph stand in another one of the same place. */
export interface Compared {
  /** Blocks that were laid on the other photograph. */
  blocks: number;
  /** Those of them where each photograph has a clear wave that the other lacks. */
  differ: number;
}

/**
 * Compares the waves of two photographs from different places. A pattern of the subject has, in the other photograph, the frequency that the
 * registration predicts. The frequency of moire is the difference of two, and only one of them follows the camera as it turns or comes nearer.
 *
 * @param toSecond homography from pixels of the first to pixels of the second
 */
export function compareWaves(first: Plane, second: Plane, toSecond: Matrix3): Compared {
  const found: Compared = { blocks: 0, differ: 0 };
  const spacing = Math.max(LEAST_SPACING, Math.sqrt((first.width * first.height) / BLOCKS));
  for (const y of corners(first.height, spacing)) {
    for (const x of corners(first.width, spacing)) {
      const place = placeAt(toSecond, x + BLOCK / 2, y + BLOCK / 2);
      const spectra = bothSpectra(first, second, [x, y], place);
      if (!spectra) continue;
      found.blocks++;
      if (differ(...spectra) && ownShift(...spectra)) found.differ++;
    }
  }
  return found;
}

function differ(p: Spectrum, q: Spectrum): boolean {
  const [a, b] = [clearest(p, p), clearest(q, q)];
  return heightOf(p, a) >= LEAST_ALONE && heightOf(q, b) >= LEAST_ALONE && lacks(q, p, a) && lacks(p, q, b);
}

/** Whether a block has hardly any power at and beside another block's wave. */
function lacks({ power }: Spectrum, other: Spectrum, { kx, ky }: Wave): boolean {
  const most = other.power[cellAt(kx, ky)] / LACKING;
  for (let y = ky - 1; y <= ky + 1; y++)
    for (let x = kx - 1; x <= kx + 1; x++) if (power[cellAt(x, y)] > most) return false;
  return true;
}

/** A part of the first frame. */
const part =
  ({ width, data }: Plane, [x0, y0]: readonly [number, number]): Filler =>
  block => {
    for (let y = 0; y < BLOCK; y++)
      for (let x = 0, at = (y0 + y) * width + x0; x < BLOCK; x++, at++) block[y * BLOCK + x] = data[at];
  };

/** The second frame as seen from the first: bilinear. */
const laidOn =
  ({ width, data }: Plane, { x, y, step: [a, b, c, d] }: Local): Filler =>
  block => {
    for (let j = 0; j < BLOCK; j++) {
      const v = j + 0.5 - BLOCK / 2;
      for (let i = 0; i < BLOCK; i++) {
        const u = i + 0.5 - BLOCK / 2;
        const px = x + a * u + b * v - 0.5;
        const py = y + c * u + d * v - 0.5;
        const [ix, iy] = [Math.floor(px), Math.floor(py)];
        const [fx, fy] = [px - ix, py - iy];
        const at = iy * width + ix;
        block[j * BLOCK + i] =
          (data[at] * (1 - fx) + data[at + 1] * fx) * (1 - fy) +
          (data[at + width] * (1 - fx) + data[at + width + 1] * fx) * fy;
      }
    }
  };

/** Phase of the second block's wave after the shift that should have led there, in radians. */
function phase(p: Spectrum, q: Spectrum, { kx, ky }: Wave, [dx, dy]: readonly [number, number]): number {
  const at = cellAt(kx, ky);
  const re = p.re[at] * q.re[at] + p.im[at] * q.im[at];
  const im = p.re[at] * q.im[at] - p.im[at] * q.re[at];
  const turned = Math.atan2(im, re) + (2 * Math.PI * (kx * dx + ky * dy)) / BLOCK;
  return Math.atan2(Math.sin(turned), Math.cos(turned));
}

/** The strongest wave that both blocks show. Power counts by the squared frequency, because that of a scene falls with it. */
function clearest(p: Spectrum, q: Spectrum): Wave {
  let best = 0;
  let wave = { kx: 0, ky: 0 };
  for (let ky = OWN; ky <= FINEST; ky++) {
    for (let kx = -FINEST; kx <= FINEST; kx++) {
      const squared = kx * kx + ky * ky;
      // Edges of buildings and of JPEG blocks lie on the axes.
      if (squared < COARSEST ** 2 || squared > FINEST ** 2 || Math.abs(kx) < OWN) continue;
      const at = cellAt(kx, ky);
      const power = p.power[at] * q.power[at] * squared;
      if (power > best) {
        best = power;
        wave = { kx, ky };
      }
    }
  }
  return wave;
}

/** Power of a cell over the mean power around it. */
function heightOf({ power }: Spectrum, { kx, ky }: Wave): number {
  let [sum, cells] = [0, 0];
  for (let y = Math.max(-BLOCK / 2, ky - AROUND); y <= Math.min(BLOCK / 2 - 1, ky + AROUND); y++) {
    for (let x = Math.max(-BLOCK / 2, kx - AROUND); x <= Math.min(BLOCK / 2 - 1, kx + AROUND); x++) {
      if (Math.abs(x - kx) <= OWN && Math.abs(y - ky) <= OWN) continue;
      sum += power[cellAt(x, y)];
      cells++;
    }
  }
  return power[cellAt(kx, ky)] / (sum / cells + ROUNDING);
}

/**
 * Returns the shift that is left between two blocks, because near things move further than the frame. Only coarse detail counts: a plane is
 * fitted through the phases of the lowest frequencies, from coarse to fine. Undefined where they fit no small shift.
 */
function ownShift(p: Spectrum, q: Spectrum): [number, number] | undefined {
  let [dx, dy] = [0, 0];
  let agreement = 0;
  for (const reach of [4, 6, 8]) {
    let [xx, xy, yy, gx, gy] = [1e-3, 0, 1e-3, 0, 0];
    let [along, all] = [0, 0];
    for (let ky = 0; ky <= reach; ky++) {
      for (let kx = -reach; kx <= reach; kx++) {
        const squared = kx * kx + ky * ky;
        if ((ky === 0 && kx <= 0) || squared > reach * reach) continue;
        const left = phase(p, q, { kx, ky }, [dx, dy]);
        const at = cellAt(kx, ky);
        const strength = Math.sqrt(Math.sqrt(p.power[at] * q.power[at])) * squared;
        const weight = strength / (1 + (left / 0.7) ** 2);
        const [jx, jy] = [(-2 * Math.PI * kx) / BLOCK, (-2 * Math.PI * ky) / BLOCK];
        xx += weight * jx * jx;
        xy += weight * jx * jy;
        yy += weight * jy * jy;
        gx += weight * jx * left;
        gy += weight * jy * left;
        along += strength * Math.cos(left);
        all += strength;
      }
    }
    const determinant = xx * yy - xy * xy;
    const limited = (value: number): number => Math.max(-3, Math.min(3, value));
    dx += limited((yy * gx - xy * gy) / determinant);
    dy += limited((xx * gy - xy * gx) / determinant);
    agreement = along / all;
  }
  return Math.hypot(dx, dy) < FARTHEST && agreement >= LEAST_AGREEMENT ? [dx, dy] : undefined;
}

/** Upper left corners of blocks along a side, evenly spread. */
export function corners(size: number, spacing: number): number[] {
  const count = Math.max(0, Math.floor((size - BLOCK) / spacing) + 1);
  return Array.from({ length: count }, (_, i) => Math.round(((size - BLOCK) * (i + 0.5)) / count));
}

function placeAt(h: Matrix3, x: number, y: number): Local {
  const w = h[6] * x + h[7] * y + h[8];
  const [u, v] = placeOf(h, x, y);
  return {
    x: u,
    y: v,
    step: [(h[0] - u * h[6]) / w, (h[1] - u * h[7]) / w, (h[3] - v * h[6]) / w, (h[4] - v * h[7]) / w],
  };
}
