/** A text, or its plural forms, with `{placeholders}`. */
export type Message = string | Partial<Record<Intl.LDMLPluralRule, string>>;
export type Values = Record<string, string | number>;

export interface Translator<Key extends string, Language extends string> {
  language: Language;
  direction: 'ltr' | 'rtl';
  /** Returns the message with its `{placeholders}` filled. `n` chooses the plural form. */
  t: (key: Key, values?: Values) => string;
  time: (iso: string) => string;
  dayAndTime: (iso: string) => string;
  dateTime: (iso: string) => string;
  number: (value: number, options?: Intl.NumberFormatOptions) => string;
}

export function createTranslator<Key extends string, Language extends string>(
  language: Language,
  messages: Record<Key, Message>,
  plurals: Pick<Intl.PluralRules, 'select'> = new Intl.PluralRules(language),
): Translator<Key, Language> {
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
    dayAndTime: format({ day: 'numeric', month: 'long', hour: 'numeric', minute: '2-digit' }),
    dateTime: format({ dateStyle: 'long', timeStyle: 'short' }),
    number,
  };
}

/** Returns the first preferred language (BCP 47 tags, in order) that is in `known`, ignoring the region. */
export function chooseAmong<Language extends string>(
  known: Record<Language, unknown>,
  wanted: readonly string[],
): Language | undefined {
  const primaries = wanted.map(tag => tag.toLowerCase().split('-')[0]!);
  return primaries.find((primary): primary is Language => Object.hasOwn(known, primary));
}
