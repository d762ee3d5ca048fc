import { THEMES, type Theme } from '@firsthand/look/theme.ts';
import { useMutation } from '@tanstack/react-query';
import { Button } from 'react-aria-components/Button';
import { Header } from 'react-aria-components/Header';
import { Menu, MenuItem, MenuSection, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { useLocation } from 'wouter';
import { problemText } from '../../base/api/problem-text.ts';
import { LANGUAGES, type Language } from '../../base/i18n.ts';
import { useWords } from '../../base/language.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { callName } from '../../base/people.ts';
import { useTheme } from '../../base/theme.ts';
import { signOut } from '../session/me.ts';
import { useSignedIn } from '../session/signed-in.ts';
import { useSwitch } from './mode-switch.tsx';

export function AccountMenu() {
  const words = useWords();
  const { t, language, setLanguage } = words;
  const { person, tenant, tenants, invitations = [] } = useSignedIn();
  const [theme, setTheme] = useTheme();
  const [, goTo] = useLocation();
  const say = useSay();
  const change = useSwitch();
  const leave = useMutation({
    mutationFn: () => signOut(false),
    onError: error => say(problemText(words, error)),
  });
  const name = callName(person, t('account.me'));
  return (
    <MenuTrigger>
      <Button className="button plain who">
        <span className="unseen">{t('frame.accountMenu')}</span>
        <span className="avatar" aria-hidden="true">
          {[...name.replace('+', '')][0]?.toUpperCase()}
        </span>
        <span className="who-name">
          <span>{name}</span>
          <span className="soft small">{tenant.name}</span>
        </span>
        <Icon name="down" />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu" aria-label={t('frame.accountMenu')}>
          <MenuItem className="item" onAction={() => goTo('/account')}>
            <Icon name="person" />
            {t('page.account')}
            {invitations.length > 0 && (
              <span className="tag">{t('account.invitationsWait', { n: invitations.length })}</span>
            )}
          </MenuItem>
          {tenants.length > 1 && (
            <MenuSection
              className="menu-section"
              selectionMode="single"
              disallowEmptySelection
              selectedKeys={[tenant.id]}
              onSelectionChange={keys => {
                const [id] = keys as Set<string>;
                if (id !== undefined && id !== tenant.id) {
                  change.mutate(
                    { tenant_id: id, livemode: tenant.livemode },
                    { onError: error => say(problemText(words, error)) },
                  );
                }
              }}
            >
              <Header>{t('account.tenants')}</Header>
              {tenants.map(({ id, name: label }) => (
                <Choice key={id} id={id} label={label} />
              ))}
            </MenuSection>
          )}
          <MenuSection
            className="menu-section"
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[language]}
            onSelectionChange={keys => setLanguage([...(keys as Set<Language>)][0] ?? language)}
          >
            <Header>{t('common.language')}</Header>
            {(Object.entries(LANGUAGES) as [Language, string][]).map(([tag, label]) => (
              <Choice key={tag} id={tag} label={label} />
            ))}
          </MenuSection>
          <MenuSection
            className="menu-section"
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[theme]}
            onSelectionChange={keys => setTheme([...(keys as Set<Theme>)][0] ?? theme)}
          >
            <Header>{t('theme.title')}</Header>
            {THEMES.map(id => (
              <Choice key={id} id={id} label={t(`theme.${id}`)} />
            ))}
          </MenuSection>
          <MenuItem className="item" onAction={() => leave.mutate()}>
            <Icon name="leave" />
            {t('account.signOut')}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

const Choice = ({ id, label }: { id: string; label: string }) => (
  <MenuItem id={id} textValue={label} className="item">
    {({ isSelected }) => (
      <>
        <span className="mark">{isSelected && <Icon name="check" />}</span>
        {label}
      </>
    )}
  </MenuItem>
);
