import { imageOf } from '../pixels/image.ts';
import type { Picture } from '../pixels/picture.ts';
import { type Random, random } from '../pixels/random.ts';
import { develop, encode, type Irradiance, LINEAR } from './camera.ts';
import { emission, meanEmission } from './panel.ts';
import type { CaptureParams, RecaptureParams } from './params.ts';

/** Subsamples along each side of a sensor pixel. The lens blur acts on them before the sensor's aperture. */
const SUB = 3;

/** Distance of the wall behind a display, in units of the display's distance; and its width in frames, measured on the display's plane. */
const ROOM_DISTANCE = 2;
const ROOM_MARGIN = 2.6;

export interface Capture {
  picture: Picture;
  jpeg: Buffer;
}

/** Simulates a photograph of a picture on a display (or in print). */
export async function simulateRecapture(picture: Picture, params: RecaptureParams): Promise<Capture> {
  const columns = Math.max(16, Math.round((params.width * params.fill) / params.scale));
  const rows = Math.max(16, Math.round((params.height * params.fill) / params.scale));
  const shown = await resize(picture, columns, rows);
  const room = params.room && (await resize(params.room, 320, Math.round((320 * params.height) / params.width)));
  const bezel = (params.bezel.width * params.width) / params.scale;
  const rng = random(params.seed * 31 + 7);
  const glare = {
    x: rng.uniform(0, params.width),
    y: rng.uniform(0, params.height),
    r: params.width * rng.uniform(0.1, 0.4),
  };
  const phase = rng.uniform(0, 6.28);
  const means = [0, 1, 2].map(c => meanEmission(params.layout, c, params.gap));
  const onPlane = project(params, 1);
  const onWall = project(params, ROOM_DISTANCE);
  const place: [number, number] = [0, 0];
  const { amplitude, period } = params.banding;
  let band = 1;
  let bandedRow = Number.NaN;
  const planes = expose(params, (x, y, dx, dy, out) => {
    onPlane(dx, dy, place);
    const u = place[0] / params.scale + columns / 2;
    const v = place[1] / params.scale + rows / 2;
    if (u < 0 || v < 0 || u >= columns || v >= rows) {
      if (u < -bezel || v < -bezel || u >= columns + bezel || v >= rows + bezel) {
        let [s, t] = [x / params.width, y / params.height];
        if (params.pose) {
          // The wall is larger in proportion to its distance, so it fills the frame like a room without a pose.
          onWall(dx, dy, place);
          s = 0.5 + place[0] / (ROOM_MARGIN * params.width);
          t = 0.5 + place[1] / (ROOM_MARGIN * params.height);
        }
        const here = room ? at(room, s * room.width, t * room.height) : 0;
        for (let c = 0; c < 3; c++) out[c] = room ? LINEAR[room.data[here + c]] : 0;
      } else {
        out.fill(params.bezel.level);
      }
      return;
    }
    if (amplitude !== 0 && y !== bandedRow) {
      band = 1 + amplitude * Math.sin((2 * Math.PI * y) / period + phase);
      bandedRow = y;
    }
    let veil = 0;
    if (params.glare > 0) {
      const d2 = ((x - glare.x) ** 2 + (y - glare.y) ** 2) / (glare.r * glare.r);
      veil = params.glare * (0.3 + 0.7 * Math.exp(-d2));
    }
    const here = at(shown, u, v);
    for (let c = 0; c < 3; c++) {
      const value = LINEAR[shown.data[here + c]];
      const lit = (value * emission(params.layout, c, u, v, params.gap, value)) / means[c];
      out[c] = (lit * band + params.blackLevel + veil) * params.displayGain;
    }
  });
  return finish(params, planes, rng);
}

/** Simulates a direct photograph of the picture: same pose, lens, sensor and file, but no display. */
export async function simulateDirect(picture: Picture, params: CaptureParams): Promise<Capture> {
  const scene = await resize(picture, Math.round(params.width * 1.3), Math.round(params.height * 1.3));
  const onPlane = project(params, 1);
  const place: [number, number] = [0, 0];
  const planes = expose(params, (_x, _y, dx, dy, out) => {
    onPlane(dx, dy, place);
    smooth(scene, place[0] + scene.width / 2, place[1] + scene.height / 2, out);
  });
  return finish(params, planes, random(params.seed * 31 + 7));
}

/** One upright card of a deep scene: a disc or rectangle at its own distance. */
export interface Card {
  /** Distance, as a share of the backdrop's. */
  z: number;
  /** Centre and half size, in sensor pixels at the backdrop's distance. */
  x: number;
  y: number;
  halfWidth: number;
  halfHeight: number;
  round: boolean;
  picture: Picture;
}

