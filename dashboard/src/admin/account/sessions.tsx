import type { SessionEntry } from '@firsthand/contract/people/people.ts';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../base/api/call.ts';
import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Section } from '../../base/parts/section.tsx';
import { Tag } from '../../base/parts/shown.tsx';
import { Problem, Read } from '../../base/parts/states.tsx';
import { Ask } from '../../entry/session/ask.tsx';
import { signOut } from '../../entry/session/me.ts';
import { useAction } from '../../entry/session/recent.ts';
import { methodText } from './method-text.ts';

const SESSIONS = ['me', 'sessions'] as const;

export function Sessions() {
  const { t } = useWords();
  const sessions = useRead(SESSIONS, 'GET /v1/me/sessions', {});
  return (
    <Section
      title={t('sessions.title')}
      intro={t('sessions.intro')}
      aside={
        <Ask
          label={t('sessions.everywhere')}
          icon={<Icon name="leave" />}
          weight="quiet"
          title={t('sessions.everywhereTitle')}
          text={t('sessions.everywhereText')}
          run={() => signOut(true)}
        />
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
    </Section>
  );
}

function Row({ session }: { session: SessionEntry }) {
  const words = useWords();
  const { t, dateTime } = words;
  const end = useAction(() => call('DELETE /v1/me/sessions/:id', { id: session.id }), {
    refreshes: [SESSIONS],
    says: () => t('sessions.wasEnded', { device: session.device }),
  });
  const leave = useMutation({ mutationFn: () => signOut(false) });
  return (
    <li className="row">
      <Icon name="device" />
      <div className="row-main">
        <span className="row-name line">
          {session.device}
          {session.current && <Tag look={['check', 'verified']}>{t('sessions.thisOne')}</Tag>}
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
          onPress={() => end.mutate()}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  );
}
