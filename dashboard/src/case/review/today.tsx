import { useWords } from '../../base/language.tsx';
import { sumOf, useToday } from '../../base/today.ts';

/** The day in numbers: each as soon as it is counted, whatever becomes of the others. */
export function Today() {
  const { t, number } = useWords();
  const { made, decided } = useToday();
  return (
    <>
      {made.data && (
        <p>
          {t('review.todayMade', {
            created: number(sumOf(made.data.buckets, bucket => bucket.created)),
            completed: number(sumOf(made.data.buckets, bucket => bucket.completed)),
          })}
        </p>
      )}
      {decided.data && <p>{t('review.todayDecided', { decided: number(decided.data.cases) })}</p>}
    </>
  );
}
