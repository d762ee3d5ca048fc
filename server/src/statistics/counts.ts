import type { StatisticsBucket } from '@firsthand/contract/statistics.ts';

/** How often each measure of migration 0091 was counted. */
export type Counts = Record<string, number>;

/** Adds `n` to each measure. Measures at zero are dropped. */
export function add(to: Counts, measures: Iterable<readonly [string, number]>): Counts {
  for (const [measure, n] of measures) {
    const sum = (to[measure] ?? 0) + n;
    if (sum === 0) delete to[measure];
    else to[measure] = sum;
  }
  return to;
}

/** The measures whose name begins with `prefix`, without it. */
const under = (counts: Counts, prefix: string): [string, number][] =>
  Object.entries(counts).flatMap(([name, n]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), n]] : []));

export const plainCounts = (counts: Counts) => ({
  created: counts.created ?? 0,
  completed: counts.completed ?? 0,
  expired: counts.expired ?? 0,
  failed: counts.failed ?? 0,
  verified: counts.verified ?? 0,
  suspicious: counts.suspicious ?? 0,
  rejected_by_signal: Object.fromEntries(under(counts, 'rejected:').sort(([a], [b]) => (a < b ? -1 : 1))),
  reviewed: counts.reviewed ?? 0,
  overridden: counts.overridden ?? 0,
});

/** The middle of a bin of `duration_bin`, in seconds. */
export function secondsOf(bin: number): number {
  if (bin < 64) return bin;
  const octave = Math.floor(bin / 32) - 1;
  const width = 2 ** octave;
  return (bin - octave * 32) * width + (width - 1) / 2;
}

/** The median of a histogram of durations; undefined when it is empty. */
export function medianOf(counts: Counts, prefix: string): number | undefined {
  const bins = under(counts, prefix)
    .map(([bin, n]) => [Number(bin), n] as const)
    .sort(([a], [b]) => a - b);
  const total = bins.reduce((sum, [, n]) => sum + n, 0);
  if (total === 0) return undefined;
  const at = (place: number): number => {
    let seen = 0;
    for (const [bin, n] of bins) {
      seen += n;
      if (seen > place) return secondsOf(bin);
    }
    throw new Error('a place beyond the end');
  };
  return (at(Math.floor((total - 1) / 2)) + at(Math.floor(total / 2))) / 2;
}

export function bucketOf(start: Date, counts: Counts): StatisticsBucket {
  const medians = {
    median_seconds_to_capture: medianOf(counts, 'to_capture:'),
    median_seconds_to_verdict: medianOf(counts, 'to_verdict:'),
    median_seconds_to_review: medianOf(counts, 'to_review:'),
  };
  return {
    start: start.toISOString(),
    ...plainCounts(counts),
    ...Object.fromEntries(Object.entries(medians).filter(([, seconds]) => seconds !== undefined)),
  };
}
