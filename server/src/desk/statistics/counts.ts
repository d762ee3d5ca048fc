import type { StatisticsBucket } from '@firsthand/contract/statistics/statistics.ts';

/** How often each measure of `statistics_of` in the database was counted. */
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

const DURATIONS = ['to_capture', 'to_verdict', 'to_review'] as const;

/** Whether a measure is a bin of a histogram of durations. */
export const isDuration = (measure: string): boolean => measure.startsWith('to_');

/** How often each bin of a histogram was counted. */
type Bins = [bin: number, n: number][];

/** The histograms of durations, by name. */
function histogramsOf(counts: Counts): Record<(typeof DURATIONS)[number], Bins> {
  const found: Record<string, Bins> = Object.fromEntries(DURATIONS.map(name => [name, []]));
  for (const measure in counts) {
    if (!isDuration(measure)) continue;
    const [name, bin] = measure.split(':');
    found[name!]!.push([Number(bin), counts[measure]!]);
  }
  return found;
}

export const plainCounts = (counts: Counts) => ({
  created: counts.created ?? 0,
  completed: counts.completed ?? 0,
  expired: counts.expired ?? 0,
  failed: counts.failed ?? 0,
  verified: counts.verified ?? 0,
  suspicious: counts.suspicious ?? 0,
  rejected_by_signal: Object.fromEntries(
    Object.keys(counts)
      .filter(measure => measure.startsWith('rejected:'))
      .sort()
      .map(measure => [measure.slice('rejected:'.length), counts[measure]!]),
  ),
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
function medianOf(histogram: Bins): number | undefined {
  const bins = histogram.sort(([a], [b]) => a - b);
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
  const histograms = histogramsOf(counts);
  const medians = {
    median_seconds_to_capture: medianOf(histograms.to_capture),
    median_seconds_to_verdict: medianOf(histograms.to_verdict),
    median_seconds_to_review: medianOf(histograms.to_review),
  };
  return {
    start: start.toISOString(),
    ...plainCounts(counts),
    ...Object.fromEntries(Object.entries(medians).filter(([, seconds]) => seconds !== undefined)),
  };
}
