import type { TextStep as Text } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { answerOf, faultOfAnswer } from '../flow.ts';
import { usePage } from '../page-context.ts';
import { Screen, Skip } from './parts.tsx';

type Props = {
  step: Text;
  kicker: string;
  value: string;
  /** An answer was already sent. It is not shown again. */
  answered: boolean;
  /** Why the service rejected the last answer. */
  refusal: string | undefined;
  onAnswer: (value: string) => void;
  onSkip: (() => void) | undefined;
  onBack: () => void;
};

export function TextStep(props: Props): JSX.Element {
  const { t, describe } = usePage();
  const { step, answered } = props;
  const [value, setValue] = useState(props.value);
  const [fault, setFault] = useState(props.refusal ?? '');
  const field = useRef<HTMLTextAreaElement & HTMLInputElement>(null);

  const submit = (event: Event) => {
    event.preventDefault();
    const trimmed = answerOf(step, value);
    const found = faultOfAnswer(step, trimmed);
    if (!found || (trimmed === '' && answered)) return props.onAnswer(trimmed);
    setFault(t(found.key, 'n' in found ? { n: found.n } : {}));
    field.current?.focus();
  };
  const write = (text: string) => {
    setValue(text);
    setFault('');
  };

  return (
    <Screen
      name="text"
      title={describe(step) || t('landing.stepText')}
      kicker={props.kicker}
      onBack={props.onBack}
      actions={
        <>
          <button type="submit" form="answer-form" class="button">
            {t('step.next')}
          </button>
          <Skip onSkip={props.onSkip} />
        </>
      }
    >
      <form id="answer-form" class="answer stack" onSubmit={submit} noValidate>
        {answered && <p class="soft">{t('text.answered')}</p>}
        <Field {...{ step, field, value, write }} invalid={fault !== ''} />
        <p id="answer-hint" class="small soft">
          {t(HINTS[step.validation.format] ?? 'text.hintLength', { n: step.validation.max_length })}
        </p>
        <p id="answer-fault" class="fault" role="alert">
          {fault}
        </p>
      </form>
    </Screen>
  );
}

const HINTS: Record<Text['validation']['format'], 'text.hintDigits' | 'text.hintAlphanumeric' | null> = {
  free_text: null,
  numeric_id: 'text.hintDigits',
  alphanumeric_id: 'text.hintAlphanumeric',
};

type FieldProps = {
  step: Text;
  field: { current: (HTMLTextAreaElement & HTMLInputElement) | null };
  value: string;
  write: (text: string) => void;
  invalid: boolean;
};

/** One line, or several for a long free text. */
function Field({ step, field, value, write, invalid }: FieldProps): JSX.Element {
  const { format, max_length } = step.validation;
  const isFree = format === 'free_text';
  const shared = {
    ref: field,
    id: 'answer',
    value,
    // No maxlength: it would silently truncate pasted text. The validation message reports it instead.
    'aria-labelledby': 'screen-title',
    'aria-describedby': 'answer-hint answer-fault',
    'aria-invalid': invalid,
    'aria-required': step.required,
    dir: 'auto' as const,
    onInput: (event: { currentTarget: { value: string } }) => write(event.currentTarget.value),
  };
  if (isFree && max_length > 80) return <textarea {...shared} rows={5} />;
  return (
    <input
      {...shared}
      type="text"
      inputMode={format === 'numeric_id' ? 'numeric' : 'text'}
      autoComplete="off"
      autoCapitalize={isFree ? 'sentences' : 'characters'}
      spellcheck={isFree}
    />
  );
}
