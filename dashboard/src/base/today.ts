import type { StatisticsBucket } from '@firsthand/contract/statistics/statistics.ts';
import { useQuery } from '@tanstack/react-query';
import { call } from './api/call.ts';

const HOUR_MS = 3_600_000;
/** The statistics count at most 800 hours or days at once. */
const MOST_HOURS = 700;
const MOST_DAYS = 700;

/** Counts of the verifications created since this moment. Longer than a month ago, they begin with its day. */
export function useCounts(since: Date) {
  // To the hour, so that the same question is asked once.
  const to = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS;
  const from = Math.max(since.getTime(), to - MOST_DAYS * 24 * HOUR_MS);
  const query = {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    interval: to - from > MOST_HOURS * HOUR_MS ? 'day' : 'hour',
  };
  return useQuery({
    queryKey: ['statistics', query],
    queryFn: ({ signal }) => call('GET /v1/statistics', { signal, query }),
    select: ({ buckets }) => {
      const sum = (of: (bucket: StatisticsBucket) => number) => buckets.reduce((n, bucket) => n + of(bucket), 0);
      return {
        created: sum(bucket => bucket.created),
        completed: sum(bucket => bucket.completed),
        decided: sum(bucket => bucket.reviewed),
      };
    },
  });
}

/** Since midnight, by the person's clock. */
export const useToday = () => useCounts(new Date(new Date().setHours(0, 0, 0, 0)));
