import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { meanModel } from '../../test/onnx.ts';
import type { Picture } from '../pixels/picture.ts';
import type { AiResult } from './assess.ts';
import { calibrate, calibrationPath, loadCalibrated, pValue, withModel } from './calibration.ts';
import type { OnnxManifest } from './manifest.ts';
import { loadModel } from './model.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fh-model-'));
  await writeFile(join(folder, 'mean.onnx'), meanModel([1, 3, 8, 8], 10, -5));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const MANIFEST: OnnxManifest = {
  name: 'brightness',
  model: 'mean.onnx',
  input: { width: 8, height: 8, layout: 'NCHW', channels: 'RGB', fit: 'stretch', mean: [0, 0, 0], std: [1, 1, 1] },
  output: { kind: 'logit' },
};
const grey = (level: number): Picture => ({ width: 20, height: 10, data: new Uint8Array(600).fill(level) });

async function manifest(change: object = {}, name = 'model.json'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, JSON.stringify({ ...MANIFEST, ...change }));
  return path;
}

describe('operator’s model', () => {
  test('gets its input as the manifest says', async () => {
    const model = await loadModel(await manifest());
    expect(model.sha256).toMatch(/^[0-9a-f]{64}$/);
    const logistic = (x: number) => 1 / (1 + Math.exp(-x));
    expect(await model.score(grey(255))).toBeCloseTo(logistic(5), 4);
    expect(await model.score(grey(51))).toBeCloseTo(logistic(-3), 4);
    const normalised = await loadModel(
      await manifest({ input: { ...MANIFEST.input, mean: [0.5, 0.5, 0.5], std: [0.5, 0.5, 0.5] } }),
    );
    expect(await normalised.score(grey(255))).toBeCloseTo(logistic(5), 4);
    expect(await normalised.score(grey(0))).toBeCloseTo(logistic(-15), 4);
    const probability = await loadModel(await manifest({ output: { kind: 'probability' } }));
    expect(await probability.score(grey(255))).toBe(1);
  });

  test.each<[string, object, string]>([
    ['no such file', { model: 'gone.onnx' }, 'there is no such file'],
    ['a width of 0', { input: { ...MANIFEST.input, width: 0 } }, 'input.width takes 1 to 2048'],
    ['an unknown output', { output: { kind: 'vibes' } }, 'output.kind takes'],
    ['a zero deviation', { input: { ...MANIFEST.input, std: [1, 0, 1] } }, 'input.std takes'],
    ['no model at all', { model: 'model.json' }, 'ONNX Runtime cannot load it'],
  ])('with %s is refused with the reason', async (_name, change, reason) => {
    await expect(loadModel(await manifest(change))).rejects.toThrow(reason);
  });
});

describe('calibration', () => {
  const genuine = (n: number) => Array.from({ length: n }, (_, i) => (i + 0.5) / (2 * n));
  const unknown: AiResult = { evaluated: true, label: 'unknown', confidence: 0, band: 'clear', evidence: [] };
  const fixed = (n: number) => ({
    model: { name: 'm', sha256: 'x', score: async () => 0 },
    calibration: calibrate({ sha256: 'x' }, genuine(n)),
  });

  test('needs at least 99 genuine pictures', () => {
    expect(() => calibrate({ sha256: 'x' }, genuine(98))).toThrow('at least 99');
    expect(calibrate({ sha256: 'x' }, genuine(99)).scores).toHaveLength(99);
  });

  test('doubts at most 1% of genuine pictures, whatever the model', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 100, maxLength: 300 }), scores => {
        // Leave-one-out: each picture in turn is the new one, exchangeable with the rest.
        const doubted = scores.filter(
          (score, i) => pValue(calibrate({ sha256: 'x' }, scores.toSpliced(i, 1)), score) <= 0.01,
        );
        expect(doubted.length).toBeLessThanOrEqual(0.01 * scores.length);
      }),
      { numRuns: 50 },
    );
  });

  test('makes a score above all 99 doubtful; confident needs 999', () => {
    expect(withModel(unknown, fixed(99), 0.9)).toMatchObject({
      label: 'likely_ai',
      band: 'doubtful',
      confidence: 0.99,
    });
    expect(withModel(unknown, fixed(999), 0.9)).toMatchObject({ label: 'likely_ai', band: 'confident' });
    expect(withModel(unknown, fixed(999), 0.3)).toMatchObject({ label: 'unknown', band: 'clear' });
    expect(withModel(unknown, fixed(99), 0.3).evidence[0]).toMatchObject({ source: 'model', field: 'm' });
  });

  test('overrules neither a mark nor a trusted camera; against an attested capture the origin is unknown', () => {
    const mark: AiResult = { ...unknown, label: 'likely_ai', confidence: 0.99, band: 'confident' };
    expect(withModel(mark, fixed(999), 0.1)).toMatchObject({ label: 'likely_ai', confidence: 0.99 });
    const human: AiResult = { ...unknown, label: 'likely_human', confidence: 0.95 };
    expect(withModel(human, fixed(999), 0.9)).toMatchObject({ label: 'unknown', band: 'clear' });
    const camera: AiResult = { ...human, vouched: 'captured' };
    expect(withModel(camera, fixed(999), 0.9)).toMatchObject({ label: 'likely_human' });
    const edited: AiResult = { ...human, evidence: [{ source: 'c2pa', field: 'validation', value: 'trusted' }] };
    expect(withModel(edited, fixed(999), 0.9)).toMatchObject({ label: 'unknown' });
  });

  test('is valid only for its own model', async () => {
    const path = await manifest({}, 'kept.json');
    await expect(loadCalibrated(path)).rejects.toThrow('firsthand calibrate');
    const model = await loadModel(path);
    await writeFile(calibrationPath(path), JSON.stringify(calibrate(model, genuine(120))));
    expect((await loadCalibrated(path)).calibration.scores).toHaveLength(120);
    await writeFile(calibrationPath(path), JSON.stringify(calibrate({ sha256: 'other' }, genuine(120))));
    await expect(loadCalibrated(path)).rejects.toThrow('another model');
  });
});
