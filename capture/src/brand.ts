import { AA_CONTRAST, contrast, legible } from '@firsthand/contract/base/color.ts';
import { HEX_COLOR } from '@firsthand/contract/base/patterns.ts';
import type { Brand } from '@firsthand/sdk/capture/wire.ts';

const LIGHT_GROUND = '#f7f9fa';
const DARK_GROUND = '#0c1116';

/** Replaces our accent with the brand's, adjusted to be legible in light and dark mode. */
export function applyBrand(brand: Brand | undefined): (() => void) | undefined {
  const accent = brand?.colors?.accent;
  if (!accent || !new RegExp(HEX_COLOR).test(accent)) return undefined;
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const style = document.documentElement.style;
  const apply = () => {
    const colour = legible(accent, dark.matches ? DARK_GROUND : LIGHT_GROUND);
    style.setProperty('--accent', colour);
    style.setProperty('--accent-hover', `color-mix(in oklab, ${colour} 88%, ${dark.matches ? 'white' : 'black'})`);
    style.setProperty('--accent-text', colour);
    style.setProperty('--accent-ink', contrast(colour, '#ffffff') >= AA_CONTRAST ? '#ffffff' : DARK_GROUND);
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
