import { LANGUAGES, type Language } from '@firsthand/contract/base/languages.ts';
import { chooseAmong, createTranslator, type Message, type Translator as Shared } from '@firsthand/look/translator.ts';
import english from './messages/en.json' with { type: 'json' };

export type MessageKey = keyof typeof english;
export type Messages = Record<MessageKey, Message>;
export { LANGUAGES, type Language };

const catalogues = import.meta.glob<Messages>(['./messages/*.json', '!./messages/en.json'], { import: 'default' });

export const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag);

/** Returns the first preferred language (BCP 47 tags, in order) that has a catalogue, else English. */
export function chooseLanguage(wanted: readonly string[]): Language {
  return chooseAmong(LANGUAGES, wanted) ?? 'en';
}

export type Translator = Shared<MessageKey, Language>;

/** Loads a language's catalogue. Falls back to English if that fails (offline). */
export async function loadTranslator(language: Language): Promise<Translator> {
  if (language !== 'en') {
    try {
      return createTranslator(language, await catalogues[`./messages/${language}.json`]!());
    } catch {
      // Continue in English.
    }
  }
  return createTranslator('en', english as Messages);
}

/** Says how long a link is open. Names the day unless the link ends today. */
export function openUntil({ t, time, dayAndTime }: Translator, end: string, now = new Date()): string {
  const isToday = new Date(end).toDateString() === now.toDateString();
  return isToday ? t('landing.until', { time: time(end) }) : t('landing.untilDay', { time: dayAndTime(end) });
}
