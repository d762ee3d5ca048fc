import type { Picture } from '../pixels/picture.ts';
import { type Random, random } from '../pixels/random.ts';
import { drawScene } from './scene.ts';

/** Objects that look like displays to a lattice detector: cloth, mesh, blinds, tiles, ruled paper. */
export type Confounder = 'weave' | 'mesh' | 'blinds' | 'paper';

/**
 * Draws a scene with a confounder over part or all of it. The pattern's threads vary in position, width and brightness, like woven and
 * built objects and unlike displays. 8-bit sRGB, sizes as in `drawScene`.
 */
export function drawConfounder(seed: number, kind: Confounder, size?: { width: number; height: number }): Picture {
  const scene = drawScene(seed, size);
  const rng = random(seed * 6151 + 29);
  const { width, height, data } = scene;
  const whole = rng.uniform() < 0.5;
  const x0 = whole ? 0 : rng.uniform(0, width * 0.5);
  const y0 = whole ? 0 : rng.uniform(0, height * 0.5);
  const x1 = whole ? width : x0 + rng.uniform(width * 0.3, width);
  const y1 = whole ? height : y0 + rng.uniform(height * 0.3, height);
  const pattern = makePattern(kind, rng);
  for (let y = Math.floor(y0); y < Math.min(height, y1); y++) {
    for (let x = Math.floor(x0); x < Math.min(width, x1); x++) pattern(x, y, data, (y * width + x) * 3);
  }
  return scene;
}

type Pattern = (x: number, y: number, data: Uint8Array, at: number) => void;

function makePattern(kind: Confounder, rng: Random): Pattern {
  const angle = rng.uniform(0, Math.PI);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const uneven = Float32Array.from({ length: 1024 }, () => rng.normal());
  const wobble = rng.uniform(0.02, 0.12);
  const tint: [number, number, number] = [rng.uniform(40, 240), rng.uniform(40, 240), rng.uniform(40, 240)];
  const bend = rng.uniform(0, 0.02);
  const along = (a: number, b: number, period: number): number => {
    const t = a / period + bend * Math.sin(b / 90) * 8;
    return t + wobble * uneven[Math.abs(Math.floor(t)) & 1023];
  };
  const put = (data: Uint8Array, at: number, k: number): void => {
    for (let c = 0; c < 3; c++) data[at + c] = Math.max(0, Math.min(255, tint[c] * k));
  };
  return PATTERNS[kind](rng, { cos, sin, uneven, along, put });
}

interface Threads {
  cos: number;
  sin: number;
  uneven: Float32Array;
  /** A coordinate along one direction, with each thread slightly shifted and the whole slowly bent. */
  along(a: number, b: number, period: number): number;
  /** Writes the tint at a brightness. */
  put(data: Uint8Array, at: number, k: number): void;
}

