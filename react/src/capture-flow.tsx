import type { CaptureView, Step } from '@firsthand/sdk/capture';
import { type FormEvent, type ReactElement, useEffect, useId, useState } from 'react';
import { type Capture, type HeldPhoto, type UseCaptureOptions, useCapture } from './use-capture.ts';

export interface CaptureFlowWords {
  loading: string;
  photo: (step: Step, held: number) => string;
  /** What a picture on the page shows, for screen readers. */
  picture: (step: Step, number: number) => string;
  remove: string;
  send: string;
  /** Beside the button, while something required is missing. */
  missing: (steps: readonly Step[]) => string;
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

const nameOf = (step: Step) => step.description || step.key;

const WORDS: CaptureFlowWords = {
  loading: 'Loading…',
  photo: (step, held) => `${step.description || 'Photo'}${held > 0 ? ` (${held} taken)` : ''}`,
  picture: (step, number) => `${nameOf(step)}, photo ${number}`,
  remove: 'Remove',
  send: 'Send',
  missing: steps => `Still missing: ${steps.map(nameOf).join(', ')}`,
  sending: percent => `Sending… ${percent} %`,
  done: 'Thank you. Your photos were sent.',
  closed: 'This link takes no more photos.',
  again: 'Try again',
};

interface Shown {
  capture: Capture;
  view: CaptureView;
  say: CaptureFlowWords;
}

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
      {phase === 'failed' && !view && (
        <button type="button" onClick={() => void capture.send()}>
          {say.again}
        </button>
      )}
      {view && (phase === 'ready' || phase === 'failed') && <Steps {...{ capture, view, say }} />}
    </div>
  );
}

function Steps({ capture, view, say }: Shown) {
  const reason = useId();
  const { missing } = capture;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void capture.send();
  };
  return (
    <form onSubmit={submit}>
      {view.config.steps.map(step =>
        step.type === 'text' ? (
          <TextStep key={step.key} {...{ step, capture }} />
        ) : (
          <PhotoStep key={step.key} {...{ step, capture, view, say }} />
        ),
      )}
      <button type="submit" disabled={missing.length > 0} aria-describedby={reason}>
        {capture.phase === 'failed' ? say.again : say.send}
      </button>
      <small id={reason}>{missing.length > 0 && say.missing(missing)}</small>
    </form>
  );
}

function TextStep({ step, capture }: { step: Extract<Step, { type: 'text' }>; capture: Capture }) {
  const id = useId();
  return (
    <p>
      <label htmlFor={id}>{nameOf(step)}</label>
      <input
        id={id}
        required={capture.missing.includes(step)}
        maxLength={step.validation.max_length}
        value={capture.answers[step.key] ?? ''}
        onChange={event => void capture.setAnswer(step.key, event.target.value)}
      />
    </p>
  );
}

function PhotoStep({ step, capture, view, say }: Shown & { step: Exclude<Step, { type: 'text' }> }) {
  const id = useId();
  const held = capture.held[step.key] ?? 0;
  const state = view.step_states.find(({ key }) => key === step.key);
  const room = state && state.type !== 'text' ? state.remaining : step.max;
  return (
    <div>
      <label htmlFor={id}>{say.photo(step, held)}</label>
      <input
        id={id}
        type="file"
        accept={step.type === 'upload' ? step.accept.join() : 'image/*'}
        {...(step.type === 'upload' ? {} : { capture: 'environment' as const })}
        disabled={held >= room}
        onChange={event => {
          const [file] = event.target.files ?? [];
          if (file) void capture.addPhoto(step.key, file);
          event.target.value = '';
        }}
      />
      {held > 0 && (
        <ul>
          {capture.photos
            .filter(({ stepKey }) => stepKey === step.key)
            .map((photo, at) => (
              <li key={photo.id}>
                <Thumbnail photo={photo} words={say.picture(step, at + 1)} />
                <button type="button" onClick={() => void capture.removePhoto(photo.id)}>
                  {say.remove}
                </button>
              </li>
            ))}
        </ul>
      )}
    </div>
  );
}

function Thumbnail({ photo, words }: { photo: HeldPhoto; words: string }) {
  const [url, setUrl] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: every reading of the store makes another blob of the same photo
  useEffect(() => {
    const made = URL.createObjectURL(photo.blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [photo.id]);
  return <img src={url} alt={words} height={96} />;
}
