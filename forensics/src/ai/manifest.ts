import { readFile } from 'node:fs/promises';

/** Describes an operator's model. A JSON file; a model's calibration lies beside it. */
export type ModelManifest = OnnxManifest | HostedManifest;

/** A service that scores pictures: the operator's adapter of somebody's detector. `docs/ai-model.md` has its protocol. */
export interface HostedManifest {
  /** Shown to the operator with the result. */
  name: string;
  url: string;
}

/** Describes the input of an ONNX model and the meaning of its answer. */
export interface OnnxManifest {
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
    /** With `crop`: what the shorter side is scaled to before the middle is taken. Default: what fits the input. */
    shorter?: number;
    /** How pixels are scaled. Default `linear`. */
    resample?: 'nearest' | 'linear' | 'cubic' | 'lanczos3';
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

/** The model cannot be used. The message names the file or the service, and the fault. */
export class ModelFault extends Error {
  override name = 'ModelFault';
}

export const isHosted = (manifest: ModelManifest): manifest is HostedManifest => 'url' in manifest;

const MAX_SIDE = 2_048;
const KERNELS = ['nearest', 'linear', 'cubic', 'lanczos3'];

/** @throws ModelFault that names the member and what it takes. */
export async function readManifest(path: string): Promise<ModelManifest> {
  const given = (await readJson(path)) as ModelManifest | null;
  const manifest = given ?? ({} as ModelManifest);
  if (typeof manifest.name !== 'string' || manifest.name === '') throw takes(path, 'name', 'a text');
  if (!isHosted(manifest)) return checkOnnx(path, manifest);
  if (!/^https?:$/.test(URL.parse(String(manifest.url))?.protocol ?? ''))
    throw takes(path, 'url', 'an http or https URL');
  return manifest;
}

/** Reads a JSON file. @throws ModelFault */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (cause) {
    throw new ModelFault(`${path}: ${cause instanceof SyntaxError ? 'not JSON' : 'cannot be read'}`);
  }
}

const takes = (path: string, member: string, what: string) => new ModelFault(`${path}: ${member} takes ${what}`);

function checkOnnx(path: string, manifest: OnnxManifest): OnnxManifest {
  const fail = (member: string, what: string): never => {
    throw takes(path, member, what);
  };
  const { input, output } = manifest;
  if (typeof manifest.model !== 'string' || manifest.model === '')
    fail('model', "the ONNX file's name; url takes a service's address");
  if (typeof input !== 'object' || input === null) fail('input', 'an object');
  if (typeof output !== 'object' || output === null) fail('output', 'an object');
  const sides = ['width', 'height', ...(input.shorter === undefined ? [] : ['shorter'])] as ('width' | 'shorter')[];
  for (const side of sides)
    if (!Number.isInteger(input[side]) || input[side]! < 1 || input[side]! > MAX_SIDE)
      fail(`input.${side}`, `1 to ${MAX_SIDE}`);
  if (!['NCHW', 'NHWC'].includes(input.layout)) fail('input.layout', 'NCHW or NHWC');
  if (!['RGB', 'BGR'].includes(input.channels)) fail('input.channels', 'RGB or BGR');
  if (!['stretch', 'crop'].includes(input.fit)) fail('input.fit', 'stretch or crop');
  if (input.shorter !== undefined && (input.fit !== 'crop' || input.shorter < Math.max(input.width, input.height)))
    fail('input.shorter', 'at least width and height, with the fit crop');
  if (input.resample !== undefined && !KERNELS.includes(input.resample)) fail('input.resample', KERNELS.join(', '));
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
