import type { Picture } from '../picture.ts';
import type { Features } from './features.ts';

/** Longest side at which the whole picture is looked at, its context read and its heat map drawn, pixels. */
export const SMALL_SIDE = 320;

/**
 * What the whole picture says where no moire is left: a dark frame around the edge, a bright quadrilateral that differs from
 * what surrounds it, long straight lines, the tones and colours of emitted light. Writes into `features`.
 */
export function measureWhole(picture: Picture, features: Features): void {
  const small = areaResize(picture, SMALL_SIDE);
  const grey = toGrey(small);
  borders(small, grey, features);
  tones(small, grey, features);
  quadrilateral(small, grey, features);
  lines(small, grey, features);
}

/** Mean over areas, to at most `side` pixels; smaller pictures stay as they are. */
export function areaResize(picture: Picture, side: number): Picture {
  const ratio = Math.max(picture.width, picture.height) / side;
  if (ratio <= 1) return picture;
  const width = Math.max(1, Math.round(picture.width / ratio));
  const height = Math.max(1, Math.round(picture.height / ratio));
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const y0 = Math.floor((y * picture.height) / height);
    const y1 = Math.max(y0 + 1, Math.floor(((y + 1) * picture.height) / height));
    for (let x = 0; x < width; x++) {
      const x0 = Math.floor((x * picture.width) / width);
      const x1 = Math.max(x0 + 1, Math.floor(((x + 1) * picture.width) / width));
      let r = 0;
      let g = 0;
      let b = 0;
      for (let j = y0; j < y1; j++) {
        for (let at = (j * picture.width + x0) * 3, end = (j * picture.width + x1) * 3; at < end; at += 3) {
          r += picture.data[at];
          g += picture.data[at + 1];
          b += picture.data[at + 2];
        }
      }
      const n = (y1 - y0) * (x1 - x0);
      const out = (y * width + x) * 3;
      data[out] = r / n + 0.5;
      data[out + 1] = g / n + 0.5;
      data[out + 2] = b / n + 0.5;
    }
  }
  return { width, height, data };
}

function toGrey(picture: Picture): Uint8Array {
  const grey = new Uint8Array(picture.width * picture.height);
  for (let i = 0; i < grey.length; i++) {
    grey[i] = 0.299 * picture.data[3 * i] + 0.587 * picture.data[3 * i + 1] + 0.114 * picture.data[3 * i + 2] + 0.5;
  }
  return grey;
}

/** Share of dark pixels along each side against the middle. */
function borders(picture: Picture, grey: Uint8Array, features: Features): void {
  const { width, height } = picture;
  const strip = Math.max(3, Math.round(0.06 * Math.min(width, height)));
  const dark = (x0: number, y0: number, x1: number, y1: number): number => {
    let count = 0;
    for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) if (grey[y * width + x] < 45) count++;
    return count / Math.max(1, (x1 - x0) * (y1 - y0));
  };
  const sides = [
    dark(0, 0, width, Math.min(strip, height)),
    dark(0, Math.max(0, height - strip), width, height),
    dark(0, 0, Math.min(strip, width), height),
    dark(Math.max(0, width - strip), 0, width, height),
  ].sort((a, b) => a - b);
  const centre = dark(width >> 2, height >> 2, width - (width >> 2), height - (height >> 2));
  features.border_min = sides[0];
  features.border_second = sides[1];
  features.border_max = sides[3];
  features.border_mean = (sides[0] + sides[1] + sides[2] + sides[3]) / 4;
  features.centre_dark = centre;
  features.border_less_centre = features.border_mean - centre;
}

function tones(picture: Picture, grey: Uint8Array, features: Features): void {
  const n = grey.length;
  const histogram = new Uint32Array(256);
  let sum = 0;
  let squares = 0;
  for (const v of grey) {
    histogram[v]++;
    sum += v;
    squares += v * v;
  }
  const mean = sum / n;
  features.tone_deviation = Math.sqrt(Math.max(0, squares / n - mean * mean));
  for (const p of [1, 5, 25, 50, 75, 95, 99]) features[`tone_p${p}`] = percentile(histogram, n, p / 100);
  let saturation = 0;
  let rgSum = 0;
  let rgSquares = 0;
  let ybSum = 0;
  let ybSquares = 0;
  let highR = 0;
  let highB = 0;
  let highN = 0;
  const bright = features.tone_p95;
  for (let i = 0; i < n; i++) {
    const r = picture.data[3 * i];
    const g = picture.data[3 * i + 1];
    const b = picture.data[3 * i + 2];
    const max = Math.max(r, g, b);
    saturation += max > 0 ? (max - Math.min(r, g, b)) / max : 0;
    const rg = r - g;
    const yb = (r + g) / 2 - b;
    rgSum += rg;
    rgSquares += rg * rg;
    ybSum += yb;
    ybSquares += yb * yb;
    if (grey[i] >= bright) {
      highR += r - g;
      highB += b - g;
      highN++;
    }
  }
  features.saturation = saturation / n;
  haze(picture, features);
  const rgMean = rgSum / n;
  const ybMean = ybSum / n;
  const spread = Math.sqrt(Math.max(0, rgSquares / n - rgMean ** 2) + Math.max(0, ybSquares / n - ybMean ** 2));
  // Hasler and Susstrunk's colourfulness.
  features.colourfulness = spread + 0.3 * Math.hypot(rgMean, ybMean);
  features.cast_yellow = ybMean;
  features.highlight_red = highR / Math.max(1, highN);
  features.highlight_blue = highB / Math.max(1, highN);
}

