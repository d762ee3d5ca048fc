import { useWords } from '../base/language.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Section } from '../base/parts/section.tsx';
import { Facts } from '../base/parts/shown.tsx';
import { Read } from '../base/parts/states.tsx';
import { sumOf, useCounts } from '../base/today.ts';
import { useSignedIn } from '../entry/session/signed-in.ts';

/** Full hours, as the statistics count. */
const hourOf = (iso: string): Date => new Date(new Date(iso).setMinutes(0, 0, 0));
const midnight = (): Date => new Date(new Date().setHours(0, 0, 0, 0));

/** What changed since this person's last visit; on the first one, today. */
export function Since() {
  const { t, number } = useWords();
  const { ago, exactly } = useMoments();
  const { last_visit_at: last } = useSignedIn();
  const from = last === undefined ? midnight() : hourOf(last);
  const { made, decided } = useCounts(from);
  return (
    <Section
      title={last === undefined ? t('home.today') : t('home.since', { at: ago(last) })}
      intro={last === undefined ? undefined : t('home.sinceFrom', { at: exactly(from.toISOString()) })}
    >
      <Read query={made}>
        {({ buckets }) => (
          <Facts
            look="figures"
            facts={[
              [t('home.created'), number(sumOf(buckets, bucket => bucket.created))],
              [t('home.completed'), number(sumOf(buckets, bucket => bucket.completed))],
              [t('home.decided'), decided.data ? number(decided.data.cases) : '–'],
            ]}
          />
        )}
      </Read>
    </Section>
  );
}
