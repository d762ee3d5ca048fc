import { DECISIONS } from '@firsthand/contract/base/enums.ts';
import type { ReviewQueue } from '@firsthand/contract/reviews/reviews.ts';
import { useWords } from '../../base/language.tsx';
import type { NamedRequest } from '../../base/parts/curl-menu.tsx';
import type { Done } from './cases.ts';
import type { DecisionInHand } from './use-decision.ts';

interface CaseRequests {
  verificationId: string;
  inputOf: DecisionInHand['inputOf'];
  queue: ReviewQueue;
  /** The last decision, while it can be taken back, and its case. */
  undoable: Done | undefined;
  mayReview: boolean;
}

/** The requests behind what this page can do, for people who copy them as command lines. */
export function useCaseRequests({ verificationId, inputOf, queue, undoable, mayReview }: CaseRequests): NamedRequest[] {
  const { t } = useWords();
  const path = `/v1/verifications/${verificationId}`;
  const read: NamedRequest = { label: t('review.curl'), to: `GET ${path}` };
  if (!mayReview) return [read];
  const post = (label: string, path: string, body: object): NamedRequest => ({
    label,
    to: `POST ${path}`,
    body,
    personal: true,
  });
  const undo: NamedRequest[] = undoable?.review
    ? [
        {
          label: t('review.undo'),
          to: `DELETE /v1/verifications/${undoable.verification.id}/reviews/${undoable.review.id}`,
          personal: true,
        },
      ]
    : [];
  return [
    read,
    ...DECISIONS.map(decision => post(t(`decide.${decision}`), `${path}/reviews`, inputOf(decision))),
    ...undo,
    post(t('review.next'), '/v1/reviews/next', { queue }),
    post(t('review.release'), `/v1/reviews/${verificationId}/release`, {}),
  ];
}
