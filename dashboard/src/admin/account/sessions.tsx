import type { SessionEntry } from '@firsthand/contract/people/people.ts';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { Confirm } from '../../base/parts/dialog.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Section } from '../../base/parts/page.tsx';
import { Problem, Read } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { signOut } from '../../entry/session/me.ts';
import { useAction } from '../../entry/session/recent.ts';
import { methodText } from './method-text.ts';

const PATH = '/v1/me/sessions';
const SESSIONS = ['me', 'sessions'] as const;

export function Sessions() {
  const { t } = useWords();
  const [leaving, setLeaving] = useState(false);
  const sessions = useQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal }) => call('GET /v1/me/sessions', { signal }),
  });
  const others = sessions.data?.data.filter(({ current }) => !current) ?? [];
  const leave = useAction(() => signOut(true));
  return (
    <Section
      title={t('sessions.title')}
      intro={t('sessions.intro')}
      aside={
        <div className="case-actions">
          <CurlMenu
            requests={[
              { label: t('sessions.title'), request: { method: 'GET', path: PATH, personal: true } },
              ...others.map(({ id, device }) => ({
                label: t('sessions.endNamed', { device }),
                request: { method: 'DELETE' as const, path: `${PATH}/${id}`, personal: true },
              })),
              {
                label: t('account.signOut'),
                request: { method: 'POST', path: '/v1/auth/sign-out', body: {}, personal: true },
              },
              { label: t('sessions.endOthers'), request: { method: 'DELETE', path: PATH, personal: true } },
            ]}
          />
          <Button onPress={() => setLeaving(true)}>
            <Icon name="leave" />
            {t('sessions.everywhere')}
          </Button>
        </div>
      }
    >
      <Read query={sessions}>
        {({ data }) => (
          <ul className="rows">
            {data.map(session => (
              <Row key={session.id} session={session} />
            ))}
          </ul>
        )}
      </Read>
      {leaving && (
        <Confirm
          title={t('sessions.everywhereTitle')}
          action={t('sessions.everywhere')}
          mutation={{ ...leave, mutate: () => leave.mutate(undefined) }}
          onClose={() => setLeaving(false)}
        >
          <p>{t('sessions.everywhereText')}</p>
        </Confirm>
      )}
    </Section>
  );
}

function Row({ session }: { session: SessionEntry }) {
  const words = useWords();
  const { t, dateTime } = words;
  const say = useSay();
  const end = useAction(() => call('DELETE /v1/me/sessions/:id', { id: session.id }), {
    refreshes: [SESSIONS],
    onDone: () => say(t('sessions.wasEnded', { device: session.device })),
  });
  const leave = useMutation({ mutationFn: () => signOut(false) });
  return (
    <li className="row">
      <Icon name="device" />
      <div className="row-main">
        <span className="row-name">
          {session.device}
          {session.current && (
            <span className="tag verified">
              <Icon name="check" />
              {t('sessions.thisOne')}
            </span>
          )}
        </span>
        <span className="soft small">
          {t('sessions.line', {
            method: methodText(words, session.method),
            at: dateTime(session.created_at),
            address: session.address,
          })}
        </span>
        <span className="soft small">{t('sessions.seen', { at: dateTime(session.last_seen_at) })}</span>
        <Problem error={end.error ?? leave.error} />
      </div>
      {session.current ? (
        <Button weight="plain" busy={leave.isPending} onPress={() => leave.mutate()}>
          {t('account.signOut')}
        </Button>
      ) : (
        <Button
          weight="plain"
          busy={end.isPending}
          aria-label={t('sessions.endNamed', { device: session.device })}
          onPress={() => end.mutate(undefined)}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  );
}
