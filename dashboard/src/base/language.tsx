import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import type { Language } from './dictionaries.ts';
import { keepLanguage, loadTranslator, preferredLanguage, type Translator } from './i18n.ts';

const Words = createContext<(Translator & { setLanguage: (language: Language) => void }) | null>(null);

let first: Translator | undefined;

/** Loads the person's language before anything is rendered. */
export async function loadLanguage(): Promise<void> {
  first = await loadTranslator(preferredLanguage());
}

/** The words of the page in the person's language, and the switch of it. */
export function useWords() {
  const words = useContext(Words);
  if (!words) throw new Error('useWords outside of LanguageProvider');
  return words;
}

export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(preferredLanguage);
  const [translator, setTranslator] = useState(first);
  const shown = translator?.language;
  useEffect(() => {
    if (shown !== undefined) document.documentElement.lang = shown;
    if (shown === language) return undefined;
    let wanted = true;
    void loadTranslator(language).then(loaded => {
      if (wanted) setTranslator(loaded);
    });
    return () => {
      wanted = false;
    };
  }, [language, shown]);
  const words = useMemo(
    () =>
      translator && {
        ...translator,
        setLanguage: (next: Language) => {
          keepLanguage(next);
          setLanguage(next);
        },
      },
    [translator],
  );
  if (!words) return null;
  return (
    <Words.Provider value={words}>
      <I18nProvider locale={words.language}>{children}</I18nProvider>
    </Words.Provider>
  );
}
