import type { StatisticsBucket } from '@firsthand/contract/statistics.ts';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { useWords } from '../language.tsx';

const HOUR_MS = 3_600_000;

/** The verifications created since midnight, by the person's clock. Shows nothing until they are counted. */
export function Today() {
  const { t, number } = useWords();
  const asked = {
    from: new Date(new Date().setHours(0, 0, 0, 0)).toISOString(),
    // To the hour, so that the same question is asked once.
    to: new Date(Math.ceil(Date.now() / HOUR_MS) * HOUR_MS).toISOString(),
    interval: 'hour',
  };
  const { data } = useQuery({
    queryKey: ['statistics', asked],
    queryFn: ({ signal }) => call('GET /v1/statistics', { signal, query: asked }),
  });
  if (!data) return null;
  const sum = (of: (bucket: StatisticsBucket) => number) => number(data.buckets.reduce((n, b) => n + of(b), 0));
  return (
    <p>
      {t('review.today', {
        created: sum(bucket => bucket.created),
        completed: sum(bucket => bucket.completed),
        decided: sum(bucket => bucket.reviewed),
      })}
    </p>
  );
}
