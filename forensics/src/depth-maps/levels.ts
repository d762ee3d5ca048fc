import sharp from 'sharp';
import type { DepthMap } from './planarity.ts';

/** Grey levels of an embedded map, without a meaning yet. */
export interface Levels {
  data: Float32Array;
  width: number;
  height: number;
  /** The level that stands for the end of the range: 255, or 1023 … for deeper maps. */
  top: number;
}

const MAX_PIXELS = 16_000_000;
const LONGEST = 512;

/** Decodes a JPEG or PNG map to one channel; undefined where it is none. */
export async function decodeLevels(bytes: Uint8Array): Promise<Levels | undefined> {
  try {
    const { data, info } = await sharp(bytes, { limitInputPixels: MAX_PIXELS })
      .resize(LONGEST, LONGEST, { fit: 'inside', withoutEnlargement: true, kernel: 'nearest' })
      .extractChannel(0)
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    return { data: Float32Array.from(data), width: info.width, height: info.height, top: 255 };
  } catch {
    return undefined;
  }
}

/** The meaning of the levels, from bottom to top: `inverse` depth or `distance`. */
export interface Scale {
  kind: 'inverse' | 'distance';
  /** Value at level 0 and at the top level. Undefined: unknown, the levels stand for themselves. */
  bottom?: number;
  top?: number;
}

/** Inverse depths of a map; undefined where distances come without a range, or with one that makes no sense. */
export function toInverseDepth({ data, width, height, top }: Levels, scale: Scale): DepthMap | undefined {
  const { kind, bottom: low, top: high } = scale;
  if (low === undefined || high === undefined) return kind === 'inverse' ? { data, width, height } : undefined;
  if (
    !Number.isFinite(low) ||
    !Number.isFinite(high) ||
    low === high ||
    (kind === 'distance' && !(low > 0 && high > 0))
  )
    return kind === 'inverse' ? { data, width, height } : undefined;
  const values = data.map(level => {
    const value = low + (level / top) * (high - low);
    return kind === 'distance' ? 1 / value : value;
  });
  return { data: values, width, height };
}
