import { createContext, useContext } from 'react';
import { Button } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { curlOf, type Request } from '../api/curl.ts';
import { useWords } from '../language.tsx';
import { Icon } from './icon.tsx';
import { useSay } from './toasts.tsx';

/** A request of the API and what it does, in the person's language. */
export interface NamedRequest extends Request {
  label: string;
}

/** Whether this person works with the API: members and owners do, whose keys do the same. */
export const WorksWithApi = createContext(false);

/** How the API does what can be done here: each action as a command line, for the clipboard. Only for people who work with the API. */
export function CurlMenu({ requests }: { requests: readonly NamedRequest[] }) {
  const offered = useContext(WorksWithApi);
  const { t } = useWords();
  const say = useSay();
  const copy = (named: NamedRequest) =>
    void navigator.clipboard.writeText(curlOf(named, location.origin)).then(
      () => say(t('curl.copied', { action: named.label })),
      () => say(t('curl.notCopied')),
    );
  const [only] = requests;
  if (!only || !offered) return null;
  if (requests.length === 1) {
    return (
      <Button className="button plain slim" onPress={() => copy(only)}>
        <Icon name="code" />
        {t('curl.copy')}
      </Button>
    );
  }
  return (
    <MenuTrigger>
      <Button className="button plain slim">
        <Icon name="code" />
        {t('curl.copy')}
        <Icon name="down" />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu" aria-label={t('curl.copy')}>
          {requests.map(named => (
            <MenuItem key={named.label} className="item" textValue={named.label} onAction={() => copy(named)}>
              <Icon name="copy" />
              <span>
                {named.label}
                <code className="item-code">{named.to.split('?')[0]}</code>
              </span>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
