import type { Picture } from '../pixels/picture.ts';
import { type Random, random } from '../pixels/random.ts';

type Colour = [number, number, number];

/**
 * Draws a photo-like scene: sky or wall, ground with perspective, lit solids with shadows, and textures whose spectrum
 * falls as in photographs (sums of value noise). Everything comes from the seed. 8-bit sRGB.
 */
export function drawScene(
  seed: number,
  size: { width: number; height: number } = { width: 1280, height: 960 },
): Picture {
  const rng = random(seed * 7919 + 17);
  const { width, height } = size;
  const data = new Uint8Array(width * height * 3);
  const horizon = height * rng.uniform(0.3, 0.62);
  const palette = makePalette(rng);
  const wall = noise(rng, 256);
  const ground = noise(rng, 256);
  const light = rng.uniform(-1, 1);
  const wallScale = rng.logUniform(0.004, 0.02);
  const bricks = rng.uniform() < 0.4 ? rng.uniform(24, 70) : 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      const shade = 1 + (0.25 * light * (x - width / 2)) / width;
      if (y < horizon) {
        const n = fractal(wall, x * wallScale, y * wallScale);
        let k = (0.75 + 0.4 * n + 0.25 * (y / horizon)) * shade;
        if (bricks > 0) {
          const row = Math.floor(y / (bricks / 2));
          const u = (x + (row % 2) * (bricks / 2)) % bricks;
          if (u < 3 || y % (bricks / 2) < 3) k *= 0.7;
          else k *= 0.9 + 0.2 * hash(row * 131 + Math.floor((x + (row % 2) * (bricks / 2)) / bricks));
        }
        put(data, at, palette.back, k);
      } else {
        const depth = (height * 0.25) / (y - horizon + height * 0.03);
        const n = fractal(ground, (x - width / 2) * depth * 0.02, depth * 9);
        put(data, at, palette.ground, (0.6 + 0.7 * n) * shade);
      }
    }
  }
  const count = 5 + Math.floor(rng.uniform(0, 6));
  for (let i = 0; i < count; i++)
    drawSolid({ width, height, data }, rng, { horizon, colour: palette.things[i % palette.things.length], light });
  return { width, height, data };
}

function makePalette(rng: Random): { back: Colour; ground: Colour; things: Colour[] } {
  const colour = (saturation: number, value: number): Colour => {
    const hue = rng.uniform(0, 2 * Math.PI);
    return [0, 2.09, 4.19].map(
      offset => 255 * value * (1 - saturation * (0.5 - 0.5 * Math.cos(hue + offset))),
    ) as Colour;
  };
  return {
    back: colour(rng.uniform(0.1, 0.5), rng.uniform(0.55, 0.9)),
    ground: colour(rng.uniform(0.1, 0.4), rng.uniform(0.35, 0.7)),
    things: Array.from({ length: 6 }, () => colour(rng.uniform(0.2, 0.9), rng.uniform(0.35, 0.95))),
  };
}

function drawSolid(
  { width, height, data }: Picture,
  rng: Random,
  { horizon, colour, light }: { horizon: number; colour: Colour; light: number },
): void {
  const round = rng.uniform() < 0.45;
  const foot = rng.uniform(horizon + 10, height * 0.98);
  const near = (foot - horizon) / (height - horizon);
  const w = width * rng.uniform(0.06, 0.16) * (0.5 + near);
  const h = round ? w : w * rng.uniform(0.6, 2.2);
  const cx = rng.uniform(0, width);
  const skin = noise(rng, 256);
  const grain = rng.logUniform(0.01, 0.15);
  const stripes = rng.uniform() < 0.3 ? rng.uniform(0.05, 0.2) : 0;
  // A soft shadow on the ground, away from the light.
  const slope = -light * 0.8;
  for (let y = Math.max(0, Math.floor(foot - h * 0.12)); y < Math.min(height, foot + h * 0.12); y++) {
    for (let x = Math.max(0, Math.floor(cx - w)); x < Math.min(width, cx + w); x++) {
      const dx = (x - cx - slope * w * 0.4) / (w * 0.7);
      const dy = (y - foot) / (h * 0.12);
      const inside = dx * dx + dy * dy;
      if (inside < 1) scale(data, (y * width + x) * 3, 0.45 + 0.55 * inside);
    }
  }
  const top = foot - h;
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(height, foot); y++) {
    for (let x = Math.max(0, Math.floor(cx - w / 2)); x < Math.min(width, cx + w / 2); x++) {
      const u = (2 * (x - cx)) / w;
      const v = (2 * (y - top)) / h - 1;
      let k: number;
      if (round) {
        const r2 = u * u + v * v;
        if (r2 > 1) continue;
        const nz = Math.sqrt(1 - r2);
        k = 0.25 + 0.8 * Math.max(0, 0.6 * nz + light * u * 0.5 - 0.5 * v);
        if ((u - light * 0.4) ** 2 + (v + 0.4) ** 2 < 0.02) k = 1.6;
      } else {
        const edge = light > 0 ? 0.3 : -0.3;
        k = u < edge ? 0.65 - 0.25 * light : 0.65 + 0.25 * light;
      }
      k *= 0.8 + 0.4 * fractal(skin, x * grain, y * grain);
      if (stripes > 0 && Math.sin((u + v * 0.5) / stripes) > 0.6) k *= 0.5;
      put(data, (y * width + x) * 3, colour, k);
    }
  }
}

function put(data: Uint8Array, at: number, colour: Colour, k: number): void {
  for (let c = 0; c < 3; c++) data[at + c] = Math.max(0, Math.min(255, colour[c] * k));
}

function scale(data: Uint8Array, at: number, k: number): void {
  for (let c = 0; c < 3; c++) data[at + c] *= k;
}

function hash(n: number): number {
  const s = Math.sin(n * 12.9898) * 43758.5453;
  return s - Math.floor(s);
}

function noise(rng: Random, side: number): Float32Array {
  return Float32Array.from({ length: side * side }, () => rng.uniform());
}

/** Five octaves of value noise, each half as strong as the one before; 0..1. */
function fractal(lattice: Float32Array, x: number, y: number): number {
  let sum = 0;
  let gain = 0.5;
  for (let octave = 0; octave < 5; octave++) {
    sum += gain * sample(lattice, x, y);
    gain *= 0.5;
    x = x * 2.03 + 17.1;
    y = y * 2.03 + 5.7;
  }
  return sum;
}

function sample(lattice: Float32Array, x: number, y: number): number {
  const ix = Math.floor(x);
  const iy = Math.floor(y);
  const fx = x - ix;
  const fy = y - iy;
  const sx = fx * fx * (3 - 2 * fx);
  const sy = fy * fy * (3 - 2 * fy);
  const a = lattice[(ix & 255) + (iy & 255) * 256];
  const b = lattice[((ix + 1) & 255) + (iy & 255) * 256];
  const c = lattice[(ix & 255) + ((iy + 1) & 255) * 256];
  const d = lattice[((ix + 1) & 255) + ((iy + 1) & 255) * 256];
  return (a + (b - a) * sx) * (1 - sy) + (c + (d - c) * sx) * sy;
}
