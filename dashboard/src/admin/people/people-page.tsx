import type { InvitedPerson, Person } from '@firsthand/contract/people/people.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import type { Request } from '../../base/api/curl.ts';
import type { MessageKey } from '../../base/i18n.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu, type NamedRequest } from '../../base/parts/curl-menu.tsx';
import { Confirm } from '../../base/parts/dialog.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { More } from '../../base/parts/more.tsx';
import { PageTitle } from '../../base/parts/page.tsx';
import { Problem, Read } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { callName, PEOPLE } from '../../base/people.ts';
import { useAction } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { Invite, Invited } from './invite.tsx';
import { RoleSelect } from './role-select.tsx';

const LIST = { label: 'people.list', request: { method: 'GET', path: '/v1/people' } } as const;
const CHANGES = [
  {
    label: 'people.invite',
    request: { method: 'POST', path: '/v1/people', body: { email: 'ada@example.com', role: 'reviewer' } },
  },
  { label: 'people.role', request: { method: 'PATCH', path: '/v1/people/usr_…', body: { role: 'member' } } },
  { label: 'common.remove', request: { method: 'DELETE', path: '/v1/people/usr_…' } },
] as const;

/** Everybody of this account and what they may do. Owners invite, change and remove. */
export default function PeoplePage() {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const owner = tenant.role === 'owner';
  const said = ({ label, request }: { label: MessageKey; request: Request }): NamedRequest => ({
    label: t(label),
    request,
  });
  const [inviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<InvitedPerson | null>(null);
  const people = useInfiniteQuery({
    queryKey: PEOPLE,
    queryFn: ({ signal, pageParam }) => call('GET /v1/people', { signal, query: { limit: '100', cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor,
  });
  return (
    <>
      <div className="title-line">
        <PageTitle intro={t(owner ? 'people.intro' : 'people.introRead', { tenant: tenant.name })}>
          {t('page.people')}
        </PageTitle>
        <CurlMenu requests={owner ? [LIST, ...CHANGES].map(said) : [said(LIST)]} />
      </div>
      {owner && (
        <div className="toolbar">
          <Button weight="main" onPress={() => setInviting(true)}>
            <Icon name="plus" />
            {t('people.invite')}
          </Button>
        </div>
      )}
      <Read query={people}>
        {({ pages }) => (
          <section className="card section" aria-label={t('page.people')}>
            <ul className="rows">
              {pages
                .flatMap(page => page.data)
                .map(person => (
                  <Row key={person.id} person={person} owner={owner} />
                ))}
            </ul>
            <More list={people} />
          </section>
        )}
      </Read>
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
  const [removing, setRemoving] = useState(false);
  const name = callName(person, t(person.id === me.id ? 'account.me' : 'account.nameless'));
  const known = [person.email, person.phone_e164].filter(value => value !== undefined && value !== name);
  const change = useRoleChange(person, name);
  return (
    <li className="row">
      <span className="avatar" aria-hidden="true">
        {[...name.replace('+', '')][0]?.toUpperCase()}
      </span>
      <div className="row-main">
        <span className="row-name">
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
          <Button weight="plain" aria-label={t('people.removeNamed', { name })} onPress={() => setRemoving(true)}>
            {t('common.remove')}
          </Button>
        </div>
      ) : (
        <span className="tag">{t(`role.${person.role}`)}</span>
      )}
      {removing && <Removal id={person.id} name={name} onClose={() => setRemoving(false)} />}
    </li>
  );
}

function useRoleChange({ id }: Person, name: string) {
  const { t } = useWords();
  const say = useSay();
  return useAction((role: Person['role']) => call('PATCH /v1/people/:id', { id, body: { role } }), {
    refreshes: [PEOPLE],
    onDone: ({ role }) => say(t('people.roleChanged', { name, role: t(`role.${role}`) })),
  });
}

/** Asks before a person is removed. */
function Removal({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const { t } = useWords();
  const say = useSay();
  const remove = useAction(() => call('DELETE /v1/people/:id', { id }), {
    refreshes: [PEOPLE],
    onDone: () => {
      onClose();
      say(t('people.wasRemoved', { name }));
    },
  });
  return (
    <Confirm
      title={t('people.removeTitle', { name })}
      action={t('common.remove')}
      mutation={{ ...remove, mutate: () => remove.mutate(undefined) }}
      onClose={onClose}
    >
      <p>{t('people.removeText')}</p>
    </Confirm>
  );
}
