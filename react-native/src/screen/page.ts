import type { DeviceLocation, ProgressReport } from '@firsthand/sdk/capture';
import { createContext, useContext } from 'react';
import type { Camera } from '../camera.tsx';
import type { PhotoStep } from '../capture.ts';
import type { Gyroscope } from '../film.ts';
import type { Theme } from '../theme.ts';
import type { CaptureHook } from '../use-capture.ts';
import type { Texts } from '../words.ts';

type ProgressStep = ProgressReport['step'];

/** What every part of the screen needs. */
export interface Page {
  capture: CaptureHook;
  texts: Texts;
  theme: Theme;
  camera: Camera;
  gyroscope: Gyroscope | undefined;
  pick: (step: PhotoStep, most: number) => Promise<string[]>;
  /** Tells the service where the person is. */
  report: (step: ProgressStep) => void;
  /** The person leaves: ends with `cancelled`. */
  leave: () => void;
  /** Where the phone is, if the request asks for it. Asks once. */
  locate: () => Promise<DeviceLocation | undefined>;
}

const PageContext = createContext<Page | null>(null);
export const PageProvider = PageContext.Provider;

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('Use this inside <FirsthandCapture>.');
  return page;
}
