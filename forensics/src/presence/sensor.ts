import { boxBlur } from '../pixels/blur.ts';
import { lumaOf } from '../pixels/luma.ts';
import { round } from '../pixels/round.ts';
import type { Path } from './path.ts';
import { type CheckResult, type Crop, failed, noAnswer, passed, type Trace } from './trace.ts';

/** Crops must move by this many pixels against each other, or noise that moves cannot be told from noise that stays. */
const LEAST_SHIFT = 3;
/** Aligned crops must agree in what is coarser than noise. */
const LEAST_AGREEMENT = 0.6;
/** Share of a crop's smoothest pixels in which noise is measured, and the fewest such pixels. */
const SMOOTH_SHARE = 0.3;
const LEAST_PIXELS = 2_000;
/** The share is taken from every fifth pixel, because sorting all takes longer than the rest of the check. */
const SAMPLED = 5;
/** Noise of less than this many grey levels is what JPEG leaves of any picture. */
const LEAST_NOISE = 0.35;
/** Correlation of noise along the scene's movement. A warped still is near 1 before compression; independent noise near 0, plus the scene's finest detail. */
const FROZEN = 0.6;
const LIVE = 0.45;
/** Correlation at rest on the sensor, in standard errors, that counts as the sensor's own pattern. */
const OWN_PATTERN = 4;

/**
 * Asks whether the finest noise of the crops is new in every frame, or belongs to the sensor, as in a camera's film. In a still that a
 * program warps into a film it moves with the scene. The residual is what a 3 x 3 mean leaves (Lukas, Fridrich, Goljan 2006 use a wavelet
 * filter for the same purpose), where the scene is smoothest.
 */
export function checkSensor(trace: Trace, path: Path): CheckResult {
  const { crops } = trace;
  if (crops.length < 2) {
    const words = 'The trace holds no crops at full resolution.';
    return { ...noAnswer(words), ...(hasRoom(trace) && { missing: words }) };
  }
  const pairs = comparedCrops(trace, path);
  const compared = pairs.length;
  const evidence: CheckResult['evidence'] = { crops: crops.length, compared };
  if (compared < 2) return noAnswer('The crops could not be laid on each other.', evidence);
  const along = pairs.map(pair => pair.along).sort((p, q) => p - q);
  const moved = along[along.length >> 1]!;
  const noise = pairs.reduce((sum, pair) => sum + pair.noise, 0) / compared;
  // Fisher: the standard error of a correlation near 0 is 1/sqrt(n). The filter makes neighbours depend on each other: about a factor of 2.
  const fixed = pairs.reduce((sum, { rest, pixels }) => sum + (rest * Math.sqrt(pixels)) / 2, 0) / Math.sqrt(compared);
  Object.assign(evidence, {
    noise_levels: round(noise),
    moved_along: round(moved),
    stayed: round(pairs.reduce((sum, { rest }) => sum + rest, 0) / compared),
    stayed_sigma: round(fixed),
  });
  if (noise < LEAST_NOISE) return noAnswer('The crops hold no noise to compare.', evidence);
  if (moved >= FROZEN)
    return failed('The noise moves with the scene, as in a photo that a program pans.', 0.9, evidence);
  if (moved <= LIVE && fixed >= OWN_PATTERN)
    return passed('The noise is new in every frame, and a pattern stays with the sensor.', 0.05, evidence);
  if (moved <= LIVE)
    return noAnswer('The noise is new in every frame, but no pattern of a sensor was found.', evidence);
  return noAnswer('Fine detail of the scene hides whether the noise moves with it.', evidence);
}

/** Side of a crop, pixels. The page takes crops from every video whose sides are as long. */
const CROP_SIDE = 256;

function hasRoom({ videoWidth, frames }: Trace): boolean {
  const { width, height } = frames[0]!.picture;
  return Math.min(videoWidth, (videoWidth * height) / width) >= CROP_SIDE;
}

/** What two crops that follow each other say of the noise. */
export interface ComparedCrops {
  first: Residual;
  second: Residual;
  /** Shift of the content from the first to the second, pixels. */
  dx: number;
  dy: number;
  /** Correlation of the noise along the scene's movement, and at rest on the sensor. */
  along: number;
  rest: number;
  /** Pixels compared at rest; 0 for too few. */
  pixels: number;
  /** Grey levels of the noise. */
  noise: number;
}

const known = new WeakMap<Trace, ComparedCrops[]>();

/** Compares each crop with the next. Leaves out those that cannot be laid on each other. */
export function comparedCrops(trace: Trace, path: Path): ComparedCrops[] {
  const before = known.get(trace);
  if (before) return before;
  const { crops, frames, videoWidth } = trace;
  const { width, height } = frames[0]!.picture;
  const longest = (videoWidth * Math.max(width, height)) / width;
  const pairs = crops.slice(1).flatMap((second, i): ComparedCrops[] => {
    const first = crops[i]!;
    const [from, to] = [path.points[first.frame], path.points[second.frame]];
    if (!from || !to) return [];
    const found = compareCrops(first, second, (from.x - to.x) * longest, (from.y - to.y) * longest);
    return found ? [found] : [];
  });
  known.set(trace, pairs);
  return pairs;
}

/** A crop's noise, what is coarser, and where it is smooth. */
interface Residual {
  width: number;
  height: number;
  luma: Float32Array;
  noise: Float32Array;
  smooth: Float32Array;
  /** The gradient below which `SMOOTH_SHARE` of the pixels lie. */
  limit: number;
}

const residuals = new WeakMap<Crop, Residual>();

