import ar from '@firsthand/capture/messages/ar.json' with { type: 'json' };
import de from '@firsthand/capture/messages/de.json' with { type: 'json' };
import en from '@firsthand/capture/messages/en.json' with { type: 'json' };
import es from '@firsthand/capture/messages/es.json' with { type: 'json' };
import fr from '@firsthand/capture/messages/fr.json' with { type: 'json' };
import hi from '@firsthand/capture/messages/hi.json' with { type: 'json' };
import it from '@firsthand/capture/messages/it.json' with { type: 'json' };
import pl from '@firsthand/capture/messages/pl.json' with { type: 'json' };
import pt from '@firsthand/capture/messages/pt.json' with { type: 'json' };
import tr from '@firsthand/capture/messages/tr.json' with { type: 'json' };
import type { Language } from '@firsthand/contract/base/languages.ts';
import { descriptionIn } from '@firsthand/contract/capture/descriptions.ts';
import { chooseAmong, createTranslator, type Message, type Translator } from '@firsthand/look/translator.ts';
import type { Step } from '@firsthand/sdk/capture';
import { APP_WORDS } from './app-words.ts';
import { PLURALS } from './plural.ts';
import type { PageWordKey, WordKey, Words } from './word-keys.ts';

type Catalogue = Record<PageWordKey, Message>;
const CATALOGUES: Record<Language, Catalogue> = { en, de, fr, es, pt, it, pl, tr, hi, ar };

export interface Texts extends Translator<WordKey, Language> {
  /** What a step asks for, in the best language that it has. */
  describe: (step: Step) => string;
  /** The name of a step: what it asks for, else its kind. */
  nameOf: (step: Step) => string;
}

const KINDS = { text: 'landing.stepText', upload: 'upload.default', image: 'camera.default' } as const;

/** The hosted page's texts in this language, else in the phone's, else in English. */
export function textsIn(wanted: string | undefined, words: Words = {}): Texts {
  const tags = [wanted ?? Intl.DateTimeFormat().resolvedOptions().locale];
  const language = chooseAmong(CATALOGUES, tags) ?? 'en';
  const messages = { ...CATALOGUES[language], ...APP_WORDS[language], ...words };
  const texts = createTranslator<WordKey, Language>(language, messages, { select: PLURALS[language] });
  const describe = (step: Step) => descriptionIn(step, tags);
  return {
    ...texts,
    describe,
    nameOf: step => describe(step) || texts.t(KINDS[step.type]),
    number(value, options) {
      try {
        return texts.number(value, options);
      } catch {
        // Not every Hermes knows units.
        return options?.unit === 'megabyte' ? `${value} MB` : String(value);
      }
    },
  };
}
