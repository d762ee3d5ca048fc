// Preloaded with --import: the service analyses its first picture. For each later one it sleeps for FIRSTHAND_BENCH_SLEEP_MS, then gives
// the answer of the first with other perceptual hashes. Only for soak.ts and capacity.ts, whose photos all ask for the same signals.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PictureAnalysis } from '@firsthand/forensics/analyze.ts';
import type { AnalysisPool, PoolOptions } from '@firsthand/forensics/running/pool.ts';
import { patchModule } from './patch-module.ts';

/**
 * Environment of a node whose analysis sleeps for `ms` milliseconds.
 *
 * @throws when that is no number of milliseconds.
 */
export function sleepingFor(ms: number): Record<string, string> {
  if (!(ms >= 0)) throw new Error('--sleep takes a number of milliseconds');
  return {
    FIRSTHAND_BENCH_SLEEP_MS: `${ms}`,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'sleeping-analysis.ts')}`,
  };
}

/** `create` makes the pool that analyses the first picture; it gets one thread. */
export function sleeping(create: (options: PoolOptions) => AnalysisPool, options: PoolOptions): AnalysisPool {
  const ms = Number(process.env.FIRSTHAND_BENCH_SLEEP_MS);
  const pool = create({ ...options, threads: 1 });
  let first: Promise<PictureAnalysis> | undefined;
  return {
    ...pool,
    async analyze(request) {
      if (!first) {
        first = pool.analyze(request);
        return first;
      }
      await sleep(ms);
      return withOwnHashes(await first, request.bytes);
    },
    async warmUp(eachReady = () => {}) {
      await pool.warmUp();
      for (let n = 0; n < options.threads; n += 1) eachReady();
    },
  };
}

/** As if the picture were another one: each hash differs from the first picture's in half of its bits. */
function withOwnHashes(answer: PictureAnalysis, bytes: Uint8Array): PictureAnalysis {
  const mask = createHash('sha256').update(bytes).digest();
  const own = <T extends { hash: Uint8Array }>(hashed: T): T => ({
    ...hashed,
    hash: hashed.hash.map((byte, at) => byte ^ mask[at]!),
  });
  const { fingerprint } = answer;
  return { ...answer, fingerprint: { ...own(fingerprint), entries: fingerprint.entries.map(own) } };
}

if (process.env.FIRSTHAND_BENCH_SLEEP_MS) {
  patchModule(
    '/forensics/src/running/pool.ts',
    'export function createAnalysisPool(',
    () =>
      `import { sleeping } from ${JSON.stringify(import.meta.url)};\n` +
      'export const createAnalysisPool = options => sleeping(createWakingPool, options);\n' +
      'function createWakingPool(',
  );
}
