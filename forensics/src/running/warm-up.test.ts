import * as ort from 'onnxruntime-web';
import sharp from 'sharp';
import { expect, it, vi } from 'vitest';

it('warmUp loads the networks that the first picture would wait for', async () => {
  // Another test of this process may have loaded them.
  vi.resetModules();
  const { analyzePicture } = await import('../analyze.ts');
  const { warmUp } = await import('./warm-up.ts');
  const create = vi.spyOn(ort.InferenceSession, 'create');
  await warmUp();
  const loaded = create.mock.calls.length;
  expect(loaded).toBeGreaterThan(0);
  const bytes = await sharp({ create: { width: 660, height: 440, channels: 3, background: '#58a' } })
    .jpeg()
    .toBuffer();
  expect((await analyzePicture({ bytes, signals: ['screen'] })).screen?.evaluated).toBe(true);
  expect(create).toHaveBeenCalledTimes(loaded);
});
