import { useWords } from '../../base/language.tsx';
import { useToday } from '../../base/today.ts';

/** The verifications created today. Shows nothing until they are counted. */
export function Today() {
  const { t, number } = useWords();
  const { data } = useToday();
  if (!data) return null;
  const { created, completed, decided } = data;
  return (
    <p>{t('review.today', { created: number(created), completed: number(completed), decided: number(decided) })}</p>
  );
}
