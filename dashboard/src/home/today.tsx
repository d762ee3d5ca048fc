import { Link } from 'wouter';
import { useRead } from '../base/api/read.ts';
import { useWords } from '../base/language.tsx';
import { Section } from '../base/parts/section.tsx';
import { Facts } from '../base/parts/shown.tsx';
import { Read } from '../base/parts/states.tsx';
import { sumOf, useToday } from '../base/today.ts';
import { useMay } from '../entry/session/signed-in.ts';

const OPEN = { review: 'open,claimed,disputed', limit: '1' };

/** Today's verifications, and the cases that wait for a person. */
export function Today() {
  const { t, number } = useWords();
  const mayReview = useMay('reviewer');
  const { asked, since, made, decided } = useToday();
  const waiting = useRead(['verifications', 'waiting'], 'GET /v1/verifications', { query: OPEN });
  const cases = waiting.data?.total_estimate;
  return (
    <Section
      title={t('home.today')}
      requests={[
        { label: t('home.today'), to: `GET /v1/statistics?${new URLSearchParams(asked)}` },
        { label: t('home.decided'), to: `GET /v1/reviews/agreement?${new URLSearchParams({ since })}` },
        { label: t('home.waiting'), to: `GET /v1/verifications?${new URLSearchParams(OPEN)}` },
      ]}
    >
      <Read query={made}>
        {({ buckets }) => (
          <Facts
            look="figures"
            facts={[
              [t('home.created'), number(sumOf(buckets, bucket => bucket.created))],
              [t('home.completed'), number(sumOf(buckets, bucket => bucket.completed))],
              [t('home.decided'), decided.data ? number(decided.data.cases) : '–'],
              [t('home.waiting'), cases === undefined ? '–' : number(cases)],
            ]}
          />
        )}
      </Read>
      {cases !== undefined && cases > 0 && mayReview && (
        <p>
          <Link href="/review" className="button main">
            {t('home.reviewThem')}
          </Link>
        </p>
      )}
    </Section>
  );
}
