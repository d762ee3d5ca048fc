import { createHash } from 'node:crypto';

/** The example tables of ITU-T T.81, annex K.1, for luminance and chrominance, row by row. */
const LUMINANCE = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];
const CHROMINANCE = [
  17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99,
];

const ZIGZAG = Array.from({ length: 64 }, (_, i) => i).sort((a, b) => {
  const [sa, sb] = [(a >> 3) + (a & 7), (b >> 3) + (b & 7)];
  if (sa !== sb) return sa - sb;
  return sa % 2 === 0 ? (b >> 3) - (a >> 3) : (a >> 3) - (b >> 3);
});

const known = new Map<string, number>();

/**
 * Returns the quality 1..100 at which libjpeg (jpeg_set_quality) writes tables with this `quantizationHash`. Most editors, messengers and
 * browsers write with libjpeg; most cameras have tables of their own.
 */
export function standardQuality(hash: string): number | undefined {
  if (known.size === 0) for (let quality = 1; quality <= 100; quality++) known.set(hashAt(quality), quality);
  return known.get(hash);
}

function hashAt(quality: number): string {
  const scale = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  const hash = createHash('sha256');
  for (const [id, table] of [LUMINANCE, CHROMINANCE].entries()) {
    const values = ZIGZAG.map(at => Math.max(1, Math.min(255, Math.floor((table[at] * scale + 50) / 100))));
    hash.update(Uint8Array.from([id, ...values]));
  }
  return hash.digest('hex').slice(0, 32);
}
