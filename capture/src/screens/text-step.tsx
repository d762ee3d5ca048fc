import type { TextStep as Text } from '@firsthand/sdk/capture/wire.ts';
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { faultOfAnswer } from '../flow.ts';
import { usePage } from '../page-context.ts';
import { Screen } from './parts.tsx';

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

/** Converts digits from other keyboards (Arabic-Indic, Persian, Devanagari) to ASCII, the form of identifiers. */
export const withAsciiDigits = (text: string): string =>
  text.replace(/[٠-٩۰-۹०-९]/g, digit =>
    String((digit.codePointAt(0)! - (digit < '۰' ? 0x660 : digit < '०' ? 0x6f0 : 0x966)) % 10),
  );

export function TextStep(props: Props): JSX.Element {
  const { t } = usePage();
  const { step } = props;
  const { format, max_length } = step.validation;
  const [value, setValue] = useState(props.value);
  const [fault, setFault] = useState(props.refusal ?? '');
  const field = useRef<HTMLTextAreaElement & HTMLInputElement>(null);
  const long = format === 'free_text' && max_length > 80;

  const submit = (event: Event) => {
    event.preventDefault();
    const trimmed = format === 'free_text' ? value.trim() : withAsciiDigits(value.trim());
    const found = faultOfAnswer(step, trimmed);
    if (found && !(trimmed === '' && props.answered)) {
      setFault(t(found.key, 'n' in found ? { n: found.n } : {}));
      field.current?.focus();
      return;
    }
    props.onAnswer(trimmed);
  };
  const hint =
    format === 'numeric_id'
      ? t('text.hintDigits')
      : format === 'alphanumeric_id'
        ? t('text.hintAlphanumeric')
        : t('text.hintLength', { n: max_length });
  const title = step.description || t('landing.stepText');
  const shared = {
    ref: field,
    id: 'answer',
    value,
    // No maxlength: it would silently truncate pasted text. The validation message reports it instead.
    'aria-labelledby': 'screen-title',
    'aria-describedby': 'answer-hint answer-fault',
    'aria-invalid': fault !== '',
    'aria-required': step.required,
    dir: 'auto' as const,
    onInput: (event: { currentTarget: { value: string } }) => {
      setValue(event.currentTarget.value);
      setFault('');
    },
  };

  return (
    <Screen
      name="text"
      title={title}
      kicker={props.kicker}
      onBack={props.onBack}
      actions={
        <>
          <button type="submit" form="answer-form" class="button">
            {t('step.next')}
          </button>
          {props.onSkip && (
            <button type="button" class="button plain" onClick={props.onSkip}>
              {t('common.skip')}
            </button>
          )}
        </>
      }
    >
      <form id="answer-form" class="answer" onSubmit={submit} noValidate>
        {props.answered && <p class="soft">{t('text.answered')}</p>}
        {long ? (
          <textarea {...shared} rows={5} />
        ) : (
          <input
            {...shared}
            type="text"
            inputMode={format === 'numeric_id' ? 'numeric' : 'text'}
            autoComplete="off"
            autoCapitalize={format === 'free_text' ? 'sentences' : 'characters'}
            spellcheck={format === 'free_text'}
          />
        )}
        <p id="answer-hint" class="small soft">
          {hint}
        </p>
        <p id="answer-fault" class="fault" role="alert">
          {fault}
        </p>
      </form>
    </Screen>
  );
}
