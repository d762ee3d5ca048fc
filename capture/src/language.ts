import { useEffect, useState } from 'preact/hooks';
import { chooseLanguage, isLanguage, type Language, loadTranslator, type Translator } from './i18n.ts';

const KEY = 'firsthand-language';

/** The person's own choice, if one was made on this device. */
function chosen(): string[] {
  try {
    const value = localStorage.getItem(KEY);
    return value && isLanguage(value) ? [value] : [];
  } catch {
    return [];
  }
}

/** The language of the page: chosen before, else the browser's, else English. Sets `lang` and `dir` of the document. */
export function useLanguage(): { translator: Translator | undefined; setLanguage: (language: Language) => void } {
  const [translator, setTranslator] = useState<Translator>();
  const use = async (language: Language) => {
    const next = await loadTranslator(language);
    document.documentElement.lang = next.language;
    document.documentElement.dir = next.direction;
    setTranslator(next);
  };
  useEffect(() => {
    void use(chooseLanguage([...chosen(), ...navigator.languages]));
  }, []);
  const setLanguage = (language: Language) => {
    try {
      localStorage.setItem(KEY, language);
    } catch {
      // Storage is refused: the choice holds for this visit.
    }
    void use(language);
  };
  return { translator, setLanguage };
}
