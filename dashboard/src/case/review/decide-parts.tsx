import type { Capture } from '@firsthand/contract/verification/verification.ts';
import type { RefObject } from 'react';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import type { DecisionInHand } from './use-decision.ts';

/** Two buttons that mark a photo as genuine or not. */
export function Genuine({ capture, n, decision }: { capture: Capture; n: number; decision: DecisionInHand }) {
  const { t } = useWords();
  return (
    <fieldset className="genuine line">
      <legend className="label">{t('review.flag', { n })}</legend>
      {([true, false] as const).map(genuine => (
        <Button
          key={String(genuine)}
          slim
          aria-pressed={decision.flags[capture.id] === genuine}
          onPress={() => decision.flag(capture.id, genuine)}
        >
          <Icon name={genuine ? 'check' : 'cross'} />
          {t(genuine ? 'review.genuine' : 'review.notGenuine')}
        </Button>
      ))}
    </fieldset>
  );
}

/** What the next reader should know. */
export function Note({ decision, field }: { decision: DecisionInHand; field: RefObject<HTMLTextAreaElement | null> }) {
  const { t } = useWords();
  return (
    <label className="field">
      <span className="label">
        {t('review.note')} <kbd>n</kbd>
      </span>
      <textarea
        ref={field}
        className="input"
        rows={2}
        maxLength={2_000}
        value={decision.note}
        onKeyDown={event => event.key === 'Escape' && event.currentTarget.blur()}
        onChange={event => decision.write(event.target.value)}
      />
    </label>
  );
}
