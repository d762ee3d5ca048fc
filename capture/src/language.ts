import { descriptionIn } from '@firsthand/contract/capture/descriptions.ts';
import { useEffect, useState } from 'preact/hooks';
import { askedLanguage } from './embedding.ts';
import { chooseLanguage, isLanguage, type Language, loadTranslator, type Translator } from './i18n.ts';
import type { PageContext } from './page-context.ts';

const KEY = 'firsthand-language';

/** The language that the person chose on this device, if any. */
function chosen(): string[] {
  try {
    const value = localStorage.getItem(KEY);
    return value && isLanguage(value) ? [value] : [];
  } catch {
    return [];
  }
}

/** Returns the page's language: the person's earlier choice, else what the page around asks for, else the browser's, else English. Sets `lang` and `dir` of the document. */
export function useLanguage(): {
  translator: Translator | undefined;
  setLanguage: (language: Language) => void;
  describe: PageContext['describe'];
} {
  const [translator, setTranslator] = useState<Translator>();
  // The page may not speak the person's first language, but the request may.
  const [wanted, setWanted] = useState(() => [...chosen(), ...askedLanguage(), ...navigator.languages]);
  const use = async (language: Language) => {
    const next = await loadTranslator(language);
    document.documentElement.lang = next.language;
    document.documentElement.dir = next.direction;
    setTranslator(next);
  };
  useEffect(() => {
    void use(chooseLanguage(wanted));
  }, []);
  const setLanguage = (language: Language) => {
    try {
      localStorage.setItem(KEY, language);
    } catch {
      // The browser refuses storage, so the choice lasts for this visit only.
    }
    setWanted([language]);
    void use(language);
  };
  const tags = [...wanted.slice(0, 1), ...(translator ? [translator.language] : [])];
  return { translator, setLanguage, describe: step => descriptionIn(step, tags) };
}
