import { lazy, Suspense, useEffect, useState } from 'react';
import { useWords } from '../../base/language.tsx';
import { useShortcuts } from '../keys/shortcuts.ts';

const Palette = lazy(() => import('../keys/palette.tsx'));
const KeyList = lazy(() => import('../keys/key-list.tsx'));

/** The keys of every page: the palette and the list of keys. */
export function GlobalKeys() {
  const { t } = useWords();
  const [open, setOpen] = useState<'palette' | 'keys' | null>(null);
  useShortcuts([{ key: '?', label: t('keys.title'), run: () => setOpen('keys') }]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k')
        return;
      event.preventDefault();
      setOpen(was => (was === 'palette' ? null : 'palette'));
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, []);
  const close = () => setOpen(null);
  return (
    <Suspense>
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'keys' && <KeyList onClose={close} />}
    </Suspense>
  );
}