/**
 * The darkest channel in blocks of 8 x 8 pixels (the dark channel of haze removal): a lit panel, its reflections and a veil
 * of glare lift it everywhere. Also how sharpness is spread over the picture, and how blue and bright its blocks are.
 */
function haze(picture: Picture, features: Features): void {
  const { width, height, data } = picture;
  const darkest: number[] = [];
  const activity: number[] = [];
  for (let y = 0; y + 8 <= height; y += 8) {
    for (let x = 0; x + 8 <= width; x += 8) {
      let low = 255;
      let change = 0;
      for (let j = 0; j < 8; j++) {
        for (let i = 0, at = ((y + j) * width + x) * 3; i < 8; i++, at += 3) {
          low = Math.min(low, data[at], data[at + 1], data[at + 2]);
          if (i > 0) change += Math.abs(data[at + 1] - data[at - 2]);
        }
      }
      darkest.push(low);
      activity.push(change / 56);
    }
  }
  darkest.sort((a, b) => a - b);
  activity.sort((a, b) => a - b);
  const at = (values: number[], p: number): number => values[Math.floor((values.length - 1) * p)] ?? 0;
  features.haze_p5 = at(darkest, 0.05);
  features.haze_p50 = at(darkest, 0.5);
  features.haze_p95 = at(darkest, 0.95);
  features.activity_p10 = Math.log(at(activity, 0.1) + 0.3);
  features.activity_p50 = Math.log(at(activity, 0.5) + 0.3);
  features.activity_p90 = Math.log(at(activity, 0.9) + 0.3);
}

function percentile(histogram: Uint32Array, n: number, p: number): number {
  let seen = 0;
  for (let v = 0; v < 256; v++) {
    seen += histogram[v];
    if (seen >= p * n) return v;
  }
  return 255;
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

/** The bright region that fills a quadrilateral best: how well, how large, and how it differs from what is outside it. */
function quadrilateral(picture: Picture, grey: Uint8Array, features: Features): void {
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
  /** Leftmost and rightmost pixel of every row: enough for the hull. */
  outline: [number, number][];
  mask: Uint8Array;
}

function* regions(labels: Uint8Array, width: number, height: number, least: number): Generator<Region> {
  const members = new Int32Array(width * height);
  for (let start = 0; start < labels.length; start++) {
    if (labels[start] !== 1) continue;
    // `members` is the queue of a breadth-first fill and in the end the region itself.
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
      // Holes count as filled along each row, so that dark content of a display does not break it up.
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

/** Area of the largest quadrilateral with corners among the hull's: each diagonal with the farthest point on either side. */
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

const ANGLES = 90;

/** Straight edges: a Hough transform in which an edge pixel votes near its own gradient's direction only. */
function lines(picture: Picture, grey: Uint8Array, features: Features): void {
  const { width, height } = picture;
  const reach = Math.ceil(Math.hypot(width, height) / 2) + 1;
  const votes = new Uint16Array(ANGLES * 2 * reach);
  const cosines = Float64Array.from({ length: ANGLES }, (_, a) => Math.cos((Math.PI * a) / ANGLES));
  const sines = Float64Array.from({ length: ANGLES }, (_, a) => Math.sin((Math.PI * a) / ANGLES));
  let edges = 0;
  let energy = 0;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      const gx =
        grey[at + 1] -
        grey[at - 1] +
        (grey[at + 1 - width] - grey[at - 1 - width] + grey[at + 1 + width] - grey[at - 1 + width]) / 2;
      const gy =
        grey[at + width] -
        grey[at - width] +
        (grey[at + width - 1] - grey[at - width - 1] + grey[at + width + 1] - grey[at - width + 1]) / 2;
      const magnitude = Math.sqrt(gx * gx + gy * gy);
      energy += magnitude;
      if (magnitude < 28) continue;
      edges++;
      let angle = Math.atan2(gy, gx);
      if (angle < 0) angle += Math.PI;
      const centre = Math.round((angle * ANGLES) / Math.PI);
      for (let a = centre - 1; a <= centre + 1; a++) {
        const k = ((a % ANGLES) + ANGLES) % ANGLES;
        const rho = (x - width / 2) * cosines[k] + (y - height / 2) * sines[k];
        votes[k * 2 * reach + Math.round(rho) + reach]++;
      }
    }
  }
  const side = Math.min(width, height);
  const found: number[] = [];
  for (let pick = 0; pick < 4; pick++) {
    let best = 0;
    let at = 0;
    for (let i = 0; i < votes.length; i++) {
      if (votes[i] > best) {
        best = votes[i];
        at = i;
      }
    }
    found.push(best / side);
    const angle = Math.floor(at / (2 * reach));
    const rho = at % (2 * reach);
    for (let a = -4; a <= 4; a++) {
      const k = (((angle + a) % ANGLES) + ANGLES) % ANGLES;
      for (let r = Math.max(0, rho - 6); r <= Math.min(2 * reach - 1, rho + 6); r++) votes[k * 2 * reach + r] = 0;
    }
  }
  features.line_first = found[0];
  features.line_second = found[1];
  features.line_fourth = found[3];
  features.edges = edges / (width * height);
  features.gradient = Math.log(energy / (width * height) + 1);
}
