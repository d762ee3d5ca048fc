import { lumaAt } from '../pixels/luma.ts';
import type { Picture } from '../pixels/picture.ts';
import { areaResize } from '../pixels/resize.ts';
import type { Features } from './feature-values.ts';
import { measureLines } from './lines.ts';
import { measureBorders, measurePhotometrics } from './photometric.ts';
import { measureQuadrilateral } from './quadrilateral.ts';

/** Longest side, in pixels, for whole-picture features, context and heat map. */
export const SMALL_SIDE = 320;

/**
 * Measures the whole picture for displays that leave no moire: a dark frame around the edge, a bright quadrilateral
 * that differs from its surroundings, long straight lines, the tones and colours of emitted light. Writes into
 * `features`.
 */
export function measureGlobalFeatures(picture: Picture, features: Features): void {
  const small = areaResize(picture, SMALL_SIDE);
  const grey = toGrey(small);
  measureBorders(small, grey, features);
  measurePhotometrics(small, grey, features);
  measureQuadrilateral(small, grey, features);
  measureLines(small, grey, features);
}

function toGrey(picture: Picture): Uint8Array {
  const grey = new Uint8Array(picture.width * picture.height);
  for (let i = 0; i < grey.length; i++) {
    grey[i] = lumaAt(picture.data, 3 * i) + 0.5;
  }
  return grey;
}
