import { useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Input } from 'react-aria-components/Input';
import { Menu, MenuItem } from 'react-aria-components/Menu';
import { SearchField } from 'react-aria-components/SearchField';
import { useLocation } from 'wouter';
import { useWords } from '../../base/language.tsx';
import { Dialog } from '../../base/parts/dialog.tsx';
import { Icon, type IconName } from '../../base/parts/icon.tsx';
import { useSignedIn } from '../session/signed-in.ts';
import { pagesFor } from '../shell/pages.ts';
import { useListed } from './shortcuts.ts';
import './keys.css';

interface Command {
  id: string;
  label: string;
  icon: IconName;
  key?: string;
  run: () => void;
}

const ID = /^vfy_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Everything that can be done from here, found by typing. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const [, goTo] = useLocation();
  const shortcuts = useListed();
  const [text, setText] = useState('');
  const wanted = text.trim();
  const commands: Command[] = [
    ...shortcuts.map(
      (shortcut, index): Command => ({
        id: `key-${index}`,
        label: shortcut.label,
        icon: 'keyboard',
        key: shortcut.key,
        run: shortcut.run,
      }),
    ),
    ...pagesFor(tenant.role).map(
      (page): Command => ({
        id: page.path,
        label: t(page.label),
        icon: page.icon,
        run: () => goTo(page.path),
      }),
    ),
  ];
  const found = commands.filter(({ label }) => label.toLocaleLowerCase().includes(wanted.toLocaleLowerCase()));
  const search: Command[] =
    wanted === ''
      ? []
      : ID.test(wanted)
        ? [
            {
              id: 'open',
              label: t('palette.open', { id: wanted }),
              icon: 'list',
              run: () => goTo(`/verifications/${wanted}`),
            },
          ]
        : [
            {
              id: 'search',
              label: t('palette.search', { q: wanted }),
              icon: 'search',
              run: () => goTo(`/verifications?${new URLSearchParams({ q: wanted })}`),
            },
          ];
  return (
    <Dialog title={t('palette.title')} onClose={onClose}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField aria-label={t('palette.label')} autoFocus className="palette-field">
          <Input className="input" placeholder={t('palette.hint')} />
        </SearchField>
        <Menu
          className="menu"
          aria-label={t('palette.title')}
          items={[...found, ...search]}
          onAction={id => {
            const command = [...found, ...search].find(one => one.id === id);
            onClose();
            command?.run();
          }}
        >
          {command => (
            <MenuItem id={command.id} className="item" textValue={command.label}>
              <Icon name={command.icon} />
              {command.label}
              {command.key !== undefined && <kbd>{command.key}</kbd>}
            </MenuItem>
          )}
        </Menu>
      </Autocomplete>
    </Dialog>
  );
}