/** Simulates cards in front of a backdrop at distance 1, seen from `params.pose`. */
export async function simulateDeep(backdrop: Picture, cards: Card[], params: CaptureParams): Promise<Capture> {
  const scene = await resize(backdrop, Math.round(params.width * 1.6), Math.round(params.height * 1.6));
  const layers = [...cards].sort((a, b) => a.z - b.z).map(card => ({ card, toCard: project(params, card.z) }));
  const onBackdrop = project(params, 1);
  const place: [number, number] = [0, 0];
  const planes = expose(params, (_x, _y, dx, dy, out) => {
    for (const { card, toCard } of layers) {
      toCard(dx, dy, place);
      const s = (place[0] - card.x) / card.halfWidth;
      const t = (place[1] - card.y) / card.halfHeight;
      if (card.round ? s * s + t * t > 1 : Math.abs(s) > 1 || Math.abs(t) > 1) continue;
      const { width, height } = card.picture;
      smooth(card.picture, ((s + 1) * width) / 2, ((t + 1) * height) / 2, out);
      return;
    }
    onBackdrop(dx, dy, place);
    smooth(scene, place[0] + scene.width / 2, place[1] + scene.height / 2, out);
  });
  return finish(params, planes, random(params.seed * 31 + 7));
}

/**
 * Projects sensor offsets onto a plane that faces the camera's start position, in sensor pixels at distance 1. `z` is the plane's distance.
 * Without a pose every subject is at distance 1.
 */
function project(
  params: CaptureParams,
  z: number,
): (dx: number, dy: number, out: [number, number]) => [number, number] {
  const { pose, width, height } = params;
  if (!pose) {
    const radians = (params.angle * Math.PI) / 180;
    const cos = Math.cos(radians);
    const sin = Math.sin(radians);
    return (x, y, out) => {
      const dx = x - width * params.shift[0];
      const dy = y - height * params.shift[1];
      const perspective = 1 + (params.tilt[0] * 2 * dx) / width + (params.tilt[1] * 2 * dy) / height;
      out[0] = (cos * dx + sin * dy) / perspective;
      out[1] = (cos * dy - sin * dx) / perspective;
      return out;
    };
  }
  const { focal, position, turn } = pose;
  const [sx, sy, sz] = turn.map(Math.sin);
  const [cx, cy, cz] = turn.map(Math.cos);
  return (dx, dy, out) => {
    // Rotate about z, then x, then y.
    const x0 = cz * dx - sz * dy;
    const y0 = sz * dx + cz * dy;
    const y1 = cx * y0 - sx * focal;
    const z1 = sx * y0 + cx * focal;
    const x2 = cy * x0 + sy * z1;
    const z2 = cy * z1 - sy * x0;
    const t = (z - position[2]) / z2;
    out[0] = focal * position[0] + focal * t * x2;
    out[1] = focal * position[1] + focal * t * y1;
    return out;
  };
}

async function finish(params: CaptureParams, planes: Irradiance['planes'], rng: Random): Promise<Capture> {
  const picture = develop({ width: params.width, height: params.height, planes }, params.camera, rng);
  return { picture, jpeg: await encode(picture, params.camera) };
}

/**
 * Integrates light over the sensor. `light` gets the place on the sensor and its offset from the centre as the lens
 * bends it, in sensor pixels. It writes the light that arrives in the three colours. The lens blurs on the fine grid,
 * then each sensor pixel takes the mean of its subsamples.
 */
function expose(
  params: CaptureParams,
  light: (x: number, y: number, dx: number, dy: number, out: Float64Array) => void,
): Irradiance['planes'] {
  const { width, height } = params;
  const w = width * SUB;
  const h = height * SUB;
  const fine = [new Float32Array(w * h), new Float32Array(w * h), new Float32Array(w * h)] as const;
  const corner2 = (width * width + height * height) / 4;
  const colours = new Float64Array(3);
  for (let j = 0; j < h; j++) {
    const y = (j + 0.5) / SUB;
    for (let i = 0; i < w; i++) {
      const x = (i + 0.5) / SUB;
      const dx = x - width / 2;
      const dy = y - height / 2;
      const k = 1 + (params.distortion * (dx * dx + dy * dy)) / corner2;
      light(x, y, dx * k, dy * k, colours);
      fine[0][j * w + i] = colours[0];
      fine[1][j * w + i] = colours[1];
      fine[2][j * w + i] = colours[2];
    }
  }
  return [onSensor(params, fine[0]), onSensor(params, fine[1]), onSensor(params, fine[2])];
}

