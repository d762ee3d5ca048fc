import type { WebhookSecret } from '@firsthand/contract/webhooks/webhooks.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { useCopy } from '../../base/parts/copy.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Section } from '../../base/parts/section.tsx';
import { Problem } from '../../base/parts/states.tsx';
import { Ask } from '../../entry/session/ask.tsx';
import { useAction } from '../../entry/session/recent.ts';

/** The secret that signs: read and rotated by owners who signed in a moment ago. Nothing keeps it on the page. */
export function Secret() {
  const { t } = useWords();
  const [shown, setShown] = useState<WebhookSecret | null>(null);
  const read = useAction(() => call('GET /v1/webhook-secret', {}), { onDone: setShown });
  const copy = useCopy();
  return (
    <Section
      title={t('secret.title')}
      intro={t('secret.intro')}
      requests={[
        { label: t('secret.show'), to: 'GET /v1/webhook-secret' },
        { label: t('secret.rotate'), to: 'POST /v1/webhook-secret/rotate' },
      ]}
    >
      {shown && <Shown secret={shown} />}
      <Problem error={read.error} />
      <div className="toolbar">
        {shown ? (
          <>
            <Button onPress={() => copy(shown.secret)}>{t('secret.copy')}</Button>
            <Button weight="plain" onPress={() => setShown(null)}>
              {t('secret.hide')}
            </Button>
          </>
        ) : (
          <Button busy={read.isPending} onPress={() => read.mutate()}>
            {t('secret.show')}
          </Button>
        )}
        <Ask
          label={t('secret.rotate')}
          title={t('secret.rotateTitle')}
          text={t('secret.rotateText')}
          run={() => call('POST /v1/webhook-secret/rotate', { body: {} })}
          says={() => t('secret.rotated')}
          onDone={setShown}
        />
      </div>
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
