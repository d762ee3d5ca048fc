/** The languages in which people are asked for photos, each by its own name, in the order of a list. */
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
export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as Language[];

/** The language of a BCP 47 tag, whatever its region; undefined where it is none of ours. */
export function languageOf(tag: string): Language | undefined {
  const primary = tag.toLowerCase().split('-')[0]!;
  return Object.hasOwn(LANGUAGES, primary) ? (primary as Language) : undefined;
}
