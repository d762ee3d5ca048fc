import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const PICTURES = 8;

/** Analyses a drawn photo of 12 megapixels again and again, and prints how often V8 collected its whole heap meanwhile. */
const script = `
  import { PerformanceObserver } from 'node:perf_hooks';
  import { setTimeout as sleep } from 'node:timers/promises';
  import sharp from 'sharp';
  const { analyzePicture } = await import('../analyze.ts');
  const { growHeaps } = await import('./heap.ts');
  const { warmUp } = await import('./warm-up.ts');
  if (process.env.GROW) growHeaps();
  await warmUp();
  const noise = { type: 'gaussian', mean: 128, sigma: 30 };
  const create = { width: 4000, height: 3000, channels: 3, background: '#888', noise };
  const bytes = await sharp({ create }).jpeg().toBuffer();
  let collections = 0;
  const count = list => { for (const { detail } of list.getEntries()) if (detail.kind === 4) collections++; };
  const observer = new PerformanceObserver(count);
  const analyze = () => analyzePicture({ bytes, signals: ['screen', 'ai', 'reverse', 'depth'] });
  for (let i = 0; i < 2; i++) await analyze();
  // V8 plans from the last collection; before the first, it lets the heap grow far.
  globalThis.gc();
  observer.observe({ entryTypes: ['gc'] });
  for (let i = 0; i < ${PICTURES}; i++) await analyze();
  await sleep(50);
  console.log(collections);
`;

async function collections(env: Record<string, string>): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
  });
  return Number(stdout);
}

it('growHeaps spares most photos of 12 megapixels a collection of the whole heap', async () => {
  const grown = await collections({ GROW: '1' });
  expect(grown).toBeLessThanOrEqual(PICTURES / 4);
  // Otherwise the test would show nothing.
  expect(await collections({})).toBeGreaterThan(grown);
}, 120_000);
