import { useRead } from '../base/api/read.ts';
import { useWords } from '../base/language.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Section } from '../base/parts/section.tsx';
import { type Fact, Facts } from '../base/parts/shown.tsx';
import { Read } from '../base/parts/states.tsx';
import { DECIDED } from '../base/today.ts';

/** How far people agree and how long a case takes them, in one line of numbers. */
export function Agreement({ since }: { since: string }) {
  const { t, number } = useWords();
  const { span } = useMoments();
  const agreement = useRead([...DECIDED, since], 'GET /v1/reviews/agreement', { query: { since } });
  return (
    <Section title={t('agreement.title')} intro={t('agreement.intro')}>
      <Read query={agreement}>
        {({ cases, median_seconds, pairs, agreed, kappa, sample }) => {
          const outOf = (part: number, of: number) =>
            of === 0 ? '–' : t('agreement.outOf', { part: number(part), of: number(of) });
          const facts: Fact[] = [
            [t('home.decided'), number(cases)],
            [t('agreement.seconds'), median_seconds === undefined ? '–' : span(median_seconds * 1_000)],
            [t('agreement.agreed'), outOf(agreed, pairs)],
            [t('agreement.kappa'), kappa === undefined ? '–' : number(kappa, { maximumFractionDigits: 2 })],
            [t('agreement.sample'), outOf(sample.approved, sample.decided)],
          ];
          return <Facts facts={facts} />;
        }}
      </Read>
    </Section>
  );
}
