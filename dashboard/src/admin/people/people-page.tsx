import type { InvitedPerson, Person } from '@firsthand/contract/people/people.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useList } from '../../base/api/list.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Rows } from '../../base/parts/rows.tsx';
import { TitleLine } from '../../base/parts/section.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { callName, PEOPLE } from '../../base/people.ts';
import { Ask } from '../../entry/session/ask.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { Invite, Invited } from './invite.tsx';
import { RoleSelect } from './role-select.tsx';

const LIST = { label: 'people.list', to: 'GET /v1/people' } as const;
const CHANGES = [
  { label: 'people.invite', to: 'POST /v1/people', body: { email: 'ada@example.com', role: 'reviewer' } },
  { label: 'people.role', to: 'PATCH /v1/people/usr_…', body: { role: 'member' } },
  { label: 'common.remove', to: 'DELETE /v1/people/usr_…' },
] as const;

/** Everybody of this account and what they may do. Owners invite, change and remove. */
export default function PeoplePage() {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const owner = tenant.role === 'owner';
  const [inviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<InvitedPerson | null>(null);
  const people = useList(PEOPLE, 'GET /v1/people', { query: { limit: '100' } });
  return (
    <>
      <TitleLine
        title={t('page.people')}
        intro={t(owner ? 'people.intro' : 'people.introRead', { tenant: tenant.name })}
        requests={[LIST, ...(owner ? CHANGES : [])].map(({ label, ...request }) => ({ label: t(label), ...request }))}
      />
      {owner && (
        <div className="toolbar">
          <Button weight="main" onPress={() => setInviting(true)}>
            <Icon name="plus" />
            {t('people.invite')}
          </Button>
        </div>
      )}
      <Rows list={people} label={t('page.people')}>
        {person => <Row person={person} owner={owner} />}
      </Rows>
      {inviting && (
        <Invite
          onClose={() => setInviting(false)}
          onInvited={person => {
            setInviting(false);
            setInvited(person);
          }}
        />
      )}
      {invited && <Invited person={invited} onClose={() => setInvited(null)} />}
    </>
  );
}

function Row({ person, owner }: { person: Person; owner: boolean }) {
  const { t, dateTime } = useWords();
  const { person: me } = useSignedIn();
  const name = callName(person, t(person.id === me.id ? 'account.me' : 'account.nameless'));
  const known = [person.email, person.phone_e164].filter(value => value !== undefined && value !== name);
  const change = useRoleChange(person, name);
  return (
    <li className="row">
      <span className="avatar" aria-hidden="true">
        {[...name.replace('+', '')][0]?.toUpperCase()}
      </span>
      <div className="row-main">
        <span className="row-name line">
          {name}
          {person.id === me.id && name !== t('account.me') && <span className="tag">{t('people.you')}</span>}
        </span>
        {known.length > 0 && <span className="soft small">{known.join(' · ')}</span>}
        <span className="soft small">
          {person.last_sign_in_at === undefined
            ? t('people.neverSignedIn', { at: dateTime(person.created_at) })
            : t('people.lastSignIn', { at: dateTime(person.last_sign_in_at) })}
        </span>
        <Problem error={change.error} />
      </div>
      {owner ? (
        <div className="row-actions">
          <RoleSelect
            label={t('people.roleOf', { name })}
            hideLabel
            value={change.isPending ? (change.variables ?? person.role) : person.role}
            isDisabled={change.isPending}
            onChange={role => change.mutate(role)}
          />
          <Ask
            label={t('common.remove')}
            named={t('people.removeNamed', { name })}
            title={t('people.removeTitle', { name })}
            text={t('people.removeText')}
            run={() => call('DELETE /v1/people/:id', { id: person.id })}
            refreshes={[PEOPLE]}
            says={() => t('people.wasRemoved', { name })}
          />
        </div>
      ) : (
        <span className="tag">{t(`role.${person.role}`)}</span>
      )}
    </li>
  );
}

function useRoleChange({ id }: Person, name: string) {
  const { t } = useWords();
  return useAction((role: Person['role']) => call('PATCH /v1/people/:id', { id, body: { role } }), {
    refreshes: [PEOPLE],
    says: ({ role }) => t('people.roleChanged', { name, role: t(`role.${role}`) }),
  });
}
