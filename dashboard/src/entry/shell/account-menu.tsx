import { THEMES } from '@firsthand/look/theme.ts';
import { useMutation } from '@tanstack/react-query';
import { Button } from 'react-aria-components/Button';
import { Header } from 'react-aria-components/Header';
import { Menu, MenuItem, MenuSection, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { useLocation } from 'wouter';
import { problemText } from '../../base/api/problem-text.ts';
import { LANGUAGES, type Language } from '../../base/dictionaries.ts';
import { useWords } from '../../base/language.tsx';
import { Icon, Marked } from '../../base/parts/icon.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { callName } from '../../base/people.ts';
import { useTheme } from '../../base/theme.ts';
import { signOut } from '../session/me.ts';
import { useSignedIn } from '../session/signed-in.ts';
import { useSwitch } from './mode-switch.tsx';

export function AccountMenu() {
  const words = useWords();
  const { t, language, setLanguage } = words;
  const { tenant, tenants, invitations = [] } = useSignedIn();
  const [theme, setTheme] = useTheme();
  const [, goTo] = useLocation();
  const say = useSay();
  const change = useSwitch();
  const onError = (error: unknown) => say(problemText(words, error));
  const switchTo = (id: string) => change.mutate({ tenant_id: id, livemode: tenant.livemode }, { onError });
  const leave = useMutation({
    mutationFn: () => signOut(false),
    onError,
  });
  return (
    <MenuTrigger>
      <Who />
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
            <Choices
              title={t('account.tenants')}
              chosen={tenant.id}
              choices={tenants.map(({ id, name: label }) => [id, label] as const)}
              onChoose={switchTo}
            />
          )}
          <Choices
            title={t('common.language')}
            chosen={language}
            choices={Object.entries(LANGUAGES) as [Language, string][]}
            onChoose={setLanguage}
          />
          <Choices
            title={t('theme.title')}
            chosen={theme}
            choices={THEMES.map(id => [id, t(`theme.${id}`)] as const)}
            onChoose={setTheme}
          />
          <MenuItem className="item" onAction={() => leave.mutate()}>
            <Icon name="leave" />
            {t('account.signOut')}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

/** The button that opens the menu: who is signed in, and to which account. */
function Who() {
  const { t } = useWords();
  const { person, tenant } = useSignedIn();
  const name = callName(person, t('account.me'));
  return (
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
  );
}

interface ChoicesProps<Id extends string> {
  title: string;
  chosen: Id;
  choices: readonly (readonly [id: Id, label: string])[];
  onChoose: (id: Id) => void;
}

/** A part of the menu of which one is chosen. */
function Choices<Id extends string>({ title, chosen, choices, onChoose }: ChoicesProps<Id>) {
  return (
    <MenuSection
      className="menu-section"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[chosen]}
      onSelectionChange={keys => {
        const [id] = keys as Set<Id>;
        if (id !== undefined && id !== chosen) onChoose(id);
      }}
    >
      <Header>{title}</Header>
      {choices.map(([id, label]) => (
        <MenuItem key={id} id={id} textValue={label} className="item">
          {({ isSelected }) => <Marked on={isSelected}>{label}</Marked>}
        </MenuItem>
      ))}
    </MenuSection>
  );
}