function residualOf(crop: Crop): Residual {
  const known = residuals.get(crop);
  if (known) return known;
  const { width, height, data } = crop.picture;
  const luma = lumaOf(data, width * height);
  const mean = new Float32Array(luma);
  boxBlur(mean, width, height, 1);
  const noise = luma.map((value, i) => value - mean[i]);
  // The gradient of what is coarser than the noise.
  const coarse = new Float32Array(luma);
  boxBlur(coarse, width, height, 2);
  const smooth = new Float32Array(luma.length).fill(Number.POSITIVE_INFINITY);
  const every = new Float32Array(luma.length);
  let sampled = 0;
  for (let y = 3; y < height - 3; y++)
    for (let x = 3, at = y * width + 3; x < width - 3; x++, at++) {
      smooth[at] =
        Math.abs(coarse[at + 3] - coarse[at - 3]) + Math.abs(coarse[at + 3 * width] - coarse[at - 3 * width]);
      if (at % SAMPLED === 0) every[sampled++] = smooth[at];
    }
  const sorted = every.subarray(0, sampled).sort();
  const limit = sorted[Math.floor(sampled * SMOOTH_SHARE)] ?? 0;
  const found = { width, height, luma: coarse, noise, smooth, limit };
  residuals.set(crop, found);
  return found;
}

/** @param dx,dy expected shift of the content from the first crop to the second, pixels */
function compareCrops(first: Crop, second: Crop, dx: number, dy: number): ComparedCrops | undefined {
  const [a, b] = [residualOf(first), residualOf(second)];
  const place = align(a, b, dx, dy);
  if (!place || Math.hypot(place.x, place.y) < LEAST_SHIFT) return undefined;
  const { limit } = a;
  let ab = 0;
  let aa = 0;
  let bb = 0;
  let n = 0;
  let sab = 0;
  let saa = 0;
  let sbb = 0;
  let m = 0;
  const [left, top] = [Math.floor(place.x), Math.floor(place.y)];
  const fx = place.x - left;
  const fy = place.y - top;
  for (let y = 3; y < a.height - 3; y++) {
    for (let x = 3; x < a.width - 3; x++) {
      const at = y * a.width + x;
      if (a.smooth[at] > limit) continue;
      const own = a.noise[at];
      if (b.smooth[at] <= 2 * limit) {
        sab += own * b.noise[at];
        saa += own * own;
        sbb += b.noise[at] ** 2;
        m++;
      }
      const px = x + left;
      const py = y + top;
      if (px < 3 || py < 3 || px >= b.width - 4 || py >= b.height - 4) continue;
      const to = py * b.width + px;
      const seen =
        (b.noise[to] * (1 - fx) + b.noise[to + 1] * fx) * (1 - fy) +
        (b.noise[to + b.width] * (1 - fx) + b.noise[to + b.width + 1] * fx) * fy;
      ab += own * seen;
      aa += own * own;
      bb += seen * seen;
      n++;
    }
  }
  if (n < LEAST_PIXELS) return undefined;
  return {
    first: a,
    second: b,
    dx: place.x,
    dy: place.y,
    along: ab / Math.sqrt(aa * bb + 1e-9),
    rest: m < LEAST_PIXELS ? 0 : sab / Math.sqrt(saa * sbb + 1e-9),
    pixels: m < LEAST_PIXELS ? 0 : m,
    noise: Math.sqrt(aa / n),
  };
}

/** Half side of the search around the expected shift, pixels. */
const SEARCH = 12;

/** Finds the shift at which what is coarser than noise agrees best, to a fraction of a pixel by a parabola through the neighbours. */
function align(a: Residual, b: Residual, dx: number, dy: number): { x: number; y: number } | undefined {
  const [cx, cy] = [Math.round(dx), Math.round(dy)];
  if (Math.abs(cx) > a.width * 0.7 || Math.abs(cy) > a.height * 0.7) return undefined;
  const scores = new Map<string, number>();
  const score = (x: number, y: number): number => {
    const key = `${x},${y}`;
    const known = scores.get(key);
    if (known !== undefined) return known;
    const value = agreement(a, b, x, y);
    scores.set(key, value);
    return value;
  };
  let best = { x: cx, y: cy, r: score(cx, cy) };
  for (const step of [4, 2, 1]) {
    const { x, y } = best;
    const reach = step === 4 ? SEARCH : step;
    for (let v = y - reach; v <= y + reach; v += step)
      for (let u = x - reach; u <= x + reach; u += step) {
        const r = score(u, v);
        if (r > best.r) best = { x: u, y: v, r };
      }
  }
  if (best.r < LEAST_AGREEMENT) return undefined;
  const { x, y, r } = best;
  const peak = (low: number, high: number): number => {
    const bend = low - 2 * r + high;
    return bend < -1e-9 ? Math.max(-0.5, Math.min(0.5, (low - high) / (2 * bend))) : 0;
  };
  return { x: x + peak(score(x - 1, y), score(x + 1, y)), y: y + peak(score(x, y - 1), score(x, y + 1)) };
}

function agreement(a: Residual, b: Residual, dx: number, dy: number): number {
  let sa = 0;
  let sb = 0;
  let ab = 0;
  let aa = 0;
  let bb = 0;
  let n = 0;
  for (let y = 4; y < a.height - 4; y += 3) {
    const v = y + dy;
    if (v < 4 || v >= b.height - 4) continue;
    for (let x = 4; x < a.width - 4; x += 3) {
      const u = x + dx;
      if (u < 4 || u >= b.width - 4) continue;
      const p = a.luma[y * a.width + x];
      const q = b.luma[v * b.width + u];
      sa += p;
      sb += q;
      ab += p * q;
      aa += p * p;
      bb += q * q;
      n++;
    }
  }
  if (n < 300) return 0;
  return (ab - (sa * sb) / n) / Math.sqrt((aa - (sa * sa) / n) * (bb - (sb * sb) / n) + 1e-6);
}
