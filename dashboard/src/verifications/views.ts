import { useCallback, useState } from 'react';
import type { MessageKey } from '../base/i18n.ts';

/** A view of the list: a name for a set of filters. */
export interface View {
  name: string;
  search: string;
}

/** The views that everybody has. */
export const COMMON: readonly { label: MessageKey; search: string }[] = [
  { label: 'view.all', search: '' },
  { label: 'view.doubts', search: '?verdict=suspicious,failed' },
  { label: 'view.waiting', search: '?status=pending,partially_captured,abandoned' },
  { label: 'view.lost', search: '?status=expired,failed' },
];
const MOST = 20;

/** A person's own views, kept in this browser. */
export function useViews(personId: string, tenantId: string) {
  const key = `views:${personId}:${tenantId}`;
  const [views, setViews] = useState<View[]>(() => JSON.parse(localStorage.getItem(key) ?? '[]'));
  const keep = useCallback(
    (next: View[]) => {
      localStorage.setItem(key, JSON.stringify(next));
      setViews(next);
    },
    [key],
  );
  return {
    views,
    full: views.length >= MOST,
    save: (view: View) => keep([...views.filter(old => old.name !== view.name), view].slice(-MOST)),
    remove: (view: View) => keep(views.filter(old => old.name !== view.name)),
  };
}
