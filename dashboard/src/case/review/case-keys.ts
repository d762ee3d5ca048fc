import type { Decision } from '@firsthand/contract/reviews/reviews.ts';
import type { Capture } from '@firsthand/contract/verification/verification.ts';
import { useWords } from '../../base/language.tsx';
import { type Shortcut, useShortcuts } from '../../entry/keys/shortcuts.ts';
import type { PhotoView } from '../photo/use-photo-view.ts';
import { KEY_OF, reasonsOf } from './reasons.ts';
import type { DecisionInHand } from './use-decision.ts';

interface CaseKeys {
  captures: readonly Capture[];
  view: PhotoView;
  decision: DecisionInHand;
  onCompare: () => void;
  onNote: () => void;
  onPlace: () => void;
}

/** The keys of the case at hand. */
export function useCaseKeys({ captures, view, decision, onCompare, onNote, onPlace }: CaseKeys): void {
  const { t } = useWords();
  // A case with one photo has nothing to compare but its second frame.
  const compare: Shortcut[] =
    captures.length > 1
      ? [{ key: 'c', label: t('page.compare'), run: onCompare }]
      : view.capture?.second_frame_url
        ? [{ key: 'c', label: t('photo.blinkOn'), run: view.toggleBlink }]
        : [];
  useShortcuts([
    ...(Object.entries(KEY_OF) as [Decision, string][]).map(([name, key]) => ({
      key,
      label: t(`decide.${name}`),
      run: () => decision.choose(name),
    })),
    { key: 'n', label: t('review.note'), run: onNote },
    { key: 'ArrowLeft', label: t('review.photoBefore'), run: () => view.go(-1) },
    { key: 'ArrowRight', label: t('review.photoNext'), run: () => view.go(1) },
    { key: 'z', label: t('photo.toggle'), run: () => view.viewer.current?.toggleZoom() },
    { key: 'h', label: t('photo.heatOn'), run: view.toggleHeat },
    ...compare,
    { key: 'm', label: t('review.place'), run: onPlace },
  ]);
  useReasonKeys(decision);
}

/** After a decision is chosen: a digit gives its reason, Escape takes it back. */
function useReasonKeys({ choosing, send, cancel }: DecisionInHand): void {
  const { t } = useWords();
  useShortcuts(
    choosing
      ? [
          ...reasonsOf(choosing).map((reason, index) => ({
            key: String(index + 1),
            label: t(`why.${reason}`),
            unlisted: true,
            run: () => void send(choosing, reason),
          })),
          { key: '0', label: '', unlisted: true, run: () => void send(choosing) },
          { key: 'Escape', label: '', unlisted: true, run: cancel },
        ]
      : [],
  );
}
