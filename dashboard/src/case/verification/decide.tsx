import { REVIEW_UNDO_SECONDS } from '@firsthand/contract/base/limits.ts';
import type { Review, ReviewInput } from '@firsthand/contract/reviews/reviews.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { call } from '../../base/api/call.ts';
import { problemText } from '../../base/api/problem-text.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Notice, Problem } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { DECIDED } from '../../base/today.ts';
import { useShortcuts } from '../../entry/keys/shortcuts.ts';
import { endIfUnauthorized, queryClient } from '../../entry/session/query-client.ts';
import { useAction } from '../../entry/session/recent.ts';
import { useMay, useSignedIn } from '../../entry/session/signed-in.ts';
import type { PhotoView } from '../photo/use-photo-view.ts';
import { Genuine, Note } from '../review/decide-parts.tsx';
import { DecisionBar } from '../review/decision-bar.tsx';
import { useSecondsShown } from '../review/queue.ts';
import { EarlierReviews } from '../review/told.tsx';
import { useAtHand } from '../review/use-at-hand.tsx';
import { AssignTo } from './assign-to.tsx';
import { VERIFICATION } from './keys.ts';
import '../../entry/keys/keys.css';
import '../review/review.css';

interface DecideProps {
  verification: Verification;
  view: PhotoView;
}

/** What people decided, and for whoever may review the same decision as in the queue, with the same keys. */
export function People({ verification, view }: DecideProps) {
  const { t } = useWords();
  const mayReview = useMay('reviewer');
  const me = useSignedIn().person.id;
  const { status, redacted_at, review, reviews } = verification;
  const isReviewable = mayReview && (status === 'completed' || status === 'failed') && !redacted_at;
  const isOpen = isReviewable && review.state !== 'decided';
  const holder = review.claimed_by?.person_id === me ? undefined : review.claimed_by;
  return (
    <>
      <EarlierReviews reviews={reviews} />
      {isOpen && <AssignTo verification={verification} />}
      {isOpen && holder && (
        <Notice look="info" icon="people">
          {t('decide.held', { name: holder.name })}
        </Notice>
      )}
      {isOpen && !holder && <Deciding verification={verification} view={view} />}
      {isReviewable && <Undo verification={verification} />}
    </>
  );
}

/** Reads a case again, and what is counted of it. */
const refresh = (id: string) =>
  Promise.all([VERIFICATION(id), DECIDED].map(queryKey => queryClient.invalidateQueries({ queryKey })));

/** Sends a decision for the case as this page shows it: the service refuses it if somebody else worked on the case meanwhile. */
function useDecide({ id, review }: Verification) {
  const { t } = useWords();
  const say = useSay();
  const secondsShown = useSecondsShown(id);
  return async (input: Omit<ReviewInput, 'seconds'>): Promise<unknown> => {
    try {
      const body = { ...input, seconds: secondsShown(), version: review.version ?? 0 };
      const { decision } = await call('POST /v1/verifications/:id/reviews', { id, body });
      say(t('decide.done', { decision: t(`decision.${decision}`) }));
      return null;
    } catch (error) {
      endIfUnauthorized(error);
      return error;
    } finally {
      void refresh(id);
    }
  };
}

function Deciding({ verification, view }: DecideProps) {
  const { decision, noteField, comparison } = useAtHand(verification, {
    view,
    decide: useDecide(verification),
    onPlace: () => document.getElementById('place')?.scrollIntoView({ block: 'nearest' }),
  });
  return (
    <>
      {comparison}
      {view.capture && <Genuine capture={view.capture} n={view.at + 1} decision={decision} />}
      <Note decision={decision} field={noteField} />
      <DecisionBar decision={decision} />
    </>
  );
}

const standsLast = (reviews: readonly Review[]) => reviews.findLast(review => !review.struck_at);

/** Takes back one's own decision while it is the last, for ten minutes. */
function Undo({ verification: { id, reviews } }: { verification: Verification }) {
  const words = useWords();
  const { t } = words;
  const me = useSignedIn().person.id;
  const say = useSay();
  const undo = useAction((review: string) => call('DELETE /v1/verifications/:id/reviews/:review', { id, review }), {
    refreshes: [VERIFICATION(id), DECIDED],
    says: () => t('decide.undone'),
  });
  const last = standsLast(reviews);
  const mine =
    last?.by.person_id === me && Date.now() - Date.parse(last.created_at) < REVIEW_UNDO_SECONDS * 1_000
      ? last
      : undefined;
  const run = () => mine && undo.mutate(mine.id, { onError: error => say(problemText(words, error)) });
  useShortcuts(mine ? [{ key: 'u', label: t('review.undo'), run }] : []);
  if (!mine) return null;
  return (
    <div>
      <Button slim busy={undo.isPending} onPress={run}>
        <Icon name="undo" />
        {t('review.undo')}
      </Button>
      <Problem error={undo.error} />
    </div>
  );
}
