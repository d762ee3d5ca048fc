import { useEffect, useState } from 'preact/hooks';
import { askedLanguage } from './embedding.ts';
import { chooseLanguage, isLanguage, type Language, loadTranslator, type Translator } from './i18n.ts';

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
export function useLanguage(): { translator: Translator | undefined; setLanguage: (language: Language) => void } {
  const [translator, setTranslator] = useState<Translator>();
  const use = async (language: Language) => {
    const next = await loadTranslator(language);
    document.documentElement.lang = next.language;
    document.documentElement.dir = next.direction;
    setTranslator(next);
  };
  useEffect(() => {
    void use(chooseLanguage([...chosen(), ...askedLanguage(), ...navigator.languages]));
  }, []);
  const setLanguage = (language: Language) => {
    try {
      localStorage.setItem(KEY, language);
    } catch {
      // The browser refuses storage, so the choice lasts for this visit only.
    }
    void use(language);
  };
  return { translator, setLanguage };
}
