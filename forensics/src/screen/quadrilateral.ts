import type { Picture } from '../pixels/picture.ts';
import type { Features } from './feature-values.ts';

/** Measures the bright region that best fills a quadrilateral: the fit, the size, and the contrast with its surroundings. */
export function measureQuadrilateral({ width, height, data }: Picture, grey: Uint8Array, features: Features): void {
  const n = width * height;
  let best = { score: 0, area: 0, spans: [] as Span[] };
  for (const level of new Set([otsu(grey), 40, 60, 90])) {
    for (const region of regions(grey, level, width, height, 0.06 * n)) {
      const hull = convexHull(region.outline);
      const quad = largestQuadrilateral(hull);
      const hullArea = polygonArea(hull);
      if (hullArea < 1 || quad < 1) continue;
      let touching = 0;
      if (region.minX <= 1) touching++;
      if (region.minY <= 1) touching++;
      if (region.maxX >= width - 2) touching++;
      if (region.maxY >= height - 2) touching++;
      const score = Math.min(1, region.pixels / hullArea) * (quad / hullArea) ** 2 * (1 - 0.2 * touching);
      if (score > best.score) best = { score, area: region.pixels / n, spans: region.spans };
    }
  }
  features.quad = best.score;
  features.quad_area = best.area;
  const inside = sumOf(data, best.spans);
  const all = sumOf(data, [{ from: 0, until: n }]);
  const difference = (c: number): number =>
    inside[3] > 0 && inside[3] < n ? inside[c] / inside[3] - (all[c] - inside[c]) / (n - inside[3]) : 0;
  features.quad_light = (difference(0) + difference(1) + difference(2)) / 3;
  features.quad_blue = difference(2) - difference(0);
  features.quad_contrast = features.quad_light * best.score;
}

/** Pixels `from` to `until`, without the latter, counted row by row. All are in one row unless it says otherwise. */
interface Span {
  from: number;
  until: number;
}

/** Returns the sums of R, G and B over the spans, and the number of their pixels. */
function sumOf(data: Uint8Array, spans: Span[]): [number, number, number, number] {
  let [r, g, b, count] = [0, 0, 0, 0];
  for (const { from, until } of spans) {
    for (let at = 3 * from; at < 3 * until; at += 3) {
      r += data[at];
      g += data[at + 1];
      b += data[at + 2];
    }
    count += until - from;
  }
  return [r, g, b, count];
}

interface Region {
  pixels: number;
  minX: number;
  maxX: number;
  minY: number;
  maxY: number;
  /** Leftmost and rightmost pixel of every row, which is enough for the hull. */
  outline: [number, number][];
  spans: Span[];
}

/** Returns the connected regions of at least `least` pixels brighter than `level`: runs of each row, joined with those that they touch above. */
function regions(grey: Uint8Array, level: number, width: number, height: number, least: number): Region[] {
  const runs: Span[] = [];
  /** For each run, one before it in its region, or itself. */
  const parents: number[] = [];
  for (let y = 0, above = 0; y < height; y++) {
    const first = runs.length;
    findRuns(grey, level, y * width, (y + 1) * width, runs);
    for (let run = first; run < runs.length; run++) {
      parents.push(run);
      const { from, until } = runs[run]!;
      while (above < first && runs[above]!.until <= from - width) above++;
      for (let other = above; other < first && runs[other]!.from < until - width; other++) join(parents, other, run);
    }
    above = first;
  }
  const members = new Map<number, Span[]>();
  for (let run = 0; run < runs.length; run++) {
    const root = rootOf(parents, run);
    const known = members.get(root);
    if (known) known.push(runs[run]!);
    else members.set(root, [runs[run]!]);
  }
  const found: Region[] = [];
  for (const spans of members.values()) if (pixelsOf(spans) >= least) found.push(regionOf(spans, width));
  return found;
}

