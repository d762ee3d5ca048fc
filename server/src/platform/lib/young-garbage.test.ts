import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { letGo } from './young-garbage.ts';

const MB = 1_048_576;

/** Full collections while 300 buffers of 16 MB come and go. */
async function fullCollections(after: (bytes: number) => void): Promise<number> {
  let count = 0;
  const observer = new PerformanceObserver(list => {
    for (const entry of list.getEntries() as unknown as { detail: { kind: number } }[]) {
      if (entry.detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) count += 1;
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  for (let n = 0; n < 300; n += 1) {
    Buffer.allocUnsafe(16 * MB).fill(n);
    after(16 * MB);
    await nextTurn();
    await nextTurn();
  }
  observer.disconnect();
  return count;
}

test('letGo has the memory of large buffers back without collections of the whole heap', async () => {
  const without = await fullCollections(() => {});
  expect(without).toBeGreaterThan(5);
  expect(await fullCollections(letGo)).toBeLessThan(0.7 * without);
});
