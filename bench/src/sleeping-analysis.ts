// Preloaded with --import: the service analyses its first picture. For each later one it sleeps as many milliseconds as
// FIRSTHAND_BENCH_SLEEP_MS says and gives the first one's answer, with perceptual hashes of its own. For soak.ts and capacity.ts alone.
import { createHash } from 'node:crypto';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PictureAnalysis } from '@firsthand/forensics/analyze.ts';
import type { AnalysisPool, PoolOptions } from '@firsthand/forensics/running/pool.ts';

const POOL = '/forensics/src/running/pool.ts';
const SIGNATURE = 'export function createAnalysisPool(';

/** Environment of a node whose analysis sleeps for `ms` milliseconds. */
export const sleepingFor = (ms: number): Record<string, string> => ({
  FIRSTHAND_BENCH_SLEEP_MS: `${ms}`,
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'sleeping-analysis.ts')}`,
});

/** `create` makes the pool that analyses the first picture of each kind; it gets one thread. */
export function sleeping(create: (options: PoolOptions) => AnalysisPool, options: PoolOptions): AnalysisPool {
  const ms = Number(process.env.FIRSTHAND_BENCH_SLEEP_MS);
  const pool = create({ ...options, threads: 1 });
  const answers = new Map<string, Promise<PictureAnalysis>>();
  return {
    ...pool,
    async analyze(request) {
      const kind = request.signals.toSorted().join();
      const known = answers.get(kind);
      if (!known) {
        const answer = pool.analyze(request);
        answers.set(kind, answer);
        return answer;
      }
      await sleep(ms);
      return withOwnHashes(await known, request.bytes);
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
  const { fingerprint, reverse } = answer;
  return {
    ...answer,
    fingerprint: { ...own(fingerprint), entries: fingerprint.entries.map(own) },
    ...(reverse ? { reverse: { ...reverse, probes: reverse.probes.map(own) } } : {}),
  };
}

if (process.env.FIRSTHAND_BENCH_SLEEP_MS) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(POOL)) return loaded;
      const source = String(loaded.source);
      if (!source.includes(SIGNATURE)) throw new Error(`${POOL} has changed: mend sleeping-analysis.ts`);
      return {
        ...loaded,
        source:
          `import { sleeping } from ${JSON.stringify(import.meta.url)};\n` +
          `export const createAnalysisPool = options => sleeping(createWakingPool, options);\n` +
          source.replace(SIGNATURE, 'function createWakingPool('),
      };
    },
  });
}
