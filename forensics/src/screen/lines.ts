import type { Picture } from '../pixels/picture.ts';
import type { Features } from './feature-values.ts';

const ANGLES = 90;
const COSINES = Float64Array.from({ length: ANGLES }, (_, a) => Math.cos((Math.PI * a) / ANGLES));
const SINES = Float64Array.from({ length: ANGLES }, (_, a) => Math.sin((Math.PI * a) / ANGLES));

/** Votes for each angle and each distance from the centre of the picture, from -reach on. */
interface HoughSpace {
  votes: Uint16Array;
  reach: number;
  width: number;
  height: number;
}

/** Measures straight edges with a Hough transform in which each edge pixel votes only near its gradient's direction. */
export function measureLines(picture: Picture, grey: Uint8Array, features: Features): void {
  const { width, height } = picture;
  const reach = Math.ceil(Math.hypot(width, height) / 2) + 1;
  const votes = new Uint16Array(ANGLES * 2 * reach);
  const space = { votes, reach, width, height };
  let edges = 0;
  let energy = 0;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      const gx = slope(grey, at, 1, width);
      const gy = slope(grey, at, width, 1);
      const magnitude = Math.sqrt(gx * gx + gy * gy);
      energy += magnitude;
      if (magnitude < 28) continue;
      edges++;
      vote(space, x, y, Math.atan2(gy, gx));
    }
  }
  const side = Math.min(width, height);
  const found: number[] = [];
  for (let pick = 0; pick < 4; pick++) {
    const at = indexOfMost(votes);
    found.push(votes[at]! / side);
    const angle = Math.floor(at / (2 * reach));
    const rho = at % (2 * reach);
    for (let a = -4; a <= 4; a++) {
      const k = (((angle + a) % ANGLES) + ANGLES) % ANGLES;
      for (let r = Math.max(0, rho - 6); r <= Math.min(2 * reach - 1, rho + 6); r++) votes[k * 2 * reach + r] = 0;
    }
  }
  features.line_first = found[0];
  features.line_second = found[1];
  features.line_fourth = found[3];
  features.edges = edges / (width * height);
  features.gradient = Math.log(energy / (width * height) + 1);
}

/** Returns the slope at a pixel, smoothed across: the neighbours along it lie `along` pixels away, those beside it `across`. */
function slope(grey: Uint8Array, at: number, along: number, across: number): number {
  const [next, before] = [at + along, at - along];
  return (
    grey[next]! -
    grey[before]! +
    (grey[next - across]! - grey[before - across]! + grey[next + across]! - grey[before + across]!) / 2
  );
}

/** Votes for the lines through an edge pixel with a gradient of this direction, and two degrees to either side. */
function vote({ votes, reach, width, height }: HoughSpace, x: number, y: number, gradient: number): void {
  const centre = Math.round(((gradient < 0 ? gradient + Math.PI : gradient) * ANGLES) / Math.PI);
  for (let a = centre - 1; a <= centre + 1; a++) {
    const k = a < 0 ? a + ANGLES : a >= ANGLES ? a - ANGLES : a;
    const rho = (x - width / 2) * COSINES[k]! + (y - height / 2) * SINES[k]!;
    votes[k * 2 * reach + Math.round(rho) + reach]!++;
  }
}

function indexOfMost(votes: Uint16Array): number {
  let best = 0;
  for (let i = 1; i < votes.length; i++) if (votes[i]! > votes[best]!) best = i;
  return best;
}
