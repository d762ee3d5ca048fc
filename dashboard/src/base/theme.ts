import { chooseTheme, readTheme, type Theme } from '@firsthand/look/theme.ts';
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();

export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore(listener => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readTheme);
  const setTheme = (next: Theme) => {
    chooseTheme(next);
    for (const listener of listeners) listener();
  };
  return [theme, setTheme];
}
