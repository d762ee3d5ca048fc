import { useSyncExternalStore } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'firsthand-theme';
const listeners = new Set<() => void>();
const read = (): Theme => THEMES.find(theme => theme === localStorage.getItem(KEY)) ?? 'system';

/** The media rules of the tokens that hold the dark colours. */
function darkRules(): CSSMediaRule[] {
  return [...document.styleSheets].flatMap(sheet =>
    [...sheet.cssRules].filter(
      (rule): rule is CSSMediaRule =>
        rule instanceof CSSMediaRule && (rule.conditionText.includes('prefers-color-scheme') || known.has(rule)),
    ),
  );
}
const known = new WeakSet<CSSMediaRule>();

/** Puts the chosen theme in force. The tokens know only the system's; a choice rewrites their media condition. */
export function applyTheme(): void {
  const theme = read();
  for (const rule of darkRules()) {
    known.add(rule);
    rule.media.mediaText = theme === 'system' ? '(prefers-color-scheme: dark)' : theme === 'dark' ? 'all' : 'not all';
  }
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(listener => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, read);
  const setTheme = (next: Theme) => {
    localStorage.setItem(KEY, next);
    applyTheme();
    for (const listener of listeners) listener();
  };
  return [theme, setTheme];
}
