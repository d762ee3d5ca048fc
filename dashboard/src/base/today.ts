import type { StatisticsBucket } from '@firsthand/contract/statistics/statistics.ts';
import { useQuery } from '@tanstack/react-query';
import { call } from './api/call.ts';

const HOUR_MS = 3_600_000;

/** Counts of the verifications created since midnight, by the person's clock, and the query that gives them. */
export function useToday() {
  const asked = {
    from: new Date(new Date().setHours(0, 0, 0, 0)).toISOString(),
    // To the hour, so that the same question is asked once.
    to: new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS).toISOString(),
    interval: 'hour',
  };
  const today = useQuery({
    queryKey: ['statistics', asked],
    queryFn: ({ signal }) => call('GET /v1/statistics', { signal, query: asked }),
    select: ({ buckets }) => {
      const sum = (of: (bucket: StatisticsBucket) => number) => buckets.reduce((n, bucket) => n + of(bucket), 0);
      return {
        created: sum(bucket => bucket.created),
        completed: sum(bucket => bucket.completed),
        decided: sum(bucket => bucket.reviewed),
      };
    },
  });
  return { asked, today };
}
