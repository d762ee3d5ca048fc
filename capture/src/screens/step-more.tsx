import type { HeldCapture } from '@firsthand/sdk/capture/store.ts';
import type { ImageStep } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import type { Filling } from '../flow.ts';
import { usePage } from '../page-context.ts';
import { Screen } from './parts.tsx';
import { SentCount, Thumb } from './thumbs.tsx';

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
  const { t } = usePage();
  const { step, filling, held } = props;
  const title = step.description || t('camera.default');
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
            <button type="button" class="button quiet" onClick={props.onAnother}>
              {t('step.another')}
            </button>
          )}
          <button type="button" class="button" onClick={props.onNext}>
            {t('step.next')}
          </button>
        </>
      }
    >
      <SentCount n={filling.sent} />
      <ul class="thumbs">
        {held.map((capture, i) => (
          <Thumb
            key={capture.id}
            capture={capture}
            alt={t('summary.photoAlt', { step: title, n: i + 1 })}
            remove={{ label: t('upload.remove', { n: i + 1 }), run: () => props.onRemove(capture.id) }}
          />
        ))}
      </ul>
    </Screen>
  );
}
