import type { WebhookSecret } from '@firsthand/contract/webhooks/webhooks.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Confirm } from '../../base/parts/dialog.tsx';
import { Section } from '../../base/parts/page.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useAction } from '../../entry/session/recent.ts';

/** The secret that signs: read and rotated by owners who signed in a moment ago. Nothing keeps it on the page. */
export function Secret() {
  const { t } = useWords();
  const say = useSay();
  const [shown, setShown] = useState<WebhookSecret | null>(null);
  const [asking, setAsking] = useState(false);
  const read = useAction(() => call('GET /v1/webhook-secret', {}), { onDone: setShown });
  const rotate = useAction(() => call('POST /v1/webhook-secret/rotate', { body: {} }), {
    onDone: secret => {
      setAsking(false);
      setShown(secret);
      say(t('secret.rotated'));
    },
  });
  const copy = (secret: string) => void navigator.clipboard.writeText(secret).then(() => say(t('common.copied')));
  return (
    <Section
      title={t('secret.title')}
      intro={t('secret.intro')}
      aside={
        <CurlMenu
          requests={[
            { label: t('secret.show'), request: { method: 'GET', path: '/v1/webhook-secret' } },
            { label: t('secret.rotate'), request: { method: 'POST', path: '/v1/webhook-secret/rotate' } },
          ]}
        />
      }
    >
      {shown && <Shown secret={shown} />}
      <Problem error={read.error ?? (asking ? null : rotate.error)} />
      <div className="toolbar">
        {shown ? (
          <>
            <Button onPress={() => copy(shown.secret)}>{t('secret.copy')}</Button>
            <Button weight="plain" onPress={() => setShown(null)}>
              {t('secret.hide')}
            </Button>
          </>
        ) : (
          <Button busy={read.isPending} onPress={() => read.mutate(undefined)}>
            {t('secret.show')}
          </Button>
        )}
        <Button weight="plain" onPress={() => setAsking(true)}>
          {t('secret.rotate')}
        </Button>
      </div>
      {asking && (
        <Confirm
          title={t('secret.rotateTitle')}
          action={t('secret.rotate')}
          mutation={{ ...rotate, mutate: () => rotate.mutate(undefined) }}
          onClose={() => setAsking(false)}
        >
          <p>{t('secret.rotateText')}</p>
        </Confirm>
      )}
    </Section>
  );
}

function Shown({ secret: { secret, previous } }: { secret: WebhookSecret }) {
  const { t } = useWords();
  const { exactly } = useMoments();
  return (
    <>
      <p className="copyable">
        <code>{secret}</code>
      </p>
      {previous && <p className="soft small">{t('secret.previous', { at: exactly(previous.expires_at) })}</p>}
    </>
  );
}
