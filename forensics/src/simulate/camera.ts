import sharp from 'sharp';
import { jpegOf } from '../pixels/image.ts';
import type { Picture } from '../pixels/picture.ts';
import type { Random } from '../pixels/random.ts';

/** Linear light of the three colour channels on a grid of sensor pixels, 0..1 at exposure. */
export interface Irradiance {
  width: number;
  height: number;
  planes: [Float32Array, Float32Array, Float32Array];
}

/** A camera: everything between the light on the sensor and the file. */
export interface Camera {
  /** Highest level after exposure, relative to the full range. */
  exposure: number;
  /** Shot noise: variance per unit of signal, for a full range of 1. */
  shotNoise: number;
  whiteBalance: [number, number, number];
  /** Denoising before sharpening: 0 (none) to 1 (strong). */
  denoise: number;
  /** Unsharp mask of radius one pixel: amount, 0 none. */
  sharpen: number;
  /** Contrast of the tone curve: 0 is plain sRGB. */
  contrast: number;
  saturation: number;
  jpegQuality: number;
  /** Longest side to which a messenger scales before it re-encodes; undefined without a messenger. */
  messengerSide?: number;
}

/** Draws a camera with the parameters of a phone. */
export function drawCamera(rng: Random): Camera {
  return {
    exposure: rng.uniform(0.55, 1.1),
    shotNoise: rng.logUniform(2e-5, 2e-3),
    whiteBalance: [1 + 0.05 * rng.normal(), 1, 1 + 0.06 * rng.normal()],
    denoise: rng.uniform() < 0.75 ? rng.uniform(0.1, 1) : 0,
    sharpen: rng.uniform() < 0.8 ? rng.uniform(0.1, 1.1) : 0,
    contrast: rng.uniform(-0.1, 0.5),
    saturation: rng.uniform(0.85, 1.3),
    jpegQuality: Math.round(rng.pick([95, 93, 90, 87, 82, 75, 70])),
  };
}

const toSrgb = (v: number): number => (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055);
const GAMMA = Float32Array.from({ length: 4097 }, (_, i) => toSrgb(i / 4096));
export const LINEAR = Float32Array.from({ length: 256 }, (_, i) => {
  const v = i / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
});

/**
 * Exposure, Bayer mosaic (RGGB), shot and read noise, demosaicing, denoising, sharpening, tone and colour. Returns the
 * picture the camera would hand to its JPEG encoder.
 */
export function develop(light: Irradiance, camera: Camera, rng: Random): Picture {
  const { width, height, planes } = light;
  const gain = camera.exposure / Math.max(1e-4, percentile(planes[1], 0.985));
  const raw = new Float32Array(width * height);
  const read = camera.shotNoise * 0.6;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const c = y & 1 ? (x & 1 ? 2 : 1) : x & 1 ? 1 : 0;
      const at = y * width + x;
      const v = Math.max(0, planes[c][at] * gain);
      raw[at] = Math.min(1, v + rng.normal() * Math.sqrt(v * camera.shotNoise + read * read)) * camera.whiteBalance[c];
    }
  }
  const rgb = demosaic(raw, width, height);
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) {
    const grey = 0.25 * rgb[0][i] + 0.6 * rgb[1][i] + 0.15 * rgb[2][i];
    for (let c = 0; c < 3; c++) {
      const v = grey + (rgb[c][i] - grey) * camera.saturation;
      let s = GAMMA[Math.max(0, Math.min(4096, Math.round(v * 4096)))];
      s += camera.contrast * (s - 0.5) * s * (1 - s) * 2;
      data[i * 3 + c] = Math.max(0, Math.min(255, s * 255 + 0.5));
    }
  }
  let picture: Picture = { width, height, data };
  if (camera.denoise > 0) picture = denoise(picture, camera.denoise);
  if (camera.sharpen > 0) picture = sharpen(picture, camera.sharpen);
  return picture;
}

/** Encodes the file: JPEG at the camera's quality, then scaled and encoded again if a messenger sent it. */
export async function encode(picture: Picture, camera: Camera): Promise<Buffer> {
  const original = await jpegOf(picture, camera.jpegQuality);
  if (camera.messengerSide === undefined) return original;
  return sharp(original)
    .resize({ width: camera.messengerSide, height: camera.messengerSide, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: 75 })
    .toBuffer();
}

function percentile(plane: Float32Array, p: number): number {
  const sample = Float32Array.from({ length: 4096 }, (_, i) => plane[Math.floor((i * plane.length) / 4096)]).sort();
  return sample[Math.floor(p * 4095)];
}

