/** The languages of the dashboard: each has a folder of messages. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof LANGUAGES;

/** The parts of a dictionary. `base` has the words of the frame and of the sign-in page, and what several pages share. */
export type Area = 'base' | 'cases' | 'lists' | 'requests' | 'outcomes' | 'account';
