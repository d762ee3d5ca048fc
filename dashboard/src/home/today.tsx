import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { call } from '../base/api/call.ts';
import { useWords } from '../base/language.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { Section } from '../base/parts/page.tsx';
import { Read } from '../base/parts/states.tsx';
import { useToday } from '../base/today.ts';
import { useSignedIn } from '../entry/session/signed-in.ts';
import { isAtLeast } from '../entry/shell/pages.ts';

const OPEN = { review: 'open,claimed,disputed', limit: '1' };

/** Today's verifications, and the cases that wait for a person. */
export function Today() {
  const { t, number } = useWords();
  const { tenant } = useSignedIn();
  const { asked, today } = useToday();
  const waiting = useQuery({
    queryKey: ['verifications', 'waiting'],
    queryFn: ({ signal }) => call('GET /v1/verifications', { signal, query: OPEN }),
  });
  const cases = waiting.data?.total_estimate;
  return (
    <Section
      title={t('home.today')}
      aside={
        <CurlMenu
          requests={[
            {
              label: t('home.today'),
              request: { method: 'GET', path: `/v1/statistics?${new URLSearchParams(asked)}` },
            },
            {
              label: t('home.waiting'),
              request: { method: 'GET', path: `/v1/verifications?${new URLSearchParams(OPEN)}` },
            },
          ]}
        />
      }
    >
      <Read query={today}>
        {({ created, completed, decided }) => (
          <dl className="figures">
            <div>
              <dt>{t('home.created')}</dt>
              <dd>{number(created)}</dd>
            </div>
            <div>
              <dt>{t('home.completed')}</dt>
              <dd>{number(completed)}</dd>
            </div>
            <div>
              <dt>{t('home.decided')}</dt>
              <dd>{number(decided)}</dd>
            </div>
            <div>
              <dt>{t('home.waiting')}</dt>
              <dd>{cases === undefined ? '–' : number(cases)}</dd>
            </div>
          </dl>
        )}
      </Read>
      {cases !== undefined && cases > 0 && isAtLeast(tenant.role, 'reviewer') && (
        <p>
          <Link href="/review" className="button main">
            {t('home.reviewThem')}
          </Link>
        </p>
      )}
    </Section>
  );
}
