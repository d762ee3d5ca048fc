import { applyTheme, chooseTheme, readTheme, THEMES, type Theme } from '@firsthand/look/theme.ts';

const NAMES: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' };

/** Lets readers choose light or dark. The dashboard of this browser follows. */
export function offerThemes(): void {
  applyTheme();
  const select = document.querySelector<HTMLSelectElement>('.theme select')!;
  for (const theme of THEMES) select.add(new Option(NAMES[theme], theme));
  select.value = readTheme();
  select.addEventListener('change', () => chooseTheme(select.value as Theme));
  select.closest<HTMLElement>('.theme')!.hidden = false;
}
