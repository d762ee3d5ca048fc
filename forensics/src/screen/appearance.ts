import { logOddsOf } from '../networks/linear.ts';
import { levelsOf, trunk } from '../networks/trunk.ts';
import type { Picture } from '../pixels/picture.ts';
import head from './appearance.generated.json' with { type: 'json' };
import { landscape } from './landscape.ts';

/** Size at which the network reads a picture, landscape. */
const WIDTH = 640;
const HEIGHT = 480;

/** Least long side, in pixels, of a shrunk picture in which the network sees as much as in the full one. */
export const APPEARANCE_SIDE = WIDTH;

const run = trunk(new URL('./appearance.generated.onnx', import.meta.url));

/**
 * Returns how much the picture as a whole looks like a photographed display, in log odds that are not calibrated: an image classifier's trunk
 * that was trained further on displays, and a logistic regression over its layers (`appearance.generated.onnx` and `.json`, see `CARD.md`). Takes the
 * picture, or the same shrunk to no less than {@link APPEARANCE_SIDE}.
 */
export const measureAppearance = (picture: Picture): number =>
  logOddsOf(head, run(levelsOf(landscape(picture, WIDTH, HEIGHT)), WIDTH, HEIGHT));