const PATTERNS: Record<Confounder, (rng: Random, threads: Threads) => Pattern> = {
  weave(rng, { cos, sin, uneven, along, put }) {
    const period = rng.logUniform(3.2, 22);
    const depth = rng.uniform(0.15, 0.7);
    return (x, y, data, at) => {
      const u = along(cos * x + sin * y, cos * y - sin * x, period);
      const v = along(cos * y - sin * x, cos * x + sin * y, period);
      const over = (Math.floor(u) + Math.floor(v)) & 1;
      const arch = Math.sin(Math.PI * (over ? u - Math.floor(u) : v - Math.floor(v)));
      const thread = 1 + 0.12 * uneven[((over ? Math.floor(u) : Math.floor(v) * 7) + 4096) & 1023];
      put(data, at, (1 - depth + depth * arch) * thread * (over ? 1 : 0.85));
    };
  },
  mesh(rng, { cos, sin, along, put }) {
    const period = rng.logUniform(5, 40);
    const wire = rng.uniform(0.12, 0.35);
    return (x, y, data, at) => {
      const u = along(cos * x + sin * y, cos * y - sin * x, period);
      const v = along(cos * y - sin * x, cos * x + sin * y, period);
      if (u - Math.floor(u) < wire || v - Math.floor(v) < wire) put(data, at, 0.8);
    };
  },
  blinds(rng, { along, put }) {
    const period = rng.logUniform(8, 80);
    return (x, y, data, at) => {
      const v = along(y + 0.05 * x, x, period);
      const t = v - Math.floor(v);
      put(data, at, t < 0.12 ? 0.35 : 0.7 + 0.35 * t);
    };
  },
  paper(rng, { cos, uneven }) {
    const line = rng.logUniform(14, 50);
    const ink = rng.uniform(0.1, 0.5);
    return (x, y, data, at) => {
      const u = cos > 0.5 ? x : x * 0.999;
      const row = Math.floor(y / line);
      const inLine = y / line - row;
      const glyph = uneven[(Math.floor(u / (line * 0.3)) * 31 + row * 17) & 1023];
      const stroke = uneven[(Math.floor(u / 3) * 13 + Math.floor(y / 4) * 7) & 1023];
      const dark = inLine > 0.25 && inLine < 0.7 && glyph > -0.6 && stroke > 0.2;
      const k = dark ? ink : 0.95 - 0.1 * Math.sin(x / 300);
      for (let c = 0; c < 3; c++) data[at + c] = Math.min(255, 240 * k * (c === 2 ? 0.96 : 1));
    };
  },
};

/** Draws other content that people show on displays: a page with a bar, cards and lines of text, light or dark. */
export function drawPage(seed: number, size = { width: 1280, height: 800 }): Picture {
  const rng = random(seed * 3571 + 5);
  const { width, height } = size;
  const dark = rng.uniform() < 0.4;
  const data = new Uint8Array(width * height * 3).fill(dark ? 24 : 250);
  const box = (x0: number, y0: number, w: number, h: number, colour: readonly number[]): void => {
    for (let y = Math.max(0, Math.floor(y0)); y < Math.min(height, y0 + h); y++) {
      for (let x = Math.max(0, Math.floor(x0)); x < Math.min(width, x0 + w); x++) data.set(colour, (y * width + x) * 3);
    }
  };
  const accent = [rng.uniform(0, 255), rng.uniform(0, 255), rng.uniform(0, 255)];
  const ink = dark ? [220, 220, 220] : [40, 40, 45];
  box(0, 0, width, rng.uniform(30, 70), rng.uniform() < 0.5 ? accent : dark ? [45, 45, 50] : [230, 232, 235]);
  const photo = drawScene(seed + 77, { width: 640, height: 480 });
  const cards = 1 + Math.floor(rng.uniform(0, 5));
  for (let card = 0; card < cards; card++) {
    const w = rng.uniform(160, 640);
    const h = w * 0.75;
    const x0 = Math.floor(rng.uniform(0, width - w));
    const y0 = Math.floor(rng.uniform(60, Math.max(61, height - h)));
    for (let y = 0; y < h && y0 + y < height; y++) {
      for (let x = 0; x < w && x0 + x < width; x++) {
        const from = (Math.floor((y / h) * 480) * 640 + Math.floor((x / w) * 640)) * 3;
        data.set(photo.data.subarray(from, from + 3), ((y0 + y) * width + x0 + x) * 3);
      }
    }
  }
  const lines = Math.floor(rng.uniform(6, 30));
  for (let line = 0; line < lines; line++) {
    const y = rng.uniform(70, height - 20);
    const size = rng.pick([8, 10, 12, 18, 28]);
    const length = rng.uniform(100, width * 0.6);
    const x0 = rng.uniform(10, width * 0.6);
    for (let x = x0; x < x0 + length; x += size * 0.7) {
      if (rng.uniform() < 0.16) continue;
      box(x, y, Math.max(1, size * 0.15), size, ink);
      if (rng.uniform() < 0.6)
        box(x, y + size * 0.5 * Math.floor(rng.uniform(0, 3)), size * 0.5, Math.max(1, size * 0.14), ink);
    }
  }
  return { width, height, data };
}
