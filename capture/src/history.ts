import { useEffect, useState } from 'preact/hooks';
import { isFramed } from './embedding.ts';
import type { Place } from './flow.ts';

const isPlace = (value: unknown): value is Place =>
  typeof value === 'object' && value !== null && typeof (value as Place).at === 'string';

const restored = (): Place | undefined => {
  const place: unknown = history.state?.place;
  return isPlace(place) ? place : undefined;
};

/**
 * Keeps the person's place in the browser's history: Back returns to the previous screen, and a reload keeps the place. From sending on,
 * Back leads nowhere.
 */
export function usePlace(): { place: Place; go: (place: Place, replace?: boolean) => void } {
  const [place, setPlace] = useState<Place>(() => restored() ?? { at: 'landing' });

  useEffect(() => {
    const onPop = () => {
      setPlace(current => {
        if (current.at !== 'success') return restored() ?? { at: 'landing' };
        // In a frame the entries belong to the page around: Back walks through them and out of that page.
        if (!isFramed) history.pushState({ place: current }, '');
        return current;
      });
    };
    addEventListener('popstate', onPop);
    return () => removeEventListener('popstate', onPop);
  }, []);

  const go = (next: Place, replace = false) => {
    history[replace ? 'replaceState' : 'pushState']({ place: next }, '');
    setPlace(next);
  };
  return { place, go };
}

/** Goes back one entry. Resolves when the browser has done so: a new entry added earlier would be the one it leaves. */
export const stepBack = (): Promise<void> =>
  new Promise(resolve => {
    addEventListener('popstate', () => resolve(), { once: true });
    history.back();
  });
