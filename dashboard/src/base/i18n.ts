import { chooseAmong, createTranslator, type Message, type Translator as Shared } from '@firsthand/look/translator.ts';
import { type Area, LANGUAGES, type Language } from './dictionaries.ts';
import english from './messages/en/base.json' with { type: 'json' };

type Keys<Dictionary> = Extract<keyof Dictionary, string>;
export type MessageKey =
  | Keys<typeof english>
  | Keys<typeof import('./messages/en/cases.json')>
  | Keys<typeof import('./messages/en/lists.json')>
  | Keys<typeof import('./messages/en/requests.json')>
  | Keys<typeof import('./messages/en/outcomes.json')>
  | Keys<typeof import('./messages/en/account.json')>;
type Messages = Partial<Record<MessageKey, Message>>;
export type Translator = Shared<MessageKey, Language>;

const KEY = 'firsthand-language';
const files = import.meta.glob<Messages>(['./messages/*/*.json', '!./messages/en/base.json'], { import: 'default' });

/** The person's own choice on this device, else the browser's first language that there is a dictionary for. */
export function preferredLanguage(): Language {
  return chooseAmong(LANGUAGES, [localStorage.getItem(KEY) ?? '', ...navigator.languages]) ?? 'en';
}

export const keepLanguage = (language: Language): void => localStorage.setItem(KEY, language);

/** The words that are loaded of each language. A translator reads them, so it knows a page's words as soon as they are there. */
const loaded = new Map<Language, Messages>([['en', { ...english }]]);
const areasWanted = new Set<Area>();
let shown: Language | undefined;

async function loadArea(language: Language, area: Area): Promise<void> {
  if (language === 'en' && area === 'base') return;
  const messages = await files[`./messages/${language}/${area}.json`]!();
  loaded.set(language, Object.assign(loaded.get(language) ?? {}, messages));
}

/** Loads the words of a page, in the person's language and in the one that is still shown. */
export async function loadWords(areas: readonly Area[]): Promise<void> {
  for (const area of areas) areasWanted.add(area);
  const languages = new Set([preferredLanguage(), shown ?? preferredLanguage()]);
  await Promise.all([...languages].flatMap(language => areas.map(area => loadArea(language, area))));
}

/** Loads a language: every part that a page has needed so far. Where that fails (offline), English stands in. */
export async function loadTranslator(language: Language): Promise<Translator> {
  const load = (of: Language) =>
    Promise.all(['base' as const, ...areasWanted].map(area => loadArea(of, area))).then(() => of);
  shown = await load(language).catch(() => load('en'));
  return createTranslator(shown, loaded.get(shown) as Record<MessageKey, Message>);
}
