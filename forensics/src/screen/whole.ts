import type { Picture } from '../picture.ts';
import type { Features } from './features.ts';
import { measureLines } from './lines.ts';
import { measureQuadrilateral } from './quadrilateral.ts';
import { areaResize } from './resize.ts';
import { measureBorders, measureTones } from './tones.ts';

/** Longest side at which the whole picture is looked at, its context read and its heat map drawn, pixels. */
export const SMALL_SIDE = 320;

/**
 * What the whole picture says where no moire is left: a dark frame around the edge, a bright quadrilateral that differs from
 * what surrounds it, long straight lines, the tones and colours of emitted light. Writes into `features`.
 */
export function measureWhole(picture: Picture, features: Features): void {
  const small = areaResize(picture, SMALL_SIDE);
  const grey = toGrey(small);
  measureBorders(small, grey, features);
  measureTones(small, grey, features);
  measureQuadrilateral(small, grey, features);
  measureLines(small, grey, features);
}

function toGrey(picture: Picture): Uint8Array {
  const grey = new Uint8Array(picture.width * picture.height);
  for (let i = 0; i < grey.length; i++) {
    grey[i] = 0.299 * picture.data[3 * i] + 0.587 * picture.data[3 * i + 1] + 0.114 * picture.data[3 * i + 2] + 0.5;
  }
  return grey;
}
