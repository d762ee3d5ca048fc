import type { Capture } from '@firsthand/contract/verification/verification.ts';
import { useState } from 'react';
import { useWords } from '../../base/language.tsx';
import { Locked, type Way } from './locked.tsx';
import './compare.css';

const WAYS = ['side', 'swipe', 'blink'] as const;

/** Two photos under one view, side by side, one over the other, or in turns. */
export function Compared({ first, second }: { first: Capture; second: Capture }) {
  const { t } = useWords();
  const [way, setWay] = useState<Way>('side');
  return (
    <>
      <fieldset className="ways-line">
        <legend className="unseen">{t('compare.way')}</legend>
        {WAYS.map(one => (
          <label key={one} className="switch">
            <input type="radio" name="way" checked={way === one} onChange={() => setWay(one)} />
            <span>{t(`compare.${one}`)}</span>
          </label>
        ))}
      </fieldset>
      <Locked first={first} second={second} way={way} />
    </>
  );
}
