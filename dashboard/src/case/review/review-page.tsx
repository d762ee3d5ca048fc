import { REVIEW_QUEUES } from '@firsthand/contract/base/enums.ts';
import type { ReviewQueue } from '@firsthand/contract/reviews/reviews.ts';
import { Link, useLocation, useSearch } from 'wouter';
import { problemText } from '../../base/api/problem-text.ts';
import { shortId, useCaseName } from '../../base/case-name.ts';
import { useWords } from '../../base/language.tsx';
import { useChanges } from '../../base/live.ts';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { PageTitle } from '../../base/parts/page.tsx';
import { SelectField } from '../../base/parts/select-field.tsx';
import { Empty, Failed, Loading } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useShortcuts } from '../../entry/keys/shortcuts.ts';
import { CaseAtHand } from './case-at-hand.tsx';
import { decidedCount } from './cases.ts';
import { useQueue } from './queue.ts';
import { Today } from './today.tsx';
import '../../entry/keys/keys.css';
import './review.css';

const queueOf = (search: string): ReviewQueue => {
  const wanted = new URLSearchParams(search).get('queue');
  return REVIEW_QUEUES.find(queue => queue === wanted) ?? 'all';
};

/**
 * One case after another, decided by a person. It shows no verdict: a verified case that came up at random looks like any
 * other.
 */
export default function ReviewPage() {
  const { t } = useWords();
  const queue = queueOf(useSearch());
  const review = useQueue(queue);
  const { current, cases, empty, error, fill } = review;
  useChanges(() => {
    if (cases.length === 0) void fill();
  });
  return (
    <div className="wide review stack">
      <TitleLine queue={queue} review={review} />
      {current ? (
        <CaseAtHand key={current.id} verification={current} decide={review.decide} />
      ) : error ? (
        <Failed error={error} onRetry={() => void fill()} />
      ) : empty ? (
        <Empty icon="check" title={t('review.clear')}>
          <p>{t('review.clearText', { n: decidedCount(review) })}</p>
          <Today />
          <Button onPress={() => void fill()}>{t('review.look')}</Button>
        </Empty>
      ) : (
        <Loading />
      )}
    </div>
  );
}

/** The case at hand by name, and the ways to another one. */
function TitleLine({ queue, review }: { queue: ReviewQueue; review: ReturnType<typeof useQueue> }) {
  const words = useWords();
  const { t } = words;
  const nameOf = useCaseName();
  const say = useSay();
  const { current, cases, at } = review;
  const undo = async () => {
    const failed = await review.undo();
    say(failed ? problemText(words, failed) : t('review.undone'));
  };
  useShortcuts([
    { key: 'j', label: t('review.next'), run: () => review.go(1) },
    { key: 'k', label: t('review.before'), run: () => review.go(-1) },
    { key: 'u', label: t('review.undo'), run: () => review.mayUndo && void undo() },
  ]);
  return (
    <div className="title-line">
      <div className="case-title">
        <PageTitle>{current ? nameOf(current) : t('page.review')}</PageTitle>
        {current && (
          <Link className="soft small" href={`/verifications/${current.id}`}>
            {shortId(current.id)}
          </Link>
        )}
      </div>
      <div className="case-actions">
        <span className="soft small" role="status">
          {t('review.done', { n: decidedCount(review) })}
        </span>
        <ChooseQueue queue={queue} />
        <Button slim isDisabled={!review.mayUndo} onPress={() => void undo()}>
          <Icon name="undo" />
          {t('review.undo')}
        </Button>
        <Button slim isDisabled={at <= 0} aria-label={t('review.before')} onPress={() => review.go(-1)}>
          <Icon name="back" />
        </Button>
        <Button slim isDisabled={at >= cases.length - 1} aria-label={t('review.next')} onPress={() => review.go(1)}>
          <Icon name="forward" />
        </Button>
      </div>
    </div>
  );
}

function ChooseQueue({ queue }: { queue: ReviewQueue }) {
  const { t } = useWords();
  const [, goTo] = useLocation();
  return (
    <SelectField
      label={t('review.queue')}
      slim
      options={REVIEW_QUEUES.map(name => [name, t(`queue.${name}`)] as const)}
      value={queue}
      onChosen={name => goTo(name === 'all' ? '/review' : `/review?queue=${name}`)}
    />
  );
}
