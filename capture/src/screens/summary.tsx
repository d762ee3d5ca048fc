import { Icon } from '@firsthand/look/marks.tsx';
import type { HeldCapture } from '@firsthand/sdk/capture/store.ts';
import type { CaptureView, Step } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { fillingOf, isComplete } from '../flow.ts';
import { usePage } from '../page-context.ts';
import { Press, Screen } from './parts.tsx';
import { SentCount, Thumb } from './thumbs.tsx';

type Props = {
  view: CaptureView;
  captures: readonly HeldCapture[];
  answers: Readonly<Record<string, string>>;
  durable: boolean;
  /** Photos and answers that the service rejected at the last attempt. */
  refusal: string | undefined;
  /** Opens a step; `replaces` is the held capture to take again. */
  onOpen: (index: number, replaces?: string) => void;
  onSend: () => void;
  onBack: () => void;
};

/** Shows everything before sending. Each part can be retaken without changing the others. */
export function Summary(props: Props): JSX.Element {
  const { t } = usePage();
  const held = { captures: props.captures, answers: props.answers };
  const complete = isComplete(props.view, held);
  const something = props.captures.length > 0 || Object.keys(props.answers).length > 0;
  return (
    <Screen
      name="summary"
      title={t(complete ? 'summary.title' : 'summary.missing')}
      lead={t(complete ? 'summary.text' : 'summary.missingText')}
      onBack={props.onBack}
      actions={
        <Press onClick={props.onSend} disabled={!complete || !something}>
          {t('summary.send')}
        </Press>
      }
    >
      {props.refusal && (
        <p class="banner doubtful" role="alert">
          <Icon name="doubt" />
          {props.refusal}
        </p>
      )}
      {!props.durable && (
        <p class="banner doubtful">
          <Icon name="doubt" />
          {t('summary.notSaved')}
        </p>
      )}
      <ol class="parts stack">
        {props.view.config.steps.map((step, index) => (
          <Part key={step.key} {...props} step={step} index={index} />
        ))}
      </ol>
    </Screen>
  );
}

function Part(props: Props & { step: Step; index: number }): JSX.Element {
  const { t, describe } = usePage();
  const { step, index } = props;
  const filling = fillingOf(props.view, step, { captures: props.captures, answers: props.answers });
  const own = props.captures.filter(capture => capture.stepKey === step.key);
  const fallback = { image: 'landing.stepPhoto', text: 'landing.stepText', upload: 'landing.stepUpload' } as const;
  const name = describe(step) || t(fallback[step.type]);
  const single = step.type === 'image' && step.max === 1 ? own[0] : undefined;
  const action = single
    ? { words: t('summary.retake'), run: () => props.onOpen(index, single.id) }
    : { words: t(filling.held > 0 ? 'summary.change' : 'summary.add'), run: () => props.onOpen(index) };
  return (
    <li class="card part stack">
      <div class="part-head">
        <h2>
          <bdi>{name}</bdi>
        </h2>
        {(filling.held > 0 || filling.free > 0) && (
          <button type="button" class="button plain" onClick={action.run} aria-label={`${action.words}: ${name}`}>
            {action.words}
          </button>
        )}
      </div>
      {filling.needed > 0 && (
        <p class="with-icon needed small">
          <Icon name="doubt" />
          {t('summary.needed')}
        </p>
      )}
      {filling.needed === 0 && filling.held + filling.sent === 0 && <p class="soft small">{t('summary.skipped')}</p>}
      <SentCount n={filling.sent} />
      {step.type === 'text'
        ? props.answers[step.key] && (
            <p class="part-answer" dir="auto">
              {props.answers[step.key]}
            </p>
          )
        : own.length > 0 && (
            <ul class="thumbs">
              {own.map((capture, i) => (
                <Thumb key={capture.id} capture={capture} alt={t('summary.photoAlt', { step: name, n: i + 1 })} />
              ))}
            </ul>
          )}
    </li>
  );
}
