import { readFile } from 'node:fs/promises';
import * as ort from 'onnxruntime-web';

/** Runs a network on R, G, B planes of levels 0..255 (3 x height x width) and returns its output. */
type Network = (planes: Float32Array, width: number, height: number) => Promise<Float32Array>;

/** Returns the network in this file. Each thread loads it on first use, in single-threaded ONNX Runtime (WebAssembly). */
export function network(file: URL): Network {
  let loading: Promise<ort.InferenceSession> | undefined;
  return async (planes, width, height) => {
    loading ??= load(file);
    const session = await loading;
    const answer = await session.run({ image: new ort.Tensor('float32', planes, [1, 3, height, width]) });
    return answer[session.outputNames[0]].data as Float32Array;
  };
}

async function load(file: URL): Promise<ort.InferenceSession> {
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
  return ort.InferenceSession.create(await readFile(file), { executionProviders: ['wasm'] });
}
