import type { Verification } from '@firsthand/contract/verification/verification.ts';
import type { MessageKey } from '../../base/i18n.ts';
import { useWords } from '../../base/language.tsx';
import { Facts } from '../../base/parts/shown.tsx';

/** The request and the person's answers. */
export function Told({ verification }: { verification: Verification }) {
  const { t } = useWords();
  const { config, answers = {}, narrative } = verification;
  const metadata = Object.entries(config.metadata ?? {}).filter(([key]) => key !== 'test_outcome');
  const facts: [string, string][] = [
    ...(config.context ? [[config.context.kind, config.context.summary] as [string, string]] : []),
    ...(config.expected_object ? [[t('issue.object'), config.expected_object] as [string, string]] : []),
    ...metadata,
    ...Object.entries(answers).map(([key, { value }]): [string, string] => [key, value]),
  ];
  if (facts.length === 0 && narrative === undefined) return null;
  return (
    <section aria-label={t('review.told')} className="stack">
      <h2>{t('review.told')}</h2>
      {narrative && <blockquote>{narrative}</blockquote>}
      <Facts facts={facts} look="measured roomy" value="words" />
    </section>
  );
}

/** What other people decided of this case before, in so far as it counts. */
export function EarlierReviews({ reviews = [] }: Pick<Verification, 'reviews'>) {
  const { t } = useWords();
  const counted = reviews.filter(review => !review.struck_at);
  if (counted.length === 0) return null;
  return (
    <section aria-label={t('review.before2')} className="stack">
      <h2>{t('review.before2')}</h2>
      <ul className="stack small">
        {counted.map(review => (
          <li key={review.id}>
            <strong>{review.by.name}</strong>:{' '}
            {[
              t(`decision.${review.decision}`),
              ...review.reasons.map(word => t(`why.${word}` as MessageKey) || word),
            ].join(' · ')}
            {review.note && <blockquote>{review.note}</blockquote>}
          </li>
        ))}
      </ul>
    </section>
  );
}
