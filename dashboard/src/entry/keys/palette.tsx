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

/** The keys and pages whose name has what was typed, and what it may be the id of or searched for as. */
function useCommands(text: string): Command[] {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const [, goTo] = useLocation();
  const wanted = text.trim();
  const keys = useListed().map(
    ({ label, key, run }, index): Command => ({
      id: `key-${index}`,
      label,
      icon: 'keyboard',
      key,
      run,
    }),
  );
  const pages = pagesFor(tenant.role).map(
    ({ path, label, icon }): Command => ({
      id: path,
      label: t(label),
      icon,
      run: () => goTo(path),
    }),
  );
  const found = [...keys, ...pages].filter(({ label }) =>
    label.toLocaleLowerCase().includes(wanted.toLocaleLowerCase()),
  );
  if (wanted === '') return found;
  if (ID.test(wanted)) {
    const open = () => goTo(`/verifications/${wanted}`);
    return [...found, { id: 'open', label: t('palette.open', { id: wanted }), icon: 'list', run: open }];
  }
  const search = () => goTo(`/verifications?${new URLSearchParams({ q: wanted })}`);
  return [...found, { id: 'search', label: t('palette.search', { q: wanted }), icon: 'search', run: search }];
}

/** Everything that can be done from here, found by typing. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const [text, setText] = useState('');
  const commands = useCommands(text);
  return (
    <Dialog title={t('palette.title')} onClose={onClose}>
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField aria-label={t('palette.label')} autoFocus className="palette-field">
          <Input className="input" placeholder={t('palette.hint')} />
        </SearchField>
        <Menu
          className="menu"
          aria-label={t('palette.title')}
          items={commands}
          onAction={id => {
            const command = commands.find(one => one.id === id);
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
