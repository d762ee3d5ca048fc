import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { meanModel } from '../../test/onnx.ts';
import { loadModel } from './model.ts';
import { readPublished } from './published.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-published-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const VIT = {
  do_resize: true,
  do_rescale: true,
  do_normalize: true,
  rescale_factor: 1 / 255,
  resample: 2,
  size: { height: 224, width: 224 },
  image_mean: [0.5, 0.5, 0.5],
  image_std: [0.5, 0.5, 0.5],
};
const CLIP = {
  ...VIT,
  resample: 3,
  size: { shortest_edge: 256 },
  do_center_crop: true,
  crop_size: { height: 224, width: 224 },
};

let made = 0;
async function published(o: { labels?: string[]; preprocessor?: object; onnx?: string | null; card?: string } = {}) {
  const path = join(folder, `model-${++made}`);
  await mkdir(join(path, 'onnx'), { recursive: true });
  const { labels = ['artificial', 'human'], preprocessor = VIT, onnx = 'model.onnx', card } = o;
  await writeFile(join(path, 'config.json'), JSON.stringify({ id2label: Object.fromEntries(labels.entries()) }));
  await writeFile(join(path, 'preprocessor_config.json'), JSON.stringify(preprocessor));
  if (onnx !== null) await writeFile(join(path, onnx), meanModel([1, 3, 8, 8], 10, -5));
  if (card !== undefined) await writeFile(join(path, 'README.md'), card);
  return path;
}

describe('a published model', () => {
  test('becomes a manifest that its ONNX file runs with', async () => {
    const path = await published({
      preprocessor: { ...VIT, size: 8, do_normalize: false },
      labels: ['generated'],
      onnx: 'onnx/model.onnx',
      card: '---\ntags: [vit]\nlicense: apache-2.0\n---\n# A model\nlicense: none\n',
    });
    const { manifest, ...said } = await readPublished(path);
    expect(said).toEqual({ generated: 'generated', others: [], license: 'apache-2.0' });
    expect(manifest).toMatchObject({ name: `model-${made}`, model: 'onnx/model.onnx', output: { kind: 'logit' } });
    await writeFile(join(path, 'firsthand.json'), JSON.stringify(manifest));
    const model = await loadModel(join(path, 'firsthand.json'));
    const white = { width: 20, height: 10, data: new Uint8Array(600).fill(255) };
    expect(await model.score(white)).toBeCloseTo(1 / (1 + Math.exp(-5)), 4);
  });

  test.each<[string, object, object]>([
    ['a square size', VIT, { width: 224, height: 224, fit: 'stretch', resample: 'linear', channels: 'RGB' }],
    ['a number as size', { ...VIT, size: 384 }, { width: 384, height: 384, fit: 'stretch' }],
    ['a shorter side that is cut', CLIP, { width: 224, height: 224, fit: 'crop', shorter: 256, resample: 'cubic' }],
    ['a shorter side that fits', { ...CLIP, size: { shortest_edge: 224 } }, { width: 224, fit: 'crop' }],
    [
      'a share to cut off',
      { ...VIT, size: { shortest_edge: 224 }, crop_pct: 0.875, do_center_crop: null, crop_size: null },
      { width: 224, height: 224, fit: 'crop', shorter: 256 },
    ],
    [
      'other channels and no mean',
      { ...CLIP, do_flip_channel_order: true, do_normalize: undefined, image_mean: undefined, image_std: undefined },
      { channels: 'BGR', mean: [0, 0, 0], std: [1, 1, 1] },
    ],
    [
      'levels of -1 to 1',
      { ...VIT, rescale_factor: 2 / 255, image_mean: [1, 1, 1], image_std: [1, 1, 1] },
      { mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] },
    ],
  ])('with %s is read as its authors prepare pictures', async (_name, preprocessor, input) => {
    expect((await readPublished(await published({ preprocessor }))).manifest.input).toMatchObject(input);
  });

  test.each<[string[], number]>([
    [['artificial', 'human'], 0],
    [['REAL', 'FAKE'], 1],
    [['Realism', 'Deepfake'], 1],
    [['human', 'ai_gen'], 1],
  ])('with the classes %j means class %i by "generated"', async (labels, index) => {
    expect((await readPublished(await published({ labels }))).manifest.output).toEqual({ kind: 'softmax', index });
  });

  test('whose classes leave it open takes a label, and says so', async () => {
    const path = await published({ labels: ['LABEL_0', 'LABEL_1'] });
    await expect(readPublished(path)).rejects.toThrow('Name it with --label. The classes are: LABEL_0, LABEL_1');
    await expect(readPublished(path, 'fake')).rejects.toThrow('there is no class fake');
    expect((await readPublished(path, 'label_1')).manifest.output).toEqual({ kind: 'softmax', index: 1 });
  });

  test('without an ONNX file is refused with the command that exports one', async () => {
    await expect(readPublished(await published({ onnx: null }))).rejects.toThrow('optimum-cli export onnx');
  });
});

test('a shorter side cuts the middle of the picture out', async () => {
  const path = join(folder, 'cut.json');
  const input = {
    width: 8,
    height: 8,
    layout: 'NCHW',
    channels: 'RGB',
    fit: 'crop',
    shorter: 16,
    mean: [0, 0, 0],
    std: [1, 1, 1],
  };
  await writeFile(join(folder, 'cut.onnx'), meanModel([1, 3, 8, 8], 10, -5));
  await writeFile(path, JSON.stringify({ name: 'cut', model: 'cut.onnx', input, output: { kind: 'logit' } }));
  // White only in the middle half of the shorter side.
  const [width, height] = [48, 32];
  const data = new Uint8Array(width * height * 3);
  for (let y = 8; y < 24; y++) data.fill(255, (y * width + 16) * 3, (y * width + 32) * 3);
  expect(await (await loadModel(path)).score({ width, height, data })).toBeCloseTo(1 / (1 + Math.exp(-5)), 3);
});
