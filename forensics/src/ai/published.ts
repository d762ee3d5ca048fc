import { readFile, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { ModelFault, type OnnxManifest, readJson } from './manifest.ts';

/** A model as its authors publish it, and what they say of its use. */
export interface Published {
  manifest: OnnxManifest;
  /** The class that means "generated", and the others. */
  generated: string;
  others: string[];
  /** `license` of the model card. Absent where the card names none. */
  license?: string;
}

/** Where exporters put the model: Optimum and Transformers.js. */
const FILES = ['model.onnx', 'onnx/model.onnx'];
const GENERATED = /\b(ai|fake|deepfake|artificial|generated|synthetic|sdxl?|diffusion|gan)\b/i;
/** The kernels by PIL's numbers. */
const KERNELS = { 0: 'nearest', 1: 'lanczos3', 2: 'linear', 3: 'cubic' } as const;

type Size = number | { height?: number; width?: number; shortest_edge?: number } | null | undefined;

/** The members of `preprocessor_config.json` that say what a picture becomes. */
interface Preprocessor {
  size?: Size;
  crop_size?: Size;
  crop_pct?: number | null;
  do_center_crop?: boolean | null;
  do_normalize?: boolean | null;
  do_flip_channel_order?: boolean | null;
  image_mean?: [number, number, number] | null;
  image_std?: [number, number, number] | null;
  rescale_factor?: number | null;
  resample?: number | null;
}

/**
 * Reads a folder as model hubs hold an image classifier (`config.json`, `preprocessor_config.json`, `model.onnx` or
 * `onnx/model.onnx`, `README.md`), and says how to use the model. `label` names the class that means "generated" where its name does
 * not tell.
 *
 * @throws ModelFault that names what the folder lacks.
 */
export async function readPublished(folder: string, label?: string): Promise<Published> {
  const config = (await readJson(join(folder, 'config.json'))) as { id2label?: Record<string, string> };
  const preprocessor = (await readJson(join(folder, 'preprocessor_config.json'))) as Preprocessor;
  const classes = Object.entries(config.id2label ?? {}).map(([index, name]) => ({ index: Number(index), name }));
  const generated = generatedOf(join(folder, 'config.json'), classes, label);
  const license = await licenseOf(folder);
  return {
    manifest: {
      name: basename(resolve(folder)),
      model: relative(folder, await onnxOf(folder)),
      input: inputOf(join(folder, 'preprocessor_config.json'), preprocessor),
      output: classes.length === 1 ? { kind: 'logit' } : { kind: 'softmax', index: generated.index },
    },
    generated: generated.name,
    others: classes.filter(one => one !== generated).map(({ name }) => name),
    ...(license === undefined ? {} : { license }),
  };
}

async function onnxOf(folder: string): Promise<string> {
  for (const file of FILES) {
    const path = join(folder, file);
    if (await stat(path).catch(() => null)) return path;
  }
  throw new ModelFault(
    `${folder}: there is no ${FILES.join(' and no ')}. If the model is published for PyTorch only, export it: ` +
      'optimum-cli export onnx --task image-classification --model NAME FOLDER',
  );
}

function generatedOf<C extends { name: string }>(path: string, classes: C[], label: string | undefined): C {
  const names = classes.map(({ name }) => name).join(', ') || 'none';
  const found = classes.filter(({ name }) =>
    label === undefined ? GENERATED.test(name.replaceAll(/[_-]/g, ' ')) : name.toLowerCase() === label.toLowerCase(),
  );
  const [only] = found;
  if (only && found.length === 1) return only;
  throw new ModelFault(
    label === undefined
      ? `${path}: which class means "generated" is not clear. Name it with --label. The classes are: ${names}`
      : `${path}: there is no class ${label}. The classes are: ${names}`,
  );
}

const sidesOf = (size: Size): [number, number] | undefined => {
  if (typeof size === 'number') return [size, size];
  return size?.width && size.height ? [size.width, size.height] : undefined;
};
const shortestOf = (size: Size): number | undefined =>
  typeof size === 'object' && size ? size.shortest_edge : undefined;

function inputOf(path: string, o: Preprocessor): OnnxManifest['input'] {
  const shortest = shortestOf(o.size);
  // ConvNeXT names the input by its shorter side, and what to cut off by a share.
  const sides = (o.do_center_crop ? sidesOf(o.crop_size) : undefined) ?? sidesOf(o.size) ?? sidesOf(shortest);
  if (!sides) throw new ModelFault(`${path}: size takes a number, {height, width} or {shortest_edge}`);
  const [width, height] = sides;
  const shorter =
    shortest !== undefined && o.crop_pct ? Math.round(shortest / o.crop_pct) : o.do_center_crop ? shortest : undefined;
  const cropped = o.do_center_crop || shortest !== undefined;
  // (level × factor − mean) / std, written for levels of 0 to 1.
  const gain = 255 * (o.rescale_factor ?? 1 / 255);
  const of = (list: readonly number[]) => list.map(value => value / gain) as [number, number, number];
  const normalised = (o.do_normalize ?? true) && o.image_mean && o.image_std;
  return {
    width,
    height,
    layout: 'NCHW',
    channels: o.do_flip_channel_order ? 'BGR' : 'RGB',
    fit: cropped ? 'crop' : 'stretch',
    ...(cropped && shorter !== undefined && shorter > Math.max(width, height) ? { shorter } : {}),
    resample: KERNELS[(o.resample ?? 2) as keyof typeof KERNELS] ?? 'linear',
    mean: normalised ? of(o.image_mean!) : [0, 0, 0],
    std: of(normalised ? o.image_std! : [1, 1, 1]),
  };
}

/** `license` in the front matter of the model card. */
async function licenseOf(folder: string): Promise<string | undefined> {
  const card = await readFile(join(folder, 'README.md'), 'utf8').catch(() => '');
  const front = /^---\r?\n([\s\S]*?)\r?\n---/.exec(card)?.[1] ?? '';
  return /^license:\s*["']?([\w.+-]+)/m.exec(front)?.[1];
}
