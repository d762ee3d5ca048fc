import { CANDIDATES, HALF, INTEGRAL, LUMA_POWER, N, OPPONENT_POWER, PEAKS, WINDOW } from './memory';

/** Half side of the area around a peak that the comparison excludes. */
const GUARD: i32 = 2;
/** Peaks below this ratio to the mean power around them are dropped. */
const LEAST: f64 = Math.E;
/** Minimum distance between two peaks, in cells. */
const APART: i32 = 4;

/**
 * Finds local maxima of luma's power (with `colour`: of R - B's power) between two radii, given as squares in cells. Writes the `limit` (at
 * most 8) peaks with the highest ratio to their surroundings to `PEAKS`, highest first.
 *
 * @returns their number
 */
export function findPeaks(colour: bool, low2: f64, high2: f64, last: i32, limit: i32): i32 {
  const power = colour ? OPPONENT_POWER : LUMA_POWER;
  integrate(power, last + 2 * WINDOW + 1);
  return keep(collect(power, low2, high2, last), limit);
}

function integrate(power: usize, rows: i32): void {
  for (let row = 0; row < rows; row++) {
    let line: f64 = 0;
    let above = INTEGRAL + ((row * (N + 1) * 8) as usize);
    let from = power + ((row * N * 4) as usize);
    for (let column = 0; column < N; column++, from += 4) {
      above += 8;
      line += load<f32>(from) as f64;
      store<f64>(above, load<f64>(above) + line, (N + 1) * 8);
    }
  }
}

function box(r0: i32, c0: i32, r1: i32, c1: i32): f64 {
  const top = INTEGRAL + ((r0 * (N + 1) * 8) as usize);
  const bottom = INTEGRAL + ((r1 * (N + 1) * 8) as usize);
  const left = (c0 * 8) as usize;
  const right = (c1 * 8) as usize;
  return load<f64>(bottom + right) - load<f64>(top + right) - load<f64>(bottom + left) + load<f64>(top + left);
}

/** Lists the cells that exceed their surroundings as ratio, fx, fy. */
function collect(power: usize, low2: f64, high2: f64, last: i32): usize {
  const line = N * 4;
  let end = CANDIDATES;
  for (let gx = 0; gx <= last; gx++) {
    const row = power + (((gx + WINDOW) * line) as usize);
    for (let gy = gx === 0 ? 1 : 3 - HALF; gy < HALF - 3; gy += 4) {
      const at = row + (((gy + HALF) * 4) as usize);
      const p = v128.load(at);
      let most = f32x4.pmax(v128.load(at - 4), v128.load(at + 4));
      most = f32x4.pmax(most, f32x4.pmax(v128.load(at - line - 4), v128.load(at - line)));
      most = f32x4.pmax(most, f32x4.pmax(v128.load(at - line + 4), v128.load(at + line - 4)));
      most = f32x4.pmax(most, f32x4.pmax(v128.load(at + line), v128.load(at + line + 4)));
      for (let mask = i32x4.bitmask(f32x4.ge(p, most)); mask !== 0; mask &= mask - 1) {
        const lane = ctz(mask);
        const y = gy + lane;
        if (y >= HALF - 3) break;
        const d2 = (gx * gx + y * y) as f64;
        if (d2 < low2 || d2 > high2) continue;
        const along = y < 0 ? -y : y;
        if ((gx <= 2 || along <= 2) && blockHarmonic(gx > along ? gx : along)) continue;
        const ratio = standsOut(gx + WINDOW, y + HALF, load<f32>(at + ((lane * 4) as usize)) as f64);
        if (ratio < LEAST) continue;
        store<f32>(end, ratio as f32);
        store<i32>(end, gx, 4);
        store<i32>(end, y, 8);
        end += 12;
      }
    }
  }
  return end;
}

/** Ratio of a cell's power to the mean power around it. */
function standsOut(row: i32, column: i32, power: f64): f64 {
  const c0 = max(0, column - WINDOW);
  const c1 = min(N, column + WINDOW + 1);
  const g0 = max(0, column - GUARD);
  const g1 = min(N, column + GUARD + 1);
  const cells = (2 * WINDOW + 1) * (c1 - c0) - (2 * GUARD + 1) * (g1 - g0);
  const sum = box(row - WINDOW, c0, row + WINDOW + 1, c1) - box(row - GUARD, g0, row + GUARD + 1, g1);
  return (power + 1e-9) / (sum / (cells as f64) + 1e-3);
}

/** True at or beside a multiple of 1/8 cycle a pixel, where the 8 x 8 blocks of JPEG peak. */
function blockHarmonic(cells: i32): bool {
  return cells >= N / 8 - 1 && ((cells + 1) & (N / 8 - 1)) <= 2;
}

function keep(end: usize, limit: i32): i32 {
  for (let count = 0; count < limit; count++) {
    let best: f32 = 0;
    let found: usize = 0;
    for (let at = CANDIDATES; at < end; at += 12) {
      const ratio = load<f32>(at);
      if (ratio > best) {
        best = ratio;
        found = at;
      }
    }
    if (found === 0) return count;
    const gx = load<i32>(found, 4);
    const gy = load<i32>(found, 8);
    const cell = (((gx + WINDOW) * N + gy + HALF) * 4) as usize;
    const to = PEAKS + ((count * 40) as usize);
    store<f64>(to, gx as f64);
    store<f64>(to, gy as f64, 8);
    store<f64>(to, best as f64, 16);
    store<f64>(to, load<f32>(LUMA_POWER + cell) as f64, 24);
    store<f64>(to, load<f32>(OPPONENT_POWER + cell) as f64, 32);
    for (let at = CANDIDATES; at < end; at += 12) {
      const x = load<i32>(at, 4) - gx;
      const y = load<i32>(at, 8) - gy;
      if (x * x + y * y < APART * APART) store<f32>(at, 0);
    }
  }
  return limit;
}
