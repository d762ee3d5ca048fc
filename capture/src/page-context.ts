import type { Brand, Step } from '@firsthand/sdk/capture/wire.ts';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Language, Translator } from './i18n.ts';
import type { Platform } from './platform.ts';

/** Context for every screen: translations, brand, platform. */
export type PageContext = Translator & {
  setLanguage: (language: Language) => void;
  /** What a step asks for, in the person's language where the request has it. Empty where it says nothing. */
  describe: (step: Step) => string;
  brand: Brand | undefined;
  /** A stranger made the request, to try the service. Each screen says so. */
  trial: boolean;
  platform: Platform;
  /** Announces a text to screen readers without moving the focus. */
  announce: (text: string) => void;
};

export const Page = createContext<PageContext>(undefined as unknown as PageContext);
export const usePage = (): PageContext => useContext(Page);
