import type { StatisticsBucket } from '@firsthand/contract/statistics/statistics.ts';
import { useRead } from './api/read.ts';

const HOUR_MS = 3_600_000;

/** What people decided, counted. */
export const DECIDED = ['reviews', 'agreement'] as const;

/** Counts since midnight, by the person's clock: verifications created, those of them completed, cases that people decided; and the queries that give them. */
export function useToday() {
  const since = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
  const asked = {
    from: since,
    // To the hour, so that the same question is asked once.
    to: new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS).toISOString(),
    interval: 'hour',
  };
  const made = useRead(['statistics', asked], 'GET /v1/statistics', { query: asked });
  const decided = useRead([...DECIDED, since], 'GET /v1/reviews/agreement', { query: { since } });
  return { asked, since, made, decided };
}

/** The sum over all buckets. */
export const sumOf = (buckets: readonly StatisticsBucket[], of: (bucket: StatisticsBucket) => number): number =>
  buckets.reduce((sum, bucket) => sum + of(bucket), 0);
