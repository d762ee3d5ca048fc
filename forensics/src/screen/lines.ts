import type { Picture } from '../picture.ts';
import type { Features } from './features.ts';

const ANGLES = 90;

/** Measures straight edges with a Hough transform in which each edge pixel votes only near its gradient's direction. */
export function measureLines(picture: Picture, grey: Uint8Array, features: Features): void {
  const { width, height } = picture;
  const reach = Math.ceil(Math.hypot(width, height) / 2) + 1;
  const votes = new Uint16Array(ANGLES * 2 * reach);
  const cosines = Float64Array.from({ length: ANGLES }, (_, a) => Math.cos((Math.PI * a) / ANGLES));
  const sines = Float64Array.from({ length: ANGLES }, (_, a) => Math.sin((Math.PI * a) / ANGLES));
  let edges = 0;
  let energy = 0;
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      const gx =
        grey[at + 1] -
        grey[at - 1] +
        (grey[at + 1 - width] - grey[at - 1 - width] + grey[at + 1 + width] - grey[at - 1 + width]) / 2;
      const gy =
        grey[at + width] -
        grey[at - width] +
        (grey[at + width - 1] - grey[at - width - 1] + grey[at + width + 1] - grey[at - width + 1]) / 2;
      const magnitude = Math.sqrt(gx * gx + gy * gy);
      energy += magnitude;
      if (magnitude < 28) continue;
      edges++;
      let angle = Math.atan2(gy, gx);
      if (angle < 0) angle += Math.PI;
      const centre = Math.round((angle * ANGLES) / Math.PI);
      for (let a = centre - 1; a <= centre + 1; a++) {
        const k = ((a % ANGLES) + ANGLES) % ANGLES;
        const rho = (x - width / 2) * cosines[k] + (y - height / 2) * sines[k];
        votes[k * 2 * reach + Math.round(rho) + reach]++;
      }
    }
  }
  const side = Math.min(width, height);
  const found: number[] = [];
  for (let pick = 0; pick < 4; pick++) {
    let best = 0;
    let at = 0;
    for (let i = 0; i < votes.length; i++) {
      if (votes[i] > best) {
        best = votes[i];
        at = i;
      }
    }
    found.push(best / side);
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
