import { chooseAmong, createTranslator, type Message, type Translator as Shared } from '@firsthand/look/translator.ts';
import english from './messages/en.json' with { type: 'json' };

export type MessageKey = keyof typeof english;
type Messages = Record<MessageKey, Message>;
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;
export type Translator = Shared<MessageKey, Language>;

const KEY = 'firsthand-language';
const catalogues = import.meta.glob<Messages>(['./messages/*.json', '!./messages/en.json'], { import: 'default' });

/** The person's own choice on this device, else the browser's first language that there is a dictionary for. */
export function preferredLanguage(): Language {
  return chooseAmong(LANGUAGES, [localStorage.getItem(KEY) ?? '', ...navigator.languages]) ?? 'en';
}

export const keepLanguage = (language: Language): void => localStorage.setItem(KEY, language);

/** Loads a language's dictionary. Where that fails (offline), English stands in. */
export async function loadTranslator(language: Language): Promise<Translator> {
  const messages = language === 'en' ? null : await catalogues[`./messages/${language}.json`]!().catch(() => null);
  return messages ? createTranslator(language, messages) : createTranslator('en', english);
}
