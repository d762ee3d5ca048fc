import { readFile } from 'node:fs/promises';
import * as ort from 'onnxruntime-web';
import type { Picture } from '../picture.ts';

/** Channels of the network's last block. */
const CHANNELS = 120;

let loading: Promise<ort.InferenceSession> | undefined;

/** Loaded once a thread. */
async function load(): Promise<ort.InferenceSession> {
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
  const bytes = await readFile(new URL('./context.generated.onnx', import.meta.url));
  return ort.InferenceSession.create(bytes, { executionProviders: ['wasm'] });
}

/**
 * What things the picture shows, as an object detector's trunk sees them (`context.generated.onnx`, see `CARD.md`): the mean of each of
 * its 120 last channels. A small picture of at most 320 pixels; some 25 milliseconds at that size.
 */
export async function measureContext({ data, width, height }: Picture): Promise<Float32Array> {
  loading ??= load();
  const session = await loading;
  const count = width * height;
  const planes = new Float32Array(3 * count);
  for (let i = 0, at = 0; i < count; i++, at += 3) {
    planes[i] = data[at];
    planes[count + i] = data[at + 1];
    planes[2 * count + i] = data[at + 2];
  }
  const answer = await session.run({ image: new ort.Tensor('float32', planes, [1, 3, height, width]) });
  return (answer.context.data as Float32Array).slice(0, CHANNELS);
}
