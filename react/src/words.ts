import { chooseAmong, createTranslator, type Message, type Translator } from '@firsthand/look/translator.ts';
import { useEffect, useState } from 'react';
import type { WordKey } from './word-keys.ts';

type Catalogue = Record<WordKey, Message>;
type Language = 'en' | 'de' | 'fr' | 'es' | 'pt' | 'it' | 'pl' | 'tr' | 'hi' | 'ar';
const CATALOGUES: Record<Language, () => Promise<{ default: Catalogue }>> = {
  en: () => import('@firsthand/capture/messages/en.json', { with: { type: 'json' } }),
  de: () => import('@firsthand/capture/messages/de.json', { with: { type: 'json' } }),
  fr: () => import('@firsthand/capture/messages/fr.json', { with: { type: 'json' } }),
  es: () => import('@firsthand/capture/messages/es.json', { with: { type: 'json' } }),
  pt: () => import('@firsthand/capture/messages/pt.json', { with: { type: 'json' } }),
  it: () => import('@firsthand/capture/messages/it.json', { with: { type: 'json' } }),
  pl: () => import('@firsthand/capture/messages/pl.json', { with: { type: 'json' } }),
  tr: () => import('@firsthand/capture/messages/tr.json', { with: { type: 'json' } }),
  hi: () => import('@firsthand/capture/messages/hi.json', { with: { type: 'json' } }),
  ar: () => import('@firsthand/capture/messages/ar.json', { with: { type: 'json' } }),
};
export type Texts = Translator<WordKey, Language>;

/** The hosted page's texts in this language, else in one that the browser asks for, else in English. Null on a server and until they are there. */
export function useTexts(wanted: string | undefined): Texts | null {
  const [texts, setTexts] = useState<Texts | null>(null);
  useEffect(() => {
    let current = true;
    const language = chooseAmong(CATALOGUES, wanted ? [wanted] : navigator.languages) ?? 'en';
    const take = (messages: { default: Catalogue }, of: Language) => {
      if (current) setTexts(createTranslator(of, messages.default));
    };
    CATALOGUES[language]().then(
      messages => take(messages, language),
      () => CATALOGUES.en().then(messages => take(messages, 'en')),
    );
    return () => {
      current = false;
    };
  }, [wanted]);
  return texts;
}
