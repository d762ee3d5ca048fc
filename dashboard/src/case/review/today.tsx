import { useWords } from '../../base/language.tsx';
import { sumOf, useToday } from '../../base/today.ts';

/** The day in numbers. Shows nothing until they are counted. */
export function Today() {
  const { t, number } = useWords();
  const { made, decided } = useToday();
  if (!made.data || !decided.data) return null;
  const { buckets } = made.data;
  return (
    <p>
      {t('review.today', {
        created: number(sumOf(buckets, bucket => bucket.created)),
        completed: number(sumOf(buckets, bucket => bucket.completed)),
        decided: number(decided.data.cases),
      })}
    </p>
  );
}
