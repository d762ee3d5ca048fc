import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { lazy, type ReactNode, type RefObject, Suspense, useRef, useState } from 'react';
import type { PhotoView } from '../photo/use-photo-view.ts';
import { useCaseKeys } from './case-keys.ts';
import type { Decide } from './queue.ts';
import { type DecisionInHand, useDecision } from './use-decision.ts';

const CompareDialog = lazy(() => import('./compare-dialog.tsx'));

interface AtHand {
  decision: DecisionInHand;
  noteField: RefObject<HTMLTextAreaElement | null>;
  /** Two photos beside each other, while somebody compares them. */
  comparison: ReactNode;
}

/** A case that somebody decides, in the queue or on its page: the decision, and the keys of both places. */
export function useAtHand(
  { id, captures }: Verification,
  o: { view: PhotoView; decide: Decide; onPlace: () => void },
): AtHand {
  const decision = useDecision(id, o.decide);
  const [comparing, setComparing] = useState(false);
  const noteField = useRef<HTMLTextAreaElement>(null);
  useCaseKeys({
    captures,
    view: o.view,
    decision,
    onCompare: () => setComparing(true),
    onNote: () => noteField.current?.focus(),
    onPlace: o.onPlace,
  });
  const comparison = comparing && (
    <Suspense>
      <CompareDialog captures={captures} at={o.view.at} onClose={() => setComparing(false)} />
    </Suspense>
  );
  return { decision, noteField, comparison };
}
