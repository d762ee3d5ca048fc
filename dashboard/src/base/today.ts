import type { StatisticsBucket } from '@firsthand/contract/statistics/statistics.ts';
import { useRead } from './api/read.ts';

const HOUR_MS = 3_600_000;
/** The statistics count at most 800 hours or days at once. */
const MOST_HOURS = 700;
const MOST_DAYS = 700;

/** What people decided, counted. */
export const DECIDED = ['reviews', 'agreement'] as const;

/** Counts since a moment: verifications created, those of them completed, cases that people decided. Longer than a month ago, the first two begin with its day. */
export function useCounts(moment: Date) {
  // To the hour, so that the same question is asked once.
  const to = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const from = Math.max(moment.getTime(), to - MOST_DAYS * 24 * HOUR_MS);
  const query = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    interval: to - from > MOST_HOURS * HOUR_MS ? 'day' : 'hour',
  };
  const since = moment.toISOString();
  const made = useRead(['statistics', query], 'GET /v1/statistics', { query });
  const decided = useRead([...DECIDED, since], 'GET /v1/reviews/agreement', { query: { since } });
  return { made, decided };
}

/** Since midnight, by the person's clock. */
export const useToday = () => useCounts(new Date(new Date().setHours(0, 0, 0, 0)));

/** The sum over all buckets. */
export const sumOf = (buckets: readonly StatisticsBucket[], of: (bucket: StatisticsBucket) => number): number =>
  buckets.reduce((sum, bucket) => sum + of(bucket), 0);
