/**
 * The arrangement of one colour's light inside the pixels of a display or a print. The arrangements follow product micrographs: RGB
 * stripes, their mirror image, stripes turned by 90 degrees, PenTile diamonds (two greens to each red and blue) and OLED with separate
 * emitters. Print is a clustered-dot halftone with one screen angle per ink.
 */
export type PanelLayout = 'rgb' | 'bgr' | 'vertical' | 'pentile' | 'oled' | 'print';

export const PANEL_LAYOUTS: readonly PanelLayout[] = ['rgb', 'bgr', 'vertical', 'pentile', 'oled', 'print'];

/** Direction of each ink's halftone screen. */
const PRINT_TURNS = [15, 75, 45].map(degrees => ({
  cos: Math.cos((degrees * Math.PI) / 180),
  sin: Math.sin((degrees * Math.PI) / 180),
}));
/** One period of a cosine. */
const WAVE = Float64Array.from({ length: 1024 }, (_, i) => Math.cos((2 * Math.PI * (i + 0.5)) / 1024));

/**
 * Returns the share of its full light that channel `c` emits at point (u, v) of the panel, in display pixels. `gap` is the black matrix:
 * the dark share of a pixel's side. `value` (0..1) matters only for halftones.
 */
export function emission(layout: PanelLayout, c: number, u: number, v: number, gap: number, value: number): number {
  const iu = Math.floor(u);
  const iv = Math.floor(v);
  const fu = u - iu;
  const fv = v - iv;
  const half = gap / 2;
  switch (layout) {
    case 'rgb':
    case 'bgr': {
      const place = layout === 'rgb' ? c : 2 - c;
      const t = fu * 3 - place;
      return t > half && t < 1 - half && fv > half && fv < 1 - half ? 1 : 0;
    }
    case 'vertical': {
      const t = fv * 3 - c;
      return t > half && t < 1 - half && fu > half && fu < 1 - half ? 1 : 0;
    }
    case 'pentile': {
      const odd = (iu + iv) & 1;
      if (c === 1) return Math.abs(fu - 0.75) + Math.abs(fv - 0.5) < 0.3 - gap / 4 ? 1 : 0;
      return odd === (c === 0 ? 0 : 1) && Math.abs(fu - 0.25) + Math.abs(fv - 0.5) < 0.36 - gap / 4 ? 1 : 0;
    }
    case 'oled': {
      // Red over green on the left, a tall blue on the right.
      if (c === 2) return fu > 0.55 && fu < 0.95 - half && fv > 0.1 && fv < 0.9 ? 1 : 0;
      const low = c === 0 ? 0.08 : 0.55;
      return fu > 0.08 && fu < 0.48 && fv > low && fv < low + 0.4 - half ? 1 : 0;
    }
    case 'print': {
      const a = PRINT_TURNS[c].cos * u + PRINT_TURNS[c].sin * v;
      const b = PRINT_TURNS[c].cos * v - PRINT_TURNS[c].sin * u;
      const threshold =
        0.5 + 0.25 * (WAVE[Math.floor((a - Math.floor(a)) * 1024)] + WAVE[Math.floor((b - Math.floor(b)) * 1024)]);
      return value > threshold ? 1 / Math.max(0.02, value) : 0;
    }
  }
}

/** Returns the mean of `emission` over one period. Dividing by it keeps a panel's brightness. */
export function meanEmission(layout: PanelLayout, c: number, gap: number): number {
  if (layout === 'print') return 1;
  const steps = 48;
  let sum = 0;
  for (let y = 0; y < 2 * steps; y++) {
    for (let x = 0; x < 2 * steps; x++) sum += emission(layout, c, (x + 0.5) / steps, (y + 0.5) / steps, gap, 1);
  }
  return sum / (4 * steps * steps);
}
