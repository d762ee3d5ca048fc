// The colours of the dashboard and the guides: the system's, or a choice that both keep for this browser.
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'firsthand-theme';

export const readTheme = (): Theme => THEMES.find(theme => theme === localStorage.getItem(KEY)) ?? 'system';

const known = new WeakSet<CSSMediaRule>();

/** The media rules of the tokens that hold the dark colours. */
function darkRules(): CSSMediaRule[] {
  return [...document.styleSheets].flatMap(sheet =>
    [...sheet.cssRules].filter(
      (rule): rule is CSSMediaRule =>
        rule instanceof CSSMediaRule && (rule.conditionText.includes('prefers-color-scheme') || known.has(rule)),
    ),
  );
}

/** Puts the kept choice in force. The tokens know only the system's; a choice rewrites their media condition. */
export function applyTheme(): void {
  const theme = readTheme();
  for (const rule of darkRules()) {
    known.add(rule);
    rule.media.mediaText = theme === 'system' ? '(prefers-color-scheme: dark)' : theme === 'dark' ? 'all' : 'not all';
  }
  document.documentElement.style.colorScheme = theme === 'system' ? '' : theme;
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  applyTheme();
}
