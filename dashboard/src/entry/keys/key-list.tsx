import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Switch } from '../../base/parts/choice.tsx';
import { Dialog } from '../../base/parts/dialog.tsx';
import { switchSingleKeys, useListed, useSingleKeys } from './shortcuts.ts';
import './keys.css';

/** Every key that works here, and the switch that turns single keys off. */
export default function KeyList({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const shortcuts = useListed();
  const on = useSingleKeys();
  const command = /Mac|iP(hone|ad)/.test(navigator.platform) ? '⌘' : 'Ctrl';
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
      <dl className="keys">
        <div>
          <dt>
            <kbd>{command}</kbd> <kbd>K</kbd>
          </dt>
          <dd>{t('keys.palette')}</dd>
        </div>
        {shortcuts.map(({ key, label }) => (
          <div key={`${key} ${label}`}>
            <dt>
              <kbd>{key.replace('ArrowLeft', '←').replace('ArrowRight', '→')}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
      <Switch label={t('keys.single')} on={on} onChange={on => switchSingleKeys(on)} />
      <p className="soft small">{t('keys.singleHint')}</p>
      <div className="actions">
        <Button weight="main" onPress={onClose}>
          {t('common.done')}
        </Button>
      </div>
    </Dialog>
  );
}
