import { Button } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { curlOf, type Request } from '../api/curl.ts';
import { useWords } from '../language.tsx';
import { Icon } from './icon.tsx';
import { useSay } from './toasts.tsx';

export interface Act {
  label: string;
  request: Request;
}

/** How the API does what can be done here: each action as a command line, for the clipboard. */
export function CurlMenu({ acts }: { acts: readonly Act[] }) {
  const { t } = useWords();
  const say = useSay();
  const copy = (act: Act) =>
    void navigator.clipboard.writeText(curlOf(act.request, location.origin)).then(
      () => say(t(act.request.personal ? 'curl.copiedPersonal' : 'curl.copied', { act: act.label })),
      () => say(t('curl.notCopied')),
    );
  const [only] = acts;
  if (!only) return null;
  if (acts.length === 1) {
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
          {acts.map(act => (
            <MenuItem key={act.label} className="item" textValue={act.label} onAction={() => copy(act)}>
              <Icon name="copy" />
              <span>
                {act.label}
                <code className="item-code">
                  {act.request.method} {act.request.path.split('?')[0]}
                </code>
              </span>
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
