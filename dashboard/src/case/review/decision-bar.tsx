import { DECISIONS } from '@firsthand/contract/base/enums.ts';
import type { Decision } from '@firsthand/contract/reviews/reviews.ts';
import { useWords } from '../../base/language.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import type { Look } from '../../base/parts/shown.tsx';
import { KEY_OF, reasonsOf } from './reasons.ts';
import type { DecisionInHand } from './use-decision.ts';

const LOOK: Record<Decision, Look> = {
  approved: ['check', 'verified'],
  rejected: ['cross', 'failed'],
  retake: ['camera', 'doubtful'],
  escalated: ['people', ''],
};

/** True on a device without keys: the style sheet hides their letters there. */
const isTouched = () => matchMedia('(pointer: coarse)').matches;

/** The four decisions; after one is chosen, its reasons, each with its digit. */
export function DecisionBar({ decision: { choosing, choose, send } }: { decision: DecisionInHand }) {
  const { t } = useWords();
  return (
    <div className="decide stack">
      {choosing && (
        <fieldset className="reasons">
          <legend className="label">{t('decide.why', { decision: t(`decide.${choosing}`) })}</legend>
          {reasonsOf(choosing).map((reason, index) => (
            <button key={reason} type="button" className="reason" onClick={() => void send(choosing, reason)}>
              <kbd>{index + 1}</kbd> {t(`why.${reason}`)}
            </button>
          ))}
          <button type="button" className="reason" onClick={() => void send(choosing)}>
            <kbd>0</kbd> {t('decide.noReason')}
          </button>
        </fieldset>
      )}
      <div className="decisions">
        {DECISIONS.map(decision => (
          <button
            key={decision}
            type="button"
            className={`decision ${LOOK[decision][1]}`}
            aria-pressed={choosing === decision}
            aria-keyshortcuts={KEY_OF[decision]}
            onClick={() => choose(decision)}
          >
            <Icon name={LOOK[decision][0]} />
            {t(`decide.${decision}`)}
            <kbd>{KEY_OF[decision]}</kbd>
          </button>
        ))}
      </div>
      <p className="unseen" role="status">
        {choosing && t(isTouched() ? 'decide.choosingTouch' : 'decide.choosing', { decision: t(`decide.${choosing}`) })}
      </p>
    </div>
  );
}
