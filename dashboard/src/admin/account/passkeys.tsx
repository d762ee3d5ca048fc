import type { Passkey } from '@firsthand/contract/people/people.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { Confirm, Dialog } from '../../base/parts/dialog.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Section } from '../../base/parts/page.tsx';
import { Empty } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { ME } from '../../entry/session/query-client.ts';
import { useAction } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { NewPasskeyForm } from '../../entry/sign-in/new-passkey.tsx';
import { passkeysHere } from '../../entry/sign-in/passkey.ts';

const PATH = '/v1/me/passkeys';

export function Passkeys() {
  const { t } = useWords();
  const say = useSay();
  const { passkeys } = useSignedIn();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Passkey | null>(null);
  return (
    <Section
      title={t('passkeys.title')}
      intro={t('passkeys.intro')}
      aside={
        <div className="case-actions">
          <CurlMenu
            requests={[
              {
                label: t('passkeys.curlAdd'),
                request: { method: 'POST', path: `${PATH}/options`, body: {}, personal: true },
              },
              ...passkeys.map(({ id, name }) => ({
                label: t('passkeys.removeNamed', { name }),
                request: { method: 'DELETE' as const, path: `${PATH}/${id}`, personal: true },
              })),
            ]}
          />
          {passkeysHere && (
            <Button onPress={() => setAdding(true)}>
              <Icon name="plus" />
              {t('passkey.add')}
            </Button>
          )}
        </div>
      }
    >
      {passkeys.length === 0 ? (
        <Empty icon="key" title={t('passkeys.none')}>
          <p>{t(passkeysHere ? 'passkeys.noneText' : 'signIn.noPasskeysHere')}</p>
        </Empty>
      ) : (
        <ul className="rows">
          {passkeys.map(passkey => (
            <PasskeyRow key={passkey.id} passkey={passkey} onRemove={() => setRemoving(passkey)} />
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
      {removing && <Removal passkey={removing} last={passkeys.length === 1} onClose={() => setRemoving(null)} />}
    </Section>
  );
}

function PasskeyRow({ passkey, onRemove }: { passkey: Passkey; onRemove: () => void }) {
  const { t, dateTime } = useWords();
  const { name, created_at, last_used_at } = passkey;
  return (
    <li className="row">
      <Icon name="key" />
      <div className="row-main">
        <span className="row-name">{name}</span>
        <span className="soft small">
          {t('passkeys.added', { at: dateTime(created_at) })}
          {' · '}
          {last_used_at === undefined ? t('passkeys.neverUsed') : t('passkeys.used', { at: dateTime(last_used_at) })}
        </span>
      </div>
      <Button weight="plain" aria-label={t('passkeys.removeNamed', { name })} onPress={onRemove}>
        {t('common.remove')}
      </Button>
    </li>
  );
}

function Removal({ passkey, last, onClose }: { passkey: Passkey; last: boolean; onClose: () => void }) {
  const { t } = useWords();
  const say = useSay();
  const remove = useAction(() => call('DELETE /v1/me/passkeys/:id', { id: passkey.id }), {
    refreshes: [ME],
    onDone: () => {
      onClose();
      say(t('passkeys.wasRemoved', { name: passkey.name }));
    },
  });
  return (
    <Confirm
      title={t('passkeys.removeTitle', { name: passkey.name })}
      action={t('passkeys.remove')}
      mutation={remove}
      onClose={onClose}
    >
      <p>{t('passkeys.removeText')}</p>
      {last && <p>{t('passkeys.removeLast')}</p>}
    </Confirm>
  );
}
