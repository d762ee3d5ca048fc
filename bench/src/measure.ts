import { setTimeout as sleep } from 'node:timers/promises';
import { random } from '@firsthand/forensics/pixels/random.ts';

/** Returns the value below which the share `p` of the samples falls (nearest rank). NaN without samples. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);

/** Repeats `work`, `concurrency` at a time, for `seconds`. Resolves to completions per second. */
export async function rate(work: () => Promise<unknown>, o: { concurrency: number; seconds: number }): Promise<number> {
  const start = performance.now();
  const end = start + o.seconds * 1000;
  let done = 0;
  const worker = async () => {
    while (performance.now() < end) {
      await work();
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: o.concurrency }, worker));
  return done / ((performance.now() - start) / 1000);
}

/** Alternates two measurements, so that other load affects both. Resolves to the median of each. */
export async function sideBySide(
  rounds: number,
  measured: () => Promise<number>,
  limit: () => Promise<number>,
): Promise<{ measured: number; limit: number }> {
  const samples: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) samples.push([await measured(), await limit()]);
  return { measured: median(samples.map(([value]) => value)), limit: median(samples.map(([, value]) => value)) };
}

/** Returns the milliseconds that `work` takes: the median of `times` runs after a warm-up run. */
export async function milliseconds(work: () => Promise<unknown>, times: number): Promise<number> {
  await work();
  const samples: number[] = [];
  for (let run = 0; run < times; run += 1) {
    const start = performance.now();
    await work();
    samples.push(performance.now() - start);
  }
  return median(samples);
}

/**
 * Starts `work` at random moments (a Poisson process), `perSecond` of them on average, without waiting for any to end. A seed gives the same
 * moments again.
 */
export async function arrivals(
  work: () => Promise<void>,
  o: { perSecond: number; seconds: number; seed?: number },
): Promise<void> {
  const { uniform } = random(o.seed ?? 1);
  const began = performance.now();
  const running: Promise<void>[] = [];
  for (let at = 0; ; ) {
    at += -Math.log(1 - uniform()) / o.perSecond;
    if (at >= o.seconds) break;
    await sleep(Math.max(0, began + at * 1_000 - performance.now()));
    running.push(work());
  }
  await Promise.all(running);
}

/** Samples a number until stopped and resolves to the largest. */
export function watchPeak(read: () => Promise<number>, everyMs = 50): () => Promise<number> {
  let peak = 0;
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      peak = Math.max(peak, await read());
      await sleep(everyMs);
    }
  })();
  return async () => {
    stopped = true;
    await watching;
    return peak;
  };
}
