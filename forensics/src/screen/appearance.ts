import type { Picture } from '../picture.ts';
import head from './appearance.generated.json' with { type: 'json' };
import { withoutBars } from './bars.ts';
import { logOddsOf } from './linear.ts';
import { lying } from './lying.ts';
import { levelsOf, trunk } from './trunk.ts';

/** Size at which the network reads a picture, lying. A band of 40 cycles a picture is eight pixels wide. */
const WIDTH = 320;
const HEIGHT = 240;

const run = trunk('./appearance.generated.onnx');

/**
 * Returns how much the picture as a whole looks like a photographed display, in log odds that are not calibrated: an image classifier's trunk
 * that was trained further on displays, and a logistic regression over its layers (`appearance.generated.onnx` and `.json`, see `CARD.md`). Takes a
 * small picture of about 320 pixels.
 */
export const measureAppearance = (picture: Picture): number =>
  logOddsOf(head, run(levelsOf(lying(withoutBars(picture), WIDTH, HEIGHT)), WIDTH, HEIGHT));
