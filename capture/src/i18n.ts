import english from './messages/en.json' with { type: 'json' };

export type MessageKey = keyof typeof english;
type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>;
export type Messages = Record<MessageKey, Message>;
export type Values = Record<string, string | number>;

/** Every language by its own name, in the order of the switch. */
export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  pt: 'Português',
  it: 'Italiano',
  pl: 'Polski',
  tr: 'Türkçe',
  hi: 'हिन्दी',
  ar: 'العربية',
} as const;
export type Language = keyof typeof LANGUAGES;

const catalogues = import.meta.glob<Messages>(['./messages/*.json', '!./messages/en.json'], { import: 'default' });

export const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag);

/** The first of the wanted languages (BCP 47 tags, most wanted first) that there is a catalogue for, else English. */
export function chooseLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const primary = tag.toLowerCase().split('-')[0]!;
    if (isLanguage(primary)) return primary;
  }
  return 'en';
}

export type Translator = {
  language: Language;
  direction: 'ltr' | 'rtl';
  /** The message with its `{places}` filled; `n` chooses the plural form. */
  t: (key: MessageKey, values?: Values) => string;
  time: (iso: string) => string;
  dateTime: (iso: string) => string;
  number: (value: number, options?: Intl.NumberFormatOptions) => string;
};

export function createTranslator(language: Language, messages: Messages): Translator {
  const plurals = new Intl.PluralRules(language);
  const number = (value: number, options?: Intl.NumberFormatOptions) =>
    new Intl.NumberFormat(language, options).format(value);
  const format = (options: Intl.DateTimeFormatOptions) => (iso: string) =>
    new Intl.DateTimeFormat(language, options).format(new Date(iso));
  return {
    language,
    direction: language === 'ar' ? 'rtl' : 'ltr',
    t(key, values = {}) {
      const message: Message = messages[key];
      const text =
        typeof message === 'string' ? message : (message[plurals.select(Number(values.n))] ?? message.other ?? '');
      return text.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = values[name];
        return typeof value === 'number' ? number(value) : (value ?? '');
      });
    },
    time: format({ hour: 'numeric', minute: '2-digit' }),
    dateTime: format({ dateStyle: 'long', timeStyle: 'short' }),
    number,
  };
}

/** Loads a language's catalogue. Where that fails (offline), English stands in. */
export async function loadTranslator(language: Language): Promise<Translator> {
  if (language !== 'en') {
    try {
      return createTranslator(language, await catalogues[`./messages/${language}.json`]!());
    } catch {
      // The page goes on in English rather than not at all.
    }
  }
  return createTranslator('en', english as Messages);
}
