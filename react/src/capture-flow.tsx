import { exampleOf, fillingOf } from '@firsthand/capture/flow.ts';
import type { CaptureView, Step } from '@firsthand/sdk/capture';
import { type FormEvent, type ReactElement, useEffect, useId, useRef, useState } from 'react';
import { endWords, faultyAnswers, type PhotoStep, picked, refusedWords, sendable, type TextStep } from './checks.ts';
import { type Capture, type HeldPhoto, type UseCaptureOptions, useCapture } from './use-capture.ts';
import { type Texts, useTexts } from './words.ts';

export interface CaptureFlowWords {
  loading: string;
  photo: (step: Step, held: number) => string;
  /** Below the picture of an example that the account gave the step. */
  example: string;
  /** What a picture on the page shows, for screen readers. */
  picture: (step: Step, number: number) => string;
  /** Opens the camera again; the new photo replaces this one. */
  retake: string;
  remove: (number: number) => string;
  send: string;
  /** Beside the button, while something required is missing. */
  missing: (steps: readonly Step[]) => string;
  sending: (percent: number) => string;
  done: string;
  closed: string;
  again: string;
}

export interface CaptureFlowProps extends UseCaptureOptions {
  /** `en`, `de`, `fr`, `es`, `pt`, `it`, `pl`, `tr`, `hi` or `ar`; the browser's unless given. */
  language?: string;
  /** In place of the language's words, one by one. */
  words?: Partial<CaptureFlowWords>;
  className?: string;
}

/** The words of a language. `closed` depends on why the link takes nothing more. */
function wordsOf({ t, describe }: Texts, capture: Capture): CaptureFlowWords {
  const { view } = capture;
  const nameOf = (step: Step) =>
    describe(step) ||
    t(({ text: 'landing.stepText', upload: 'upload.default', image: 'camera.default' } as const)[step.type]);
  return {
    loading: t('loading.title'),
    photo: (step, held) => `${nameOf(step)}${held > 0 ? ` (${t('common.photos', { n: held })})` : ''}`,
    example: view?.brand ? t('example.from', { name: view.brand.name }) : t('example.fromPlain'),
    picture: (step, n) => t('summary.photoAlt', { step: nameOf(step), n }),
    retake: t('summary.retake'),
    remove: n => t('upload.remove', { n }),
    send: t('summary.send'),
    missing: steps => `${t('summary.missing')}: ${steps.map(nameOf).join(', ')}`,
    sending: percent => `${t('sending.title')} ${percent} %`,
    done: t('success.title'),
    closed: endWords(capture, t),
    again: t('common.tryAgain'),
  };
}

interface Shown {
  capture: Capture;
  view: CaptureView;
  say: CaptureFlowWords;
  texts: Texts;
}

/**
 * The steps of one verification as a form, with the phone's own camera and the hosted page's texts and rules. Style it by `className` and
 * the element names, or import `@firsthand/react/styles.css`.
 */
export function CaptureFlow({ language, words, className, ...options }: CaptureFlowProps): ReactElement {
  const texts = useTexts(language);
  const capture = useCapture(options);
  const { view, progress } = capture;
  // A server knows no language, and the first rendering in a browser has to match the server's.
  const say = texts && { ...wordsOf(texts, capture), ...words };
  const phase = say ? capture.phase : 'loading';
  const percent =
    progress && progress.totalBytes > 0 ? Math.round((100 * progress.sentBytes) / progress.totalBytes) : 0;
  useSendingWhenOnline(capture);
  return (
    <div
      className={className}
      data-firsthand={phase}
      {...(texts ? { lang: texts.language, dir: texts.direction } : {})}
    >
      {phase === 'loading' && <p role="status">{say?.loading ?? words?.loading ?? '…'}</p>}
      {phase === 'sending' && <p role="status">{say?.sending(percent)}</p>}
      {phase === 'done' && <p role="status">{say?.done}</p>}
      {phase === 'closed' && <p role="status">{say?.closed}</p>}
      {say && phase === 'failed' && !view && (
        <>
          <p role="alert">{refusedWords(capture, texts)['']}</p>
          <button type="button" onClick={() => void capture.send()}>
            {say.again}
          </button>
        </>
      )}
      {say && view && (phase === 'ready' || phase === 'failed') && <Steps {...{ capture, view, say, texts }} />}
    </div>
  );
}

/** Goes on by itself when the connection is back. */
function useSendingWhenOnline({ phase, error, send }: Capture): void {
  const waits = phase === 'failed' && error !== null && !('status' in error);
  useEffect(() => {
    if (!waits) return;
    const goOn = () => void send();
    addEventListener('online', goOn);
    return () => removeEventListener('online', goOn);
  }, [waits, send]);
}

