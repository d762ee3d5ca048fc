import type { Passkey } from '@firsthand/contract/people/people.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Dialog } from '../../base/parts/dialog.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Section } from '../../base/parts/section.tsx';
import { Empty } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { Ask } from '../../entry/session/ask.tsx';
import { ME } from '../../entry/session/query-client.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { NewPasskeyForm } from '../../entry/sign-in/new-passkey.tsx';
import { passkeysHere } from '../../entry/sign-in/passkey.ts';

export function Passkeys() {
  const { t } = useWords();
  const say = useSay();
  const { passkeys } = useSignedIn();
  const [adding, setAdding] = useState(false);
  return (
    <Section
      title={t('passkeys.title')}
      intro={t('passkeys.intro')}
      aside={
        passkeysHere && (
          <Button onPress={() => setAdding(true)}>
            <Icon name="plus" />
            {t('passkey.add')}
          </Button>
        )
      }
    >
      {passkeys.length === 0 ? (
        <Empty icon="key" title={t('passkeys.none')}>
          <p>{t(passkeysHere ? 'passkeys.noneText' : 'signIn.noPasskeysHere')}</p>
        </Empty>
      ) : (
        <ul className="rows">
          {passkeys.map(passkey => (
            <PasskeyRow key={passkey.id} passkey={passkey} isLast={passkeys.length === 1} />
          ))}
        </ul>
      )}
      {adding && (
        <Dialog title={t('offer.title')} onClose={() => setAdding(false)}>
          <p className="soft">{t('offer.text')}</p>
          <NewPasskeyForm
            onAdded={name => {
              setAdding(false);
              say(t('passkeys.wasAdded', { name }));
            }}
          />
        </Dialog>
      )}
    </Section>
  );
}

function PasskeyRow({ passkey, isLast }: { passkey: Passkey; isLast: boolean }) {
  const { t, dateTime } = useWords();
  const { id, name, created_at, last_used_at } = passkey;
  return (
    <li className="row">
      <Icon name="key" />
      <div className="row-main">
        <span className="row-name line">{name}</span>
        <span className="soft small">
          {t('passkeys.added', { at: dateTime(created_at) })}
          {' · '}
          {last_used_at === undefined ? t('passkeys.neverUsed') : t('passkeys.used', { at: dateTime(last_used_at) })}
        </span>
      </div>
      <Ask
        label={t('common.remove')}
        named={t('passkeys.removeNamed', { name })}
        title={t('passkeys.removeTitle', { name })}
        text={t('passkeys.removeText')}
        sure={t('passkeys.remove')}
        run={() => call('DELETE /v1/me/passkeys/:id', { id })}
        refreshes={[ME]}
        says={() => t('passkeys.wasRemoved', { name })}
      >
        {isLast && <p>{t('passkeys.removeLast')}</p>}
      </Ask>
    </li>
  );
}
