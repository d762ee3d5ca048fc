import { checkFile, type FileFault, isBelow } from '@firsthand/capture/files.ts';
import { answerOf, endOf, endOfError, faultOfAnswer, leastSideOf } from '@firsthand/capture/flow.ts';
import { refusedAnswers, refusedPhoto, sizeIn, typesIn } from '@firsthand/capture/refusal.ts';
import { LIVE_IMAGE_TYPES } from '@firsthand/contract/base/enums.ts';
import { ApiError, type CaptureView, type Step } from '@firsthand/sdk/capture';
import type { CaptureState } from './controller.ts';
import type { Texts } from './words.ts';

type Capture = CaptureState<unknown>;

export type TextStep = Extract<Step, { type: 'text' }>;
export type PhotoStep = Exclude<Step, TextStep>;

const typesOf = (step: PhotoStep): readonly string[] => (step.type === 'upload' ? step.accept : LIVE_IMAGE_TYPES);

/** Checks a chosen file by the service's rules. Returns the picture, or why the service would not take it. */
export async function picked(file: File, step: PhotoStep, view: CaptureView, texts: Texts): Promise<Blob | string> {
  const limit = step.type === 'upload' ? step.max_size_bytes : undefined;
  const checked = await checkFile(file, typesOf(step), limit);
  if ('fault' in checked) return faultOfFile(checked, step, texts);
  const least = leastSideOf(view, step);
  // A picture that the browser cannot decode has no size here; the service checks it.
  const bitmap = least === undefined ? null : await createImageBitmap(file).catch(() => null);
  const small = bitmap !== null && isBelow(bitmap, least);
  bitmap?.close();
  if (small) return texts.t('file.least', { n: texts.number(least ?? 0) });
  return new Blob([checked.blob], { type: checked.contentType });
}

/** Says why the service would not take a file. */
export function faultOfFile(
  { fault, megapixels = 0 }: { fault: FileFault; megapixels?: number | undefined },
  step: PhotoStep,
  texts: Texts,
): string {
  return texts.t(fault, {
    types: typesIn(typesOf(step)),
    size: step.type === 'upload' ? sizeIn(texts, step.max_size_bytes) : '',
    megapixels: texts.number(megapixels),
  });
}

/** Why the service would refuse each answer, by step key. */
export function faultyAnswers({ answers }: Capture, view: CaptureView, { t }: Texts): Record<string, string> {
  const faults: Record<string, string> = {};
  for (const step of view.config.steps) {
    if (step.type !== 'text' || !answers[step.key]) continue;
    const fault = faultOfAnswer(step, answerOf(step, answers[step.key] ?? ''));
    if (fault) faults[step.key] = t(fault.key, 'n' in fault ? { n: fault.n } : {});
  }
  return faults;
}

const ANSWER = /^answers\./;

/** What the service refused, in the person's words: answers by step key, and what concerns the whole under `''`. */
export function refusedWords({ error, view }: Capture, texts: Texts): Record<string, string> {
  const { t } = texts;
  if (!error) return {};
  if (!(error instanceof ApiError)) return { '': t(view ? 'sending.waitingText' : 'unreachable.text') };
  if (endOfError(error) === 'unknown') return { '': t('end.unknown.text') };
  if (error.fields.some(({ path }) => ANSWER.test(path))) {
    return refusedAnswers(
      texts,
      Object.fromEntries(error.fields.map(fault => [fault.path.replace(ANSWER, ''), fault])),
    );
  }
  return {
    '': error.status < 500 ? refusedPhoto(texts, error.code, error.fields, LIVE_IMAGE_TYPES) : t('error.title'),
  };
}

/** The answers as they are sent: trimmed, and identifiers with ASCII digits. Only those that differ from what was written. */
export const sendable = ({ answers }: Capture, view: CaptureView): [key: string, value: string][] =>
  view.config.steps.flatMap(step => {
    const written = step.type === 'text' ? answers[step.key] : undefined;
    if (step.type !== 'text' || written === undefined) return [];
    const value = answerOf(step, written);
    return value === written ? [] : [[step.key, value] as [string, string]];
  });

/** Why the link takes nothing more: by its view, or by the answer in place of one. */
export function endIn({ view, error }: Pick<Capture, 'view' | 'error'>) {
  const end = view ? endOf(view, Date.now(), { captures: [], answers: {} }) : endOfError(error);
  switch (end) {
    case 'expired':
    case 'completed':
    case 'failed':
    case 'withdrawn':
    case 'unknown':
      return end;
    default:
      return 'redacted';
  }
}

/** The same in the person's words. */
export function endWords(capture: Pick<Capture, 'view' | 'error'>, t: Texts['t']): string {
  const end = endIn(capture);
  return end === 'expired' ? t('end.expired.textPlain') : t(`end.${end}.text`);
}
