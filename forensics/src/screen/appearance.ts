import type { Picture } from '../picture.ts';
import head from './appearance.generated.json' with { type: 'json' };
import { withoutBars } from './bars.ts';
import { logOddsOf } from './linear.ts';
import { lying } from './lying.ts';
import { levelsOf, trunk } from './trunk.ts';

/** Size at which the network reads a picture, lying. A band of 40 cycles a picture is twelve pixels wide. */
const WIDTH = 480;
const HEIGHT = 360;

const run = trunk('./appearance.generated.onnx');

/**
 * Returns how much the picture as a whole looks like a photographed display, in log odds that are not calibrated: an image classifier's trunk
 * that was trained further on displays, and a logistic regression over its layers (`appearance.generated.onnx` and `.json`, see `CARD.md`). Takes the
 * picture in full and shrunk, from the largest size to the smallest, and reads the smallest one that has enough pixels between its bars.
 */
export function measureAppearance(sizes: Picture[]): number {
  for (const [i, size] of [...sizes.entries()].reverse()) {
    const seen = withoutBars(size);
    if (i === 0 || Math.max(seen.width, seen.height) >= WIDTH)
      return logOddsOf(head, run(levelsOf(lying(seen, WIDTH, HEIGHT)), WIDTH, HEIGHT));
  }
  throw new Error('No picture.');
}