/** Appends the runs of pixels brighter than `level` between `start` and `end`. */
function findRuns(grey: Uint8Array, level: number, start: number, end: number, runs: Span[]): void {
  for (let at = start; at < end; at++) {
    if (grey[at]! <= level) continue;
    const from = at;
    while (at < end && grey[at]! > level) at++;
    runs.push({ from, until: at });
  }
}

function rootOf(parents: number[], run: number): number {
  let root = run;
  while (parents[root] !== root) root = parents[root]!;
  parents[run] = root;
  return root;
}

function join(parents: number[], one: number, other: number): void {
  const a = rootOf(parents, one);
  const b = rootOf(parents, other);
  parents[Math.max(a, b)] = Math.min(a, b);
}

function pixelsOf(spans: Span[]): number {
  let pixels = 0;
  for (const { from, until } of spans) pixels += until - from;
  return pixels;
}

function regionOf(spans: Span[], width: number): Region {
  const outline: [number, number][] = [];
  let pixels = 0;
  let [minX, maxX] = [width, 0];
  const rowOf = (span: Span): number => Math.floor(span.from / width);
  const [minY, maxY] = [rowOf(spans[0]), rowOf(spans.at(-1)!)];
  for (let next = 0, y = minY; y <= maxY; y++) {
    const left = spans[next].from - y * width;
    while (next < spans.length && rowOf(spans[next]) === y) next++;
    const right = spans[next - 1].until - 1 - y * width;
    outline.push([left, y], [right + 1, y], [left, y + 1], [right + 1, y + 1]);
    // Fills holes along each row, so that dark content does not break up a display.
    pixels += right - left + 1;
    minX = Math.min(minX, left);
    maxX = Math.max(maxX, right);
  }
  return { pixels, outline, spans, minX, maxX, minY, maxY };
}

/** Andrew's monotone chain. */
function convexHull(points: [number, number][]): [number, number][] {
  const sorted = points.toSorted(byPlace);
  return [...halfHull(sorted), ...halfHull(sorted.reverse())];
}

const byPlace = (a: [number, number], b: [number, number]): number => a[0] - b[0] || a[1] - b[1];

function halfHull(points: [number, number][]): [number, number][] {
  const chain: [number, number][] = [];
  for (const point of points) {
    while (chain.length >= 2 && cross(chain[chain.length - 2]!, chain[chain.length - 1]!, point) <= 0) chain.pop();
    chain.push(point);
  }
  chain.pop();
  return chain;
}

function cross(o: [number, number], a: [number, number], b: [number, number]): number {
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

function polygonArea(points: [number, number][]): number {
  let area = 0;
  for (let i = 0; i < points.length; i++) {
    const [x0, y0] = points[i];
    const [x1, y1] = points[(i + 1) % points.length];
    area += x0 * y1 - x1 * y0;
  }
  return Math.abs(area) / 2;
}

/** Returns the area of the largest quadrilateral with corners on the hull: tries each diagonal with the farthest point on either side. */
function largestQuadrilateral(hull: [number, number][]): number {
  const step = Math.max(1, Math.floor(hull.length / 48));
  const points = hull.filter((_, i) => i % step === 0);
  let best = 0;
  for (let i = 0; i < points.length; i++) {
    for (let j = i + 1; j < points.length; j++) {
      let above = 0;
      let below = 0;
      for (const point of points) {
        const side = cross(points[i], points[j], point);
        if (side > above) above = side;
        if (-side > below) below = -side;
      }
      best = Math.max(best, (above + below) / 2);
    }
  }
  return best;
}

function otsu(grey: Uint8Array): number {
  const histogram = new Float64Array(256);
  for (const v of grey) histogram[v]++;
  let total = 0;
  for (let v = 0; v < 256; v++) total += v * histogram[v];
  let count = 0;
  let sum = 0;
  let best = 0;
  let level = 127;
  for (let v = 0; v < 255; v++) {
    count += histogram[v];
    sum += v * histogram[v];
    if (count === 0 || count === grey.length) continue;
    const between = (total * count - sum * grey.length) ** 2 / (count * (grey.length - count));
    if (between > best) {
      best = between;
      level = v;
    }
  }
  return level;
}
