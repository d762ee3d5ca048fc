import type { Picture } from '../picture.ts';
import { network } from './network.ts';

const run = network('./context.generated.onnx');

/**
 * Measures the objects in the picture with an image classifier's trunk (`context.generated.onnx`, see `CARD.md`): the
 * mean of each of the 160 channels of a late layer. Takes a small picture of at most 320 pixels; some 70 milliseconds
 * at that size.
 */
export async function measureContext({ data, width, height }: Picture): Promise<Float32Array> {
  const count = width * height;
  const planes = new Float32Array(3 * count);
  for (let i = 0, at = 0; i < count; i++, at += 3) {
    planes[i] = data[at];
    planes[count + i] = data[at + 1];
    planes[2 * count + i] = data[at + 2];
  }
  return (await run(planes, width, height)).slice();
}
