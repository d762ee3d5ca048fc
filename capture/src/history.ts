import { useEffect, useState } from 'preact/hooks';
import type { Place } from './flow.ts';

const isPlace = (value: unknown): value is Place =>
  typeof value === 'object' && value !== null && typeof (value as Place).at === 'string';

const restored = (): Place | undefined => {
  const place: unknown = history.state?.place;
  return isPlace(place) ? place : undefined;
};

/**
 * Where the person is, kept in the browser's history: Back goes one screen back, a reload stays where it was. Sending
 * and what comes after it leave nothing to go back to.
 */
export function usePlace(): { place: Place; go: (place: Place, replace?: boolean) => void } {
  const [place, setPlace] = useState<Place>(() => restored() ?? { at: 'landing' });

  useEffect(() => {
    const onPop = () => {
      setPlace(current => {
        if (current.at !== 'success') return restored() ?? { at: 'landing' };
        history.pushState({ place: current }, '');
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

/** One entry back, settled once the browser is there: until then a new entry would be what it goes back from. */
export const stepBack = (): Promise<void> =>
  new Promise(resolve => {
    addEventListener('popstate', () => resolve(), { once: true });
    history.back();
  });
