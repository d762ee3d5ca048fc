import { useCallback, useState } from 'react';

/**
 * What was typed into a form, kept in this tab for the same person until it is sent: signing in again loses nothing.
 * Returns what was kept, a function that keeps, and one that forgets.
 */
export function useDraft<Values extends object>(personId: string, form: string, empty: Values) {
  const key = `draft:${personId}:${form}`;
  const [kept] = useState<Values>(() => ({ ...empty, ...JSON.parse(sessionStorage.getItem(key) ?? '{}') }));
  const keep = useCallback((values: Partial<Values>) => sessionStorage.setItem(key, JSON.stringify(values)), [key]);
  const forget = useCallback(() => sessionStorage.removeItem(key), [key]);
  return { kept, keep, forget };
}
