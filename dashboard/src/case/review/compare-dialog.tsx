import type { Capture } from '@firsthand/contract/verification/verification.ts';
import { useState } from 'react';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Dialog } from '../../base/parts/dialog.tsx';
import { Compared } from '../compare/compared.tsx';

interface CompareDialogProps {
  captures: readonly Capture[];
  at: number;
  onClose: () => void;
}

/** The photo at hand beside another of the case, over the case: it stays claimed. */
export default function CompareDialog({ captures, at, onClose }: CompareDialogProps) {
  const { t } = useWords();
  // The next photo; the last one has the one before.
  const [other, setOther] = useState(at + 1 < captures.length ? at + 1 : at - 1);
  const [first, second] = [captures[at], captures[other]];
  if (!first || !second) return null;
  return (
    <Dialog title={t('page.compare')} onClose={onClose} wide>
      {captures.length > 2 && (
        <label className="queue">
          <span>{t('compare.second')}</span>
          <select className="input" value={other} onChange={event => setOther(Number(event.target.value))}>
            {captures.map((capture, index) =>
              index === at ? null : (
                <option key={capture.id} value={index}>
                  {t('photo.name', { n: index + 1, of: captures.length, step: capture.step_key })}
                </option>
              ),
            )}
          </select>
        </label>
      )}
      <Compared key={second.id} first={first} second={second} />
      <div className="actions">
        <Button onPress={onClose}>{t('common.close')}</Button>
      </div>
    </Dialog>
  );
}
