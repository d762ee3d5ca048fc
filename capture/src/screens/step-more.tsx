import type { HeldCapture } from '@firsthand/sdk/capture/store.ts';
import type { ImageStep } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import type { Filling } from '../flow.ts';
import { usePage } from '../page-context.ts';
import { Press, Screen } from './parts.tsx';
import { Thumbs } from './thumbs.tsx';

type Props = {
  step: ImageStep;
  kicker: string;
  filling: Filling;
  held: readonly HeldCapture[];
  onAnother: () => void;
  onRemove: (id: string) => void;
  onNext: () => void;
  onBack: () => void;
};

/** A camera step with enough photos: look at them, add another if there is room, or continue. */
export function StepMore(props: Props): JSX.Element {
  const { t, describe } = usePage();
  const { step, filling, held } = props;
  const title = describe(step) || t('camera.default');
  return (
    <Screen
      name="step-more"
      title={title}
      kicker={props.kicker}
      lead={filling.free > 0 ? t('step.more', { n: filling.free }) : ''}
      onBack={props.onBack}
      actions={
        <>
          {filling.free > 0 && (
            <Press look="quiet" onClick={props.onAnother}>
              {t('step.another')}
            </Press>
          )}
          <Press onClick={props.onNext}>{t('step.next')}</Press>
        </>
      }
    >
      <Thumbs
        held={held}
        sent={filling.sent}
        altOf={n => t('summary.photoAlt', { step: title, n })}
        onRemove={props.onRemove}
      />
    </Screen>
  );
}
