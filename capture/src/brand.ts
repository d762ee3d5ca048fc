import { AA_CONTRAST, contrast, legible } from '@firsthand/contract/base/color.ts';
import { HEX_COLOR } from '@firsthand/contract/base/patterns.ts';
import type { Brand } from '@firsthand/sdk/capture/wire.ts';

export const LIGHT_GROUND = '#f7f9fa';
export const DARK_GROUND = '#0c1116';

/** The brand's accent as it is legible in light or dark mode, and the ink on it. Undefined without a colour of the form `#rrggbb`. */
export function accentOf(brand: Brand | undefined, dark: boolean): { accent: string; ink: string } | undefined {
  const wanted = brand?.colors?.accent;
  if (!wanted || !new RegExp(HEX_COLOR).test(wanted)) return undefined;
  const accent = legible(wanted, dark ? DARK_GROUND : LIGHT_GROUND);
  return { accent, ink: contrast(accent, '#ffffff') >= AA_CONTRAST ? '#ffffff' : DARK_GROUND };
}

/** Replaces our accent with the brand's, adjusted to be legible in light and dark mode. */
export function applyBrand(brand: Brand | undefined): (() => void) | undefined {
  if (!accentOf(brand, false)) return undefined;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const style = document.documentElement.style;
  const apply = () => {
    const { accent: colour = '', ink = '' } = accentOf(brand, dark.matches) ?? {};
    style.setProperty('--accent', colour);
    style.setProperty('--accent-hover', `color-mix(in oklab, ${colour} 88%, ${dark.matches ? 'white' : 'black'})`);
    style.setProperty('--accent-text', colour);
    style.setProperty('--accent-ink', ink);
    style.setProperty('--accent-soft', `color-mix(in oklab, ${colour} 14%, ${dark.matches ? DARK_GROUND : 'white'})`);
  };
  apply();
  dark.addEventListener('change', apply);
  return () => {
    dark.removeEventListener('change', apply);
    for (const name of ['--accent', '--accent-hover', '--accent-text', '--accent-ink', '--accent-soft']) {
      style.removeProperty(name);
    }
  };
}
