import { accentOf, DARK_GROUND, LIGHT_GROUND } from '@firsthand/capture/brand.ts';
import type { CaptureView } from '@firsthand/sdk/capture';

export interface Theme {
  ground: string;
  card: string;
  ink: string;
  soft: string;
  line: string;
  fault: string;
  accent: string;
  /** Text on the accent. */
  accentInk: string;
}

const LIGHT: Theme = {
  ground: LIGHT_GROUND,
  card: '#ffffff',
  ink: '#14202b',
  soft: '#52606d',
  line: '#7b8794',
  fault: '#b42318',
  accent: '#0f766e',
  accentInk: '#ffffff',
};
const DARK: Theme = {
  ground: DARK_GROUND,
  card: '#161d24',
  ink: '#eef2f5',
  soft: '#a6b1bb',
  line: '#6b7784',
  fault: '#ff9b8e',
  accent: '#2dd4bf',
  accentInk: DARK_GROUND,
};

/** The colours of the screen, with the brand's accent as it is legible on them. */
export function themeOf(dark: boolean, brand: CaptureView['brand']): Theme {
  const own = accentOf(brand, dark);
  const theme = dark ? DARK : LIGHT;
  return own ? { ...theme, accent: own.accent, accentInk: own.ink } : theme;
}
