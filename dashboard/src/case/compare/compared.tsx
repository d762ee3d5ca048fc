import type { Capture } from '@firsthand/contract/verification/verification.ts';
import { useState } from 'react';
import { useWords } from '../../base/language.tsx';
import { Choice } from '../../base/parts/choice.tsx';
import { Locked, type Way } from './locked.tsx';
import './compare.css';

const WAYS = ['side', 'swipe', 'blink'] as const;

/** Two photos under one view, side by side, one over the other, or in turns. */
export function Compared({ first, second }: { first: Capture; second: Capture }) {
  const { t } = useWords();
  const [way, setWay] = useState<Way>('side');
  return (
    <>
      <Choice
        name="way"
        label={t('compare.way')}
        hideLabel
        look="ways-line"
        values={WAYS}
        nameOf={one => t(`compare.${one}`)}
        chosen={way}
        onChange={setWay}
      />
      <Locked first={first} second={second} way={way} />
    </>
  );
}
