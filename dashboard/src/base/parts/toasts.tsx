import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { Icon } from './icon.tsx';

const STAYS_MS = 6_000;
const Say = createContext<(text: string) => void>(() => {});

/** Says that something was done: shown for six seconds, and read out. */
export const useSay = () => useContext(Say);

export function SaidProvider({ children }: { children: ReactNode }) {
  const [said, setSaid] = useState<{ text: string } | null>(null);
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(null), STAYS_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const say = useCallback((text: string) => setSaid({ text }), []);
  return (
    <Say.Provider value={say}>
      {children}
      <div role="status" className="said">
        {said && (
          <p>
            <Icon name="check" />
            {said.text}
          </p>
        )}
      </div>
    </Say.Provider>
  );
}
