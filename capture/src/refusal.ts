import { answerFaultIn } from '@firsthand/contract/capture/answer-rules.ts';
import { refusalOf } from '@firsthand/contract/capture/refusals.ts';
import type { Step } from '@firsthand/sdk/capture/wire.ts';
import { answerWords } from './flow.ts';
import type { Translator } from './i18n.ts';

type Fault = { path: string; message: string };
type Words = Pick<Translator, 't' | 'number'>;

/** Writes a size as the person's language does: 10 MB. */
export const sizeIn = ({ number }: Pick<Words, 'number'>, bytes: number): string =>
  number(Math.max(0.1, Math.round(bytes / 104_857.6) / 10), { style: 'unit', unit: 'megabyte', unitDisplay: 'short' });

/** Names the formats of these media types: JPEG, PNG. */
export const typesIn = (types: readonly string[]): string =>
  types.map(type => type.replace('image/', '').toUpperCase()).join(', ');

/** Says in the person's language why the service refused a photo, and what to do. `accepted`: the media types of its step. */
export function refusedPhoto(
  words: Words,
  code: string,
  fields: readonly Fault[],
  accepted: readonly string[],
): string {
  const { t, number } = words;
  const refusal = refusalOf(code, fields);
  switch (refusal.reason) {
    case 'type':
      return t('file.type', { types: typesIn(accepted) });
    case 'size':
      return t('file.size', { size: sizeIn(words, refusal.bytes) });
    case 'pixels':
      return t('file.pixels', { megapixels: number(refusal.megapixels) });
    case 'least':
      return t('file.least', { n: number(refusal.pixels) });
    case 'cut':
    case 'unreadable':
      return t(`file.${refusal.reason}`);
    default:
      return t(`refused.${refusal.reason}`);
  }
}

/** Says why the service refused each answer, by step key. */
export function refusedAnswers(
  { t }: Pick<Words, 't'>,
  faults: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(faults).map(([key, message]) => {
      const fault = answerFaultIn(message);
      const words = fault && answerWords(fault);
      return [key, words ? t(words.key, 'n' in words ? { n: words.n } : {}) : t('refused.answer')];
    }),
  );
}

/** The media types of a step, and those of image steps where the key is unknown. */
export const acceptedOf = (steps: readonly Step[], key: string, otherwise: readonly string[]): readonly string[] => {
  const step = steps.find(candidate => candidate.key === key);
  return step?.type === 'upload' ? step.accept : otherwise;
};
