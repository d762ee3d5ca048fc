import { useQuery } from '@tanstack/react-query';
import { call } from '../base/api/call.ts';
import { useWords } from '../base/language.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Section } from '../base/parts/page.tsx';
import { Read } from '../base/parts/states.tsx';

/** How far people agree and how long a case takes them, in one line of numbers. */
export function Agreement({ since }: { since: string }) {
  const { t, number } = useWords();
  const { span } = useMoments();
  const agreement = useQuery({
    queryKey: ['reviews', 'agreement', since],
    queryFn: ({ signal }) => call('GET /v1/reviews/agreement', { signal, query: { since } }),
  });
  return (
    <Section title={t('agreement.title')} intro={t('agreement.intro')}>
      <Read query={agreement}>
        {({ decisions, median_seconds, pairs, agreed, kappa, sample }) => {
          const outOf = (part: number, of: number) =>
            of === 0 ? '–' : t('agreement.outOf', { part: number(part), of: number(of) });
          const facts: [string, string][] = [
            [t('agreement.decisions'), number(decisions)],
            [t('agreement.seconds'), median_seconds === undefined ? '–' : span(median_seconds * 1_000)],
            [t('agreement.agreed'), outOf(agreed, pairs)],
            [t('agreement.kappa'), kappa === undefined ? '–' : number(kappa, { maximumFractionDigits: 2 })],
            [t('agreement.sample'), outOf(sample.approved, sample.decided)],
          ];
          return (
            <dl className="facts">
              {facts.map(([name, value]) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          );
        }}
      </Read>
    </Section>
  );
}
