import type { CaptureView, Step } from '@firsthand/sdk/capture';
import { type FormEvent, type ReactElement, useId } from 'react';
import { type Capture, type UseCaptureOptions, useCapture } from './use-capture.ts';

export interface CaptureFlowWords {
  loading: string;
  photo: (step: Step, held: number) => string;
  send: string;
  sending: (percent: number) => string;
  done: string;
  closed: string;
  again: string;
}

export interface CaptureFlowProps extends UseCaptureOptions {
  /** In place of the English words, one by one. */
  words?: Partial<CaptureFlowWords>;
  className?: string;
}

const WORDS: CaptureFlowWords = {
  loading: 'Loading…',
  photo: (step, held) => `${step.description || 'Photo'}${held > 0 ? ` (${held} taken)` : ''}`,
  send: 'Send',
  sending: percent => `Sending… ${percent} %`,
  done: 'Thank you. Your photos were sent.',
  closed: 'This link takes no more photos.',
  again: 'Try again',
};

/** The steps of one verification as a plain form, with the phone's own camera. Style it by `className` and the element names. */
export function CaptureFlow({ words, className, ...options }: CaptureFlowProps): ReactElement {
  const say = { ...WORDS, ...words };
  const capture = useCapture(options);
  const { phase, view, error, progress } = capture;
  const percent =
    progress && progress.totalBytes > 0 ? Math.round((100 * progress.sentBytes) / progress.totalBytes) : 0;
  return (
    <div className={className} data-firsthand={phase}>
      {phase === 'loading' && <p role="status">{say.loading}</p>}
      {phase === 'sending' && <p role="status">{say.sending(percent)}</p>}
      {(phase === 'done' || phase === 'closed') && <p role="status">{say[phase]}</p>}
      {error && <p role="alert">{error.message}</p>}
      {view && (phase === 'ready' || phase === 'failed') && <Steps {...{ capture, view, say }} />}
    </div>
  );
}

function Steps({ capture, view, say }: { capture: Capture; view: CaptureView; say: CaptureFlowWords }) {
  const id = useId();
  const lacking = view.config.steps.some(step => {
    if (step.type === 'text') return step.required && !capture.answers[step.key];
    const state = view.step_states.find(({ key }) => key === step.key);
    const there = state && state.type !== 'text' ? state.captured : 0;
    return there + (capture.held[step.key] ?? 0) < step.min;
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void capture.send();
  };
  return (
    <form onSubmit={submit}>
      {view.config.steps.map(step => (
        <p key={step.key}>
          {step.type === 'text' ? (
            <>
              <label htmlFor={`${id}${step.key}`}>{step.description || step.key}</label>
              <input
                id={`${id}${step.key}`}
                required={step.required}
                maxLength={step.validation.max_length}
                value={capture.answers[step.key] ?? ''}
                onChange={event => void capture.setAnswer(step.key, event.target.value)}
              />
            </>
          ) : (
            <>
              <label htmlFor={`${id}${step.key}`}>{say.photo(step, capture.held[step.key] ?? 0)}</label>
              <input
                id={`${id}${step.key}`}
                type="file"
                accept={step.type === 'upload' ? step.accept.join() : 'image/*'}
                {...(step.type === 'upload' ? {} : { capture: 'environment' as const })}
                disabled={(capture.held[step.key] ?? 0) >= step.max}
                onChange={event => {
                  const [file] = event.target.files ?? [];
                  if (file) void capture.addPhoto(step.key, file);
                  event.target.value = '';
                }}
              />
            </>
          )}
        </p>
      ))}
      <button type="submit" disabled={lacking}>
        {capture.phase === 'failed' ? say.again : say.send}
      </button>
    </form>
  );
}
