import sharp from 'sharp';
import type { DepthMap } from './planarity.ts';

/** Grey levels of an embedded map, not yet converted to depth. */
export interface Levels {
  data: Float32Array;
  width: number;
  height: number;
  /** The highest level: 255, or 1023 … for maps with more bits. */
  top: number;
}

const MAX_PIXELS = 16_000_000;
const LONGEST = 512;

/** Decodes a JPEG or PNG map to one channel; undefined when it is neither. */
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

/** Meaning of the levels: `inverse` depth or `distance`. */
export interface Scale {
  kind: 'inverse' | 'distance';
  /** Value at level 0 and at the top level. Undefined when unknown; the levels are then used directly. */
  bottom?: number;
  top?: number;
}

/** Converts a map to inverse depths; undefined when distances have no range or an impossible one. */
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
