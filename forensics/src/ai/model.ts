import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as ort from 'onnxruntime-web';
import { logistic } from '../odds.ts';
import { imageOf } from '../pixels/image.ts';
import type { Picture } from '../pixels/picture.ts';
import { isHosted, ModelFault, type OnnxManifest, readManifest } from './manifest.ts';

export interface AiModel {
  name: string;
  /** SHA-256 of the ONNX file. A calibration is valid only for this file. */
  sha256: string;
  /** Returns the model's uncalibrated probability that the picture is generated, 0..1. */
  score(picture: Picture): Promise<number>;
}

const MAX_MODEL_BYTES = 2 * 1024 ** 3;

/** @throws ModelFault that names the fault. */
export async function loadModel(manifestPath: string): Promise<AiModel> {
  const manifest = await readManifest(manifestPath);
  if (isHosted(manifest)) throw new ModelFault(`${manifestPath}: names a service, not an ONNX file`);
  const path = resolve(dirname(manifestPath), manifest.model);
  const size = await stat(path).then(
    found => found.size,
    () => undefined,
  );
  if (size === undefined) throw new ModelFault(`${path}: there is no such file`);
  if (size > MAX_MODEL_BYTES) throw new ModelFault(`${path}: larger than 2 GiB`);
  const bytes = await readFile(path);
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = 'error';
  let session: ort.InferenceSession;
  try {
    session = await ort.InferenceSession.create(bytes, { executionProviders: ['wasm'] });
  } catch (cause) {
    throw new ModelFault(
      `${path}: ONNX Runtime cannot load it: ${String((cause as Error)?.message ?? cause).slice(0, 300)}`,
    );
  }
  return {
    name: manifest.name,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    score: picture => score(session, manifest, picture),
  };
}

async function score(session: ort.InferenceSession, manifest: OnnxManifest, picture: Picture): Promise<number> {
  const { input, output } = manifest;
  const tensor = new ort.Tensor('float32', await inputOf(picture, input), dimensions(input));
  const answers = await session.run({ [session.inputNames[0]!]: tensor });
  const values = Float32Array.from(answers[session.outputNames[0]!]!.data as ArrayLike<number>);
  const index = output.index ?? 0;
  const value = values[index];
  if (value === undefined || !Number.isFinite(value))
    throw new ModelFault(`${manifest.name} gave no number at output ${index}`);
  if (output.kind === 'logit') return logistic(value);
  if (output.kind === 'probability') return Math.min(1, Math.max(0, value));
  const top = values.reduce((a, b) => Math.max(a, b));
  const sum = values.reduce((total, logit) => total + Math.exp(logit - top), 0);
  return Math.exp(value - top) / sum;
}

const dimensions = ({ layout, width, height }: OnnxManifest['input']): number[] =>
  layout === 'NCHW' ? [1, 3, height, width] : [1, height, width, 3];

/** The middle of the picture that remains when its shorter side is scaled to `shorter` and the input is cut out. */
function middleOf({ width, height }: Picture, input: OnnxManifest['input']) {
  const scale = Math.min(width, height) / (input.shorter ?? Math.min(width, height));
  const [w, h] = [input.width * scale, input.height * scale].map(side => Math.max(1, Math.round(side))) as [
    number,
    number,
  ];
  return { left: Math.floor((width - w) / 2), top: Math.floor((height - h) / 2), width: w, height: h };
}

async function inputOf(picture: Picture, input: OnnxManifest['input']): Promise<Float32Array> {
  const image = imageOf(picture);
  const cut = input.shorter === undefined ? image : image.extract(middleOf(picture, input));
  const fit = input.fit === 'crop' && input.shorter === undefined ? 'cover' : 'fill';
  const pixels = await cut
    .resize(input.width, input.height, { fit, kernel: input.resample ?? 'linear' })
    .raw()
    .toBuffer();
  const count = input.width * input.height;
  const out = new Float32Array(count * 3);
  for (let i = 0; i < count; i++)
    for (let c = 0; c < 3; c++) {
      const level = pixels[i * 3 + (input.channels === 'RGB' ? c : 2 - c)]!;
      out[input.layout === 'NCHW' ? c * count + i : i * 3 + c] = (level / 255 - input.mean[c]!) / input.std[c]!;
    }
  return out;
}
