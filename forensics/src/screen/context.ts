import type { Picture } from '../picture.ts';
import { levelsOf, trunk } from './trunk.ts';

const run = trunk('./context.generated.onnx');

/**
 * Measures the objects in the picture with an image classifier's trunk (`context.generated.onnx`, see `CARD.md`): the
 * mean of each of the 160 channels of a late layer. Takes a small picture of at most 320 pixels; some 15 milliseconds
 * at that size.
 */
export const measureContext = (picture: Picture): Float32Array => run(levelsOf(picture), picture.width, picture.height);
