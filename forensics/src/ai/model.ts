import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import * as ort from 'onnxruntime-web';
import { imageOf } from '../pixels/image.ts';
import type { Picture } from '../pixels/picture.ts';

/** Describes the input of an operator's ONNX model and the meaning of its answer. A JSON file beside the model. */
export interface ModelManifest {
  /** Shown to the operator with the result. */
  name: string;
  /** The ONNX file, relative to the manifest. */
  model: string;
  input: {
    width: number;
    height: number;
    layout: 'NCHW' | 'NHWC';
    channels: 'RGB' | 'BGR';
    /** `stretch`: scale to the input's size. `crop`: scale until the shorter side fits, then take the middle. */
    fit: 'stretch' | 'crop';
    /** A level 0..255 becomes (level / 255 − mean) / std, per channel in the model's order. */
    mean: [number, number, number];
    std: [number, number, number];
  };
  output: {
    /** `probability` and `logit` refer to "generated". `softmax`: logits of several classes, where `index` is "generated". */
    kind: 'probability' | 'logit' | 'softmax';
    /** Index into the first output; default 0. */
    index?: number;
  };
}

/** The model cannot be used. The message names the file and the fault. */
export class ModelFault extends Error {
  override name = 'ModelFault';
}

export interface AiModel {
  name: string;
  /** SHA-256 of the ONNX file. A calibration is valid only for this file. */
  sha256: string;
  /** Returns the model's uncalibrated probability that the picture is generated, 0..1. */
  score(picture: Picture): Promise<number>;
}

const MAX_SIDE = 2_048;
const MAX_MODEL_BYTES = 2 * 1024 ** 3;

/** @throws ModelFault that names the fault. */
export async function loadModel(manifestPath: string): Promise<AiModel> {
  const manifest = checkManifest(manifestPath, await readJson(manifestPath));
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

async function score(session: ort.InferenceSession, manifest: ModelManifest, picture: Picture): Promise<number> {
  const { input, output } = manifest;
  const tensor = new ort.Tensor('float32', await inputOf(picture, input), dimensions(input));
  const answers = await session.run({ [session.inputNames[0]!]: tensor });
  const values = Float32Array.from(answers[session.outputNames[0]!]!.data as ArrayLike<number>);
  const index = output.index ?? 0;
  const value = values[index];
  if (value === undefined || !Number.isFinite(value))
    throw new ModelFault(`${manifest.name} gave no number at output ${index}`);
  if (output.kind === 'logit') return 1 / (1 + Math.exp(-value));
  if (output.kind === 'probability') return Math.min(1, Math.max(0, value));
  const top = values.reduce((a, b) => Math.max(a, b));
  const sum = values.reduce((total, logit) => total + Math.exp(logit - top), 0);
  return Math.exp(value - top) / sum;
}

const dimensions = ({ layout, width, height }: ModelManifest['input']): number[] =>
  layout === 'NCHW' ? [1, 3, height, width] : [1, height, width, 3];

async function inputOf(picture: Picture, input: ModelManifest['input']): Promise<Float32Array> {
  const pixels = await imageOf(picture)
    .resize(input.width, input.height, { fit: input.fit === 'stretch' ? 'fill' : 'cover', kernel: 'linear' })
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

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new ModelFault(`${path}: ${cause instanceof SyntaxError ? 'not JSON' : 'cannot be read'}`);
  }
}

function checkManifest(path: string, given: unknown): ModelManifest {
  const fail = (member: string, takes: string): never => {
    throw new ModelFault(`${path}: ${member} takes ${takes}`);
  };
  const manifest = (given ?? {}) as ModelManifest;
  const { input, output } = manifest;
  if (typeof manifest.name !== 'string' || manifest.name === '') fail('name', 'a text');
  if (typeof manifest.model !== 'string' || manifest.model === '') fail('model', "the ONNX file's name");
  if (typeof input !== 'object' || input === null) fail('input', 'an object');
  if (typeof output !== 'object' || output === null) fail('output', 'an object');
  for (const side of ['width', 'height'] as const)
    if (!Number.isInteger(input[side]) || input[side] < 1 || input[side] > MAX_SIDE)
      fail(`input.${side}`, `1 to ${MAX_SIDE}`);
  if (!['NCHW', 'NHWC'].includes(input.layout)) fail('input.layout', 'NCHW or NHWC');
  if (!['RGB', 'BGR'].includes(input.channels)) fail('input.channels', 'RGB or BGR');
  if (!['stretch', 'crop'].includes(input.fit)) fail('input.fit', 'stretch or crop');
  for (const member of ['mean', 'std'] as const) {
    const list: unknown = input[member];
    if (!Array.isArray(list) || list.length !== 3 || !list.every(Number.isFinite))
      fail(`input.${member}`, 'three numbers');
  }
  if (input.std.some(value => value === 0)) fail('input.std', 'numbers other than 0');
  if (!['probability', 'logit', 'softmax'].includes(output.kind)) fail('output.kind', 'probability, logit or softmax');
  if (output.index !== undefined && (!Number.isInteger(output.index) || output.index < 0))
    fail('output.index', 'a whole number from 0');
  return manifest;
}