/** Applies lens blur and sensor aperture together as a separable kernel, evaluated only at sensor pixels. */
function onSensor(params: CaptureParams, fine: Float32Array): Float32Array {
  const { width, height } = params;
  const w = width * SUB;
  const h = height * SUB;
  if (params.shake.length > 0.3) shake(fine, w, h, params.shake.length * SUB, params.shake.angle);
  const kernel = blurAndAperture(params.blur * SUB);
  const reach = (kernel.length - SUB) / 2;
  const rows = new Float32Array(width * h);
  const line = new Float32Array(w + 2 * reach);
  for (let y = 0; y < h; y++) {
    line.fill(fine[y * w], 0, reach);
    line.set(fine.subarray(y * w, y * w + w), reach);
    line.fill(fine[y * w + w - 1], reach + w);
    for (let x = 0; x < width; x++) {
      let sum = 0;
      for (let k = 0, from = x * SUB; k < kernel.length; k++) sum += kernel[k] * line[from + k];
      rows[y * width + x] = sum;
    }
  }
  const out = new Float32Array(width * height);
  for (let y = 0; y < height; y++) {
    const to = out.subarray(y * width, (y + 1) * width);
    for (let k = 0; k < kernel.length; k++) {
      const from = Math.min(h - 1, Math.max(0, y * SUB + k - reach)) * width;
      const weight = kernel[k];
      for (let x = 0; x < width; x++) to[x] += weight * rows[from + x];
    }
  }
  return out;
}

/** Returns a Gaussian on the fine grid convolved with the box of one sensor pixel. Sums to 1. */
function blurAndAperture(sigma: number): Float32Array {
  const radius = Math.ceil(2.5 * sigma);
  const kernel = new Float32Array(2 * radius + SUB);
  for (let i = -radius; i <= radius; i++) {
    for (let j = 0; j < SUB; j++) kernel[i + radius + j] += Math.exp(-(i * i) / (2 * sigma * sigma));
  }
  const total = kernel.reduce((a, b) => a + b, 0);
  return kernel.map(value => value / total);
}

function shake(plane: Float32Array, w: number, h: number, length: number, angle: number): void {
  const source = new Float32Array(plane);
  const steps = Math.max(2, Math.round(length));
  const cos = Math.cos((angle * Math.PI) / 180);
  const sin = Math.sin((angle * Math.PI) / 180);
  const offsets = Array.from({ length: steps }, (_, i) => {
    const t = (i / (steps - 1) - 0.5) * length;
    return [Math.round(cos * t), Math.round(sin * t)] as const;
  });
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      let sum = 0;
      for (const [dx, dy] of offsets) {
        sum += source[Math.min(h - 1, Math.max(0, y + dy)) * w + Math.min(w - 1, Math.max(0, x + dx))];
      }
      plane[y * w + x] = sum / steps;
    }
  }
}

/** Where the first colour of the pixel at a place stands in the data. */
function at(picture: Picture, x: number, y: number): number {
  const ix = Math.min(picture.width - 1, Math.max(0, Math.floor(x)));
  const iy = Math.min(picture.height - 1, Math.max(0, Math.floor(y)));
  return (iy * picture.width + ix) * 3;
}

/** Interpolates the linear light of all three colours between pixels. */
function smooth(picture: Picture, x: number, y: number, out: Float64Array): void {
  const { width, height, data } = picture;
  const ix = Math.floor(x - 0.5);
  const iy = Math.floor(y - 0.5);
  const fx = x - 0.5 - ix;
  const fy = y - 0.5 - iy;
  const left = 3 * Math.min(width - 1, Math.max(0, ix));
  const right = 3 * Math.min(width - 1, Math.max(0, ix + 1));
  const top = 3 * width * Math.min(height - 1, Math.max(0, iy));
  const low = 3 * width * Math.min(height - 1, Math.max(0, iy + 1));
  for (let c = 0; c < 3; c++) {
    const a = LINEAR[data[top + left + c]];
    const b = LINEAR[data[top + right + c]];
    const d = LINEAR[data[low + left + c]];
    const e = LINEAR[data[low + right + c]];
    out[c] = (a + (b - a) * fx) * (1 - fy) + (d + (e - d) * fx) * fy;
  }
}

async function resize(picture: Picture, width: number, height: number): Promise<Picture> {
  const { data, info } = await imageOf(picture)
    .resize(width, height, { fit: 'cover' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data };
}
