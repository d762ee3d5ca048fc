import { useEffect, useState } from 'react';

const BLINK_MS = 700;

/** Turns true and false by turns while there is something to blink to. Starts with false, again for another value. */
export function useBlink(blinkTo: string | false | undefined): boolean {
  const [second, setSecond] = useState(false);
  useEffect(() => {
    setSecond(false);
    if (!blinkTo) return undefined;
    const timer = setInterval(() => setSecond(was => !was), BLINK_MS);
    return () => clearInterval(timer);
  }, [blinkTo]);
  return second;
}