/** Demosaics: green along the smaller gradient, red and blue by colour difference (Hamilton-Adams without its Laplacian terms). */
function demosaic(raw: Float32Array, w: number, h: number): [Float32Array, Float32Array, Float32Array] {
  const green = new Float32Array(raw);
  const read = (x: number, y: number): number =>
    raw[(y < 0 ? -y : y >= h ? 2 * h - 2 - y : y) * w + (x < 0 ? -x : x >= w ? 2 * w - 2 - x : x)];
  for (let y = 0; y < h; y++) {
    for (let x = (y & 1) === 0 ? 0 : 1; x < w; x += 2) {
      const [l, r, u, d] = [read(x - 1, y), read(x + 1, y), read(x, y - 1), read(x, y + 1)];
      const here = 2 * read(x, y);
      const horizontal = Math.abs(l - r) + Math.abs(here - read(x - 2, y) - read(x + 2, y));
      const vertical = Math.abs(u - d) + Math.abs(here - read(x, y - 2) - read(x, y + 2));
      const flatH = (l + r) / 2 + (here - read(x - 2, y) - read(x + 2, y)) / 8;
      const flatV = (u + d) / 2 + (here - read(x, y - 2) - read(x, y + 2)) / 8;
      green[y * w + x] = horizontal < vertical ? flatH : vertical < horizontal ? flatV : (flatH + flatV) / 2;
    }
  }
  const fill = (px: number, py: number): Float32Array => {
    const out = new Float32Array(w * h);
    const difference = (x: number, y: number): number => {
      const xx = x < 0 ? -x : x >= w ? 2 * w - 2 - x : x;
      const yy = y < 0 ? -y : y >= h ? 2 * h - 2 - y : y;
      return raw[yy * w + xx] - green[yy * w + xx];
    };
    for (let y = 0; y < h; y++) {
      for (let x = 0; x < w; x++) {
        const ox = (x & 1) !== px;
        const oy = (y & 1) !== py;
        let d: number;
        if (!ox && !oy) d = difference(x, y);
        else if (ox && !oy) d = (difference(x - 1, y) + difference(x + 1, y)) / 2;
        else if (!ox) d = (difference(x, y - 1) + difference(x, y + 1)) / 2;
        else {
          d =
            (difference(x - 1, y - 1) +
              difference(x + 1, y - 1) +
              difference(x - 1, y + 1) +
              difference(x + 1, y + 1)) /
            4;
        }
        out[y * w + x] = green[y * w + x] + d;
      }
    }
    return out;
  };
  return [fill(0, 0), green, fill(1, 1)];
}

/** Bilateral-like 3x3 smoothing: neighbours count by how close their green is. */
function denoise(picture: Picture, strength: number): Picture {
  const { width, height, data } = picture;
  const out = new Uint8Array(data);
  const scale = 1 / (2 * (3 + 10 * strength) ** 2);
  /** The weight of a neighbour, by the difference between its green and the pixel's. */
  const likeness = Float64Array.from({ length: 256 }, (_, d) => Math.exp(-d * d * scale));
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = (y * width + x) * 3;
      let [r, g, b, total] = [0, 0, 0, 0];
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          const o = at + (dy * width + dx) * 3;
          const weight = likeness[Math.abs(data[o + 1] - data[at + 1])] * (dx === 0 && dy === 0 ? 1 : strength);
          r += weight * data[o];
          g += weight * data[o + 1];
          b += weight * data[o + 2];
          total += weight;
        }
      }
      out[at] = r / total + 0.5;
      out[at + 1] = g / total + 0.5;
      out[at + 2] = b / total + 0.5;
    }
  }
  return { width, height, data: out };
}

function sharpen(picture: Picture, amount: number): Picture {
  const { width, height, data } = picture;
  const out = new Uint8Array(data);
  const row = width * 3;
  for (let y = 1; y < height - 1; y++) {
    for (let i = y * row + 3; i < (y + 1) * row - 3; i++) {
      const cross = data[i - 3] + data[i + 3] + data[i - row] + data[i + row];
      const corner = data[i - row - 3] + data[i - row + 3] + data[i + row - 3] + data[i + row + 3];
      const blurred = (4 * data[i] + 2 * cross + corner) / 16;
      out[i] = Math.max(0, Math.min(255, data[i] + amount * 1.4 * (data[i] - blurred) + 0.5));
    }
  }
  return { width, height, data: out };
}