function Steps({ capture, view, say, texts }: Shown) {
  const reason = useId();
  const [found, setFound] = useState<Record<string, string>>({});
  const { missing, phase } = capture;
  const refused = refusedWords(capture, texts);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const faults = faultyAnswers(capture, view, texts);
    setFound(faults);
    if (Object.keys(faults).length > 0) return;
    for (const [key, value] of sendable(capture, view)) await capture.setAnswer(key, value);
    await capture.send();
  };
  return (
    <form onSubmit={event => void submit(event)} noValidate>
      {refused[''] && <p role="alert">{refused['']}</p>}
      {view.config.steps.map(step =>
        step.type === 'text' ? (
          <Answer
            key={step.key}
            {...{ step, capture, view, say, texts }}
            fault={found[step.key] ?? refused[step.key]}
          />
        ) : (
          <Photos key={step.key} {...{ step, capture, view, say, texts }} />
        ),
      )}
      <button type="submit" disabled={missing.length > 0} aria-describedby={reason}>
        {phase === 'failed' ? say.again : say.send}
      </button>
      <small id={reason}>{missing.length > 0 && say.missing(missing)}</small>
    </form>
  );
}

const HINTS = {
  numeric_id: 'text.hintDigits',
  alphanumeric_id: 'text.hintAlphanumeric',
  free_text: 'text.hintLength',
} as const;

function Answer({ step, capture, view, say, texts, fault }: Shown & { step: TextStep; fault: string | undefined }) {
  const id = useId();
  const { t } = texts;
  const { format, max_length } = step.validation;
  const state = view.step_states.find(({ key }) => key === step.key);
  const shared = {
    id,
    value: capture.answers[step.key] ?? '',
    required: capture.missing.includes(step),
    'aria-invalid': fault !== undefined,
    'aria-describedby': `${id}-hint`,
    dir: 'auto',
    onChange: (event: { target: { value: string } }) => void capture.setAnswer(step.key, event.target.value),
  };
  return (
    <div>
      <label htmlFor={id}>
        {say.photo(step, 0)}
        {!step.required && ` (${t('common.optional')})`}
      </label>
      {format === 'free_text' && max_length > 80 ? (
        <textarea {...shared} rows={5} />
      ) : (
        <input {...shared} inputMode={format === 'numeric_id' ? 'numeric' : 'text'} autoComplete="off" />
      )}
      <small id={`${id}-hint`}>
        {state?.type === 'text' && state.answered ? t('text.answered') : t(HINTS[format], { n: max_length })}
      </small>
      {fault !== undefined && <p role="alert">{fault}</p>}
    </div>
  );
}

function Photos({ step, capture, view, say, texts }: Shown & { step: PhotoStep }) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const retaken = useRef<string>(null);
  const [fault, setFault] = useState<string>();
  const own = capture.photos.filter(({ stepKey }) => stepKey === step.key);
  const full = fillingOf(view, step, { captures: capture.photos, answers: {} }).free === 0;
  const add = async (file: File, replaced: string | null) => {
    const checked = await picked(file, step, view, texts);
    setFault(typeof checked === 'string' ? checked : undefined);
    if (typeof checked === 'string') return;
    await capture.addPhoto(step.key, checked);
    if (replaced !== null) await capture.removePhoto(replaced);
  };
  return (
    <div>
      <label htmlFor={id}>
        {say.photo(step, own.length)}
        {step.min === 0 && ` (${texts.t('common.optional')})`}
      </label>
      <Example url={exampleOf(view, step)} alt={texts.t('example.alt')} caption={say.example} />
      <input
        ref={input}
        id={id}
        type="file"
        accept={step.type === 'upload' ? step.accept.join() : 'image/*'}
        {...(step.type === 'upload' ? {} : { capture: 'environment' as const })}
        disabled={full}
        onChange={event => {
          const [file] = event.target.files ?? [];
          if (file) void add(file, retaken.current);
          retaken.current = null;
          event.target.value = '';
        }}
      />
      {fault !== undefined && <p role="alert">{fault}</p>}
      {own.length > 0 && (
        <ul>
          {own.map((photo, at) => (
            <Photo
              key={photo.id}
              {...{ photo, say, step }}
              n={at + 1}
              onRemove={() => void capture.removePhoto(photo.id)}
              onRetake={() => {
                if (!input.current) return;
                retaken.current = photo.id;
                // Without a free place the field is disabled, and a disabled field does not open.
                input.current.disabled = false;
                input.current.click();
                input.current.disabled = full;
              }}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

/** What the photo should look like; nothing once the account deleted it. */
function Example({ url, alt, caption }: { url: string | undefined; alt: string; caption: string }) {
  const [gone, setGone] = useState(false);
  if (url === undefined || gone) return null;
  return (
    <figure>
      <img src={url} alt={alt} height={160} onError={() => setGone(true)} />
      <figcaption>{caption}</figcaption>
    </figure>
  );
}

interface PhotoProps {
  photo: HeldPhoto;
  say: CaptureFlowWords;
  step: PhotoStep;
  n: number;
  onRemove: () => void;
  onRetake: () => void;
}

function Photo({ photo, say, step, n, onRemove, onRetake }: PhotoProps) {
  return (
    <li>
      <Thumbnail photo={photo} words={say.picture(step, n)} />
      {step.type === 'image' && (
        <button type="button" onClick={onRetake}>
          {say.retake}
        </button>
      )}
      <button type="button" onClick={onRemove}>
        {say.remove(n)}
      </button>
    </li>
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
