import { useState } from 'react';
import { useWords } from '../language.tsx';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import type { StepValues } from './values.ts';

/** How a step looks to the person with the phone: a sketch of the capture page with the step's own sentence. */
export function PhonePreview({
  steps,
  brand,
  accent,
}: {
  steps: readonly StepValues[];
  brand?: string | undefined;
  accent?: string | undefined;
}) {
  const { t } = useWords();
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, steps.length - 1);
  const step = steps[at];
  if (!step) return null;
  const photo = step.type === 'image';
  return (
    <figure className="phone-preview">
      <div className="phone" data-photo={photo} aria-hidden="true">
        <span className="phone-brand">{brand ?? 'Firsthand'}</span>
        <span className="phone-sentence">{step.description || t(`phone.${step.type}`)}</span>
        {photo ? (
          <span className="phone-guide" />
        ) : (
          <span className="phone-field">{step.type === 'text' ? t('phone.typeHere') : t('phone.chooseFile')}</span>
        )}
        {photo ? (
          <span className="phone-shutter">
            <Icon name="camera" />
          </span>
        ) : (
          <span className="phone-button" ref={element => element?.style.setProperty('background', accent ?? '')}>
            {t('phone.continue')}
          </span>
        )}
      </div>
      <figcaption className="phone-steps">
        <Button
          weight="plain"
          slim
          isDisabled={at === 0}
          aria-label={t('phone.before')}
          onPress={() => setChosen(at - 1)}
        >
          <Icon name="before" />
        </Button>
        <span className="small soft">{t('phone.step', { n: at + 1, of: steps.length })}</span>
        <Button
          weight="plain"
          slim
          isDisabled={at === steps.length - 1}
          aria-label={t('phone.next')}
          onPress={() => setChosen(at + 1)}
        >
          <Icon name="right" />
        </Button>
      </figcaption>
    </figure>
  );
}
