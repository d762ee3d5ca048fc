import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { verifyBundle } from '../src/verify.ts';
import { BOMBS } from './bombs.ts';
import { chunked, makeBundle } from './build.ts';

const MOST_MS = 15_000;
const MOST_GROWTH_BYTES = 300_000_000;

describe('verifyBundle of an archive bomb', () => {
  it.each(BOMBS)('ends as not valid or unreadable, soon and in little memory: %s', async (_what, make) => {
    const made = makeBundle();
    const bytes = make(made);
    for (const chunk of [1_048_576, 60_001]) {
      const [started, before] = [performance.now(), process.memoryUsage.rss()];
      let most = 0;
      const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss() - before)), 20);
      const report = await verifyBundle(chunked(bytes, chunk), {
        trusted: [made.log, made.bundle],
        createHash: () => createHash('sha256'),
        crc32: (part, value) => crc32(part, value),
      });
      clearInterval(watch);
      expect([1, 3]).toContain(report.exit_code);
      expect(report.faults.length).toBeGreaterThan(0);
      expect(performance.now() - started).toBeLessThan(MOST_MS);
      expect(most).toBeLessThan(MOST_GROWTH_BYTES);
    }
  });
});
