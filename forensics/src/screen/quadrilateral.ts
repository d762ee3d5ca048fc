import type { Picture } from '../picture.ts';
import type { Features } from './features.ts';

/** Measures the bright region that best fills a quadrilateral: the fit, the size, and the contrast with its surroundings. */
export function measureQuadrilateral(picture: Picture, grey: Uint8Array, features: Features): void {
  const { width, height } = picture;
  const n = width * height;
  let best = { score: 0, area: 0, inside: undefined as Uint8Array | undefined };
  for (const level of new Set([otsu(grey), 40, 60, 90])) {
    const labels = new Uint8Array(n);
    for (let i = 0; i < n; i++) labels[i] = grey[i] > level ? 1 : 0;
    for (const region of regions(labels, width, height, 0.06 * n)) {
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
      if (score > best.score) best = { score, area: region.pixels / n, inside: region.mask };
    }
  }
  features.quad = best.score;
  features.quad_area = best.area;
  const inside = [0, 0, 0, 0];
  const outside = [0, 0, 0, 0];
  if (best.inside) {
    for (let i = 0; i < n; i++) {
      const side = best.inside[i] ? inside : outside;
      for (let c = 0; c < 3; c++) side[c] += picture.data[3 * i + c];
      side[3]++;
    }
  }
  const difference = (c: number): number =>
    inside[3] && outside[3] ? inside[c] / inside[3] - outside[c] / outside[3] : 0;
  features.quad_light = (difference(0) + difference(1) + difference(2)) / 3;
  features.quad_blue = difference(2) - difference(0);
  features.quad_contrast = features.quad_light * best.score;
}

interface Region {
  pixels: number;
  minX: number;
  maxX: number;
  minY: number;
  maxY: number;
  /** Leftmost and rightmost pixel of every row, which is enough for the hull. */
  outline: [number, number][];
  mask: Uint8Array;
}

function* regions(labels: Uint8Array, width: number, height: number, least: number): Generator<Region> {
  const members = new Int32Array(width * height);
  for (let start = 0; start < labels.length; start++) {
    if (labels[start] !== 1) continue;
    // `members` is the queue of a breadth-first fill, and at the end the region itself.
    let count = 0;
    members[count++] = mark(labels, start);
    for (let next = 0; next < count; next++) {
      const at = members[next];
      const x = at % width;
      if (x > 0 && labels[at - 1] === 1) members[count++] = mark(labels, at - 1);
      if (x + 1 < width && labels[at + 1] === 1) members[count++] = mark(labels, at + 1);
      if (at >= width && labels[at - width] === 1) members[count++] = mark(labels, at - width);
      if (at + width < labels.length && labels[at + width] === 1) members[count++] = mark(labels, at + width);
    }
    if (count < least) continue;
    const left = new Int32Array(height).fill(width);
    const right = new Int32Array(height).fill(-1);
    const mask = new Uint8Array(width * height);
    for (let i = 0; i < count; i++) {
      const at = members[i];
      const y = (at / width) | 0;
      const x = at - y * width;
      mask[at] = 1;
      if (x < left[y]) left[y] = x;
      if (x > right[y]) right[y] = x;
    }
    const outline: [number, number][] = [];
    let pixels = 0;
    let [minX, maxX, minY, maxY] = [width, 0, height, 0];
    for (let y = 0; y < height; y++) {
      if (right[y] < 0) continue;
      outline.push([left[y], y], [right[y] + 1, y], [left[y], y + 1], [right[y] + 1, y + 1]);
      // Fills holes along each row, so that dark content does not break up a display.
      pixels += right[y] - left[y] + 1;
      minX = Math.min(minX, left[y]);
      maxX = Math.max(maxX, right[y]);
      minY = Math.min(minY, y);
      maxY = Math.max(maxY, y);
    }
    yield { pixels, outline, mask, minX, maxX, minY, maxY };
  }
}

function mark(labels: Uint8Array, at: number): number {
  labels[at] = 2;
  return at;
}

/** Andrew's monotone chain. */
function convexHull(points: [number, number][]): [number, number][] {
  const sorted = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (list: [number, number][]): [number, number][] => {
    const chain: [number, number][] = [];
    for (const point of list) {
      while (chain.length >= 2 && cross(chain[chain.length - 2], chain[chain.length - 1], point) <= 0) chain.pop();
      chain.push(point);
    }
    chain.pop();
    return chain;
  };
  return [...half(sorted), ...half(sorted.reverse())];
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
