import type { Language } from '@firsthand/contract/base/languages.ts';
import { descriptionIn } from '@firsthand/contract/capture/descriptions.ts';
import { chooseAmong, createTranslator, type Message, type Translator } from '@firsthand/look/translator.ts';
import type { Step } from '@firsthand/sdk/capture';
import { useEffect, useState } from 'react';
import type { WordKey } from './word-keys.ts';

type Catalogue = Record<WordKey, Message>;
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
export interface Texts extends Translator<WordKey, Language> {
  /** What a step asks for, in the best language that it has. */
  describe: (step: Step) => string;
}

/** The hosted page's texts in this language, else in one that the browser asks for, else in English. Null on a server and until they are there. */
export function useTexts(wanted: string | undefined): Texts | null {
  const [texts, setTexts] = useState<Texts | null>(null);
  useEffect(() => {
    let current = true;
    const tags = wanted ? [wanted] : navigator.languages;
    const language = chooseAmong(CATALOGUES, tags) ?? 'en';
    const take = (messages: { default: Catalogue }, of: Language) => {
      if (current) setTexts({ ...createTranslator(of, messages.default), describe: step => descriptionIn(step, tags) });
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
