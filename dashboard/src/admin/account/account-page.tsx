import type { Me } from '@firsthand/contract/people/people.ts';
import type { ReactNode } from 'react';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { PageTitle } from '../../base/parts/page.tsx';
import { Section } from '../../base/parts/section.tsx';
import { Facts, Tag } from '../../base/parts/shown.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { useSwitch } from '../../entry/shell/mode-switch.tsx';
import { Passkeys } from './passkeys.tsx';
import { Sessions } from './sessions.tsx';

export default function AccountPage() {
  const { t } = useWords();
  return (
    <>
      <PageTitle>{t('page.account')}</PageTitle>
      <Myself />
      <Passkeys />
      <Sessions />
    </>
  );
}

/** My name, how I am known, and the accounts I belong to. */
function Myself() {
  const { t } = useWords();
  const { person, tenant, tenants, invitations = [] } = useSignedIn();
  const change = useSwitch();
  const facts = [
    [t('account.name'), person.name],
    [t('account.email'), person.email],
    [t('account.phone'), person.phone_e164],
  ].filter((fact): fact is [string, string] => fact[1] !== undefined);
  return (
    <Section title={t('account.me')}>
      <Facts facts={facts} />
      <h3>{t('account.tenants')}</h3>
      <ul className="rows">
        {tenants.map(one => (
          <AccountRow key={one.id} account={one}>
            {one.id === tenant.id ? (
              <Tag look={['check', 'verified']}>{t('account.here')}</Tag>
            ) : (
              <Go to={one} change={change} label={t('account.switchTo', { name: one.name })}>
                {t('account.switch')}
              </Go>
            )}
          </AccountRow>
        ))}
      </ul>
      {invitations.length > 0 && (
        <>
          <h3>{t('account.invitations')}</h3>
          <p className="soft">{t('account.invitationsText')}</p>
          <ul className="rows">
            {invitations.map(one => (
              <AccountRow key={one.id} account={one}>
                <Go to={one} change={change} label={t('account.acceptNamed', { name: one.name })}>
                  {t('account.accept')}
                </Go>
              </AccountRow>
            ))}
          </ul>
        </>
      )}
      <Problem error={change.error} />
    </Section>
  );
}

type Account = Pick<Me['tenants'][number], 'id' | 'name' | 'role'>;

function AccountRow({ account: { name, role }, children }: { account: Account; children: ReactNode }) {
  const { t } = useWords();
  return (
    <li className="row">
      <div className="row-main">
        <span className="row-name line">{name}</span>
        <span className="soft small">{t(`role.${role}`)}</span>
      </div>
      {children}
    </li>
  );
}

interface GoProps {
  to: Account;
  change: ReturnType<typeof useSwitch>;
  label: string;
  children: string;
}

/** Switches to another account, in the same mode. */
function Go({ to, change, label, children }: GoProps) {
  const { livemode } = useSignedIn().tenant;
  return (
    <Button
      busy={change.isPending && change.variables?.tenant_id === to.id}
      onPress={() => change.mutate({ tenant_id: to.id, livemode })}
      aria-label={label}
    >
      {children}
    </Button>
  );
}
