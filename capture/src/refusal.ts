import { type KnownFault, known } from '@firsthand/contract/base/fault.ts';
import type { Translator } from '@firsthand/look/translator.ts';
import type { Fault, Step } from '@firsthand/sdk/capture/wire.ts';
import { type AnswerFault, answerWords } from './flow.ts';

/** The messages that this file writes. `@firsthand/react` has them too. */
type Key =
  | AnswerFault['key']
  | `file.${'type' | 'size' | 'pixels' | 'least' | 'cut' | 'unreadable' | 'example'}`
  | `refused.${'step' | 'lost' | 'other' | 'answer'}`;
type Words = Pick<Translator<Key, string>, 't' | 'number'>;

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
  const { t } = words;
  if (code === 'unknown_step' || code === 'step_full') return t('refused.step');
  // The bytes did not arrive as they were. Sending again may help.
  if (code === 'idempotency_conflict') return t('refused.lost');
  for (const fault of fields) {
    const said = photoFault(words, known(fault), accepted);
    if (said !== undefined) return said;
  }
  return t('refused.other');
}

function photoFault({ t, number }: Words, fault: KnownFault, accepted: readonly string[]): string | undefined {
  switch (fault.code) {
    case 'unsupported_type':
      return t('file.type', { types: typesIn(accepted) });
    case 'too_many_bytes':
      return t('file.size', { size: sizeIn({ number }, fault.params.max) });
    case 'too_many_pixels':
      return t('file.pixels', { megapixels: number(fault.params.max) });
    case 'too_few_pixels':
      return t('file.least', { n: number(fault.params.min) });
    case 'truncated':
      return t('file.cut');
    case 'undecodable':
      return t('file.unreadable');
    case 'duplicate':
      return t('file.example');
    case 'not_uploaded':
    case 'hash_mismatch':
    case 'incomplete':
      return t('refused.lost');
    default:
      return undefined;
  }
}

/** Says why the service refused each answer, by step key. */
export function refusedAnswers(
  { t }: Pick<Words, 't'>,
  faults: Readonly<Record<string, Fault>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(faults).map(([key, fault]) => {
      const words = answerWords(known(fault));
      return [key, words ? t(words.key, 'n' in words ? { n: words.n } : {}) : t('refused.answer')];
    }),
  );
}

/** The media types of a step, and those of image steps where the key is unknown. */
export const acceptedOf = (steps: readonly Step[], key: string, otherwise: readonly string[]): readonly string[] => {
  const step = steps.find(candidate => candidate.key === key);
  return step?.type === 'upload' ? step.accept : otherwise;
};
