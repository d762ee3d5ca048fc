import type { ChatWebhook, ChatWebhookTest } from '@firsthand/contract/account/chat-webhook.ts';
import { webUrlOf } from '@firsthand/contract/base/web-url.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../base/api/call.ts';
import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Section } from '../../base/parts/section.tsx';
import { Notice, Problem, Read } from '../../base/parts/states.tsx';
import { useAction } from '../../entry/session/recent.ts';

const CHAT = ['chat-webhook'] as const;
const PATH = '/v1/chat-webhook';

/** The chat that hears of every verification that needs a look. */
export function Chat() {
  const { t } = useWords();
  const chat = useRead(CHAT, 'GET /v1/chat-webhook', {});
  return (
    <Section
      title={t('chat.title')}
      intro={t('chat.intro')}
      requests={[
        { label: t('chat.save'), to: `PUT ${PATH}`, body: { url: 'https://hooks.slack.com/services/…' } },
        { label: t('chat.test'), to: `POST ${PATH}/test` },
        { label: t('common.remove'), to: `DELETE ${PATH}` },
      ]}
    >
      <Read query={chat}>{found => <Address chat={found} />}</Read>
      <p className="soft small">
        {t('chat.programs')} <Link href="/webhooks">{t('page.webhooks')}</Link>
      </p>
    </Section>
  );
}

/** The address in use, with a way to try and to remove it, and a field for another one. */
function Address({ chat: { configured, host } }: { chat: ChatWebhook }) {
  const { t } = useWords();
  const [url, setUrl] = useState('');
  const [fault, setFault] = useState<string>();
  const save = useAction(() => call('PUT /v1/chat-webhook', { body: { url: url.trim() } }), {
    refreshes: [CHAT],
    says: () => t('settings.saved'),
    onDone: () => setUrl(''),
  });
  const test = useAction(() => call('POST /v1/chat-webhook/test', { body: {} }));
  const remove = useAction(() => call('DELETE /v1/chat-webhook', {}), {
    refreshes: [CHAT],
    says: () => t('chat.removed'),
    onDone: () => test.reset(),
  });
  return (
    <>
      {configured && (
        <div className="toolbar">
          <span>{t('chat.goesTo', { host: host ?? '' })}</span>
          <Button slim busy={test.isPending} onPress={() => test.mutate()}>
            {t('chat.test')}
          </Button>
          <Button weight="plain" slim busy={remove.isPending} onPress={() => remove.mutate()}>
            {t('chat.remove')}
          </Button>
        </div>
      )}
      {test.data && <Tried result={test.data} />}
      <form
        className="line-form"
        onSubmit={event => {
          event.preventDefault();
          const wrong = webUrlOf(url.trim()) === null;
          setFault(wrong ? t('chat.fault') : undefined);
          if (!wrong) save.mutate();
        }}
      >
        <Field
          label={t('chat.address')}
          value={url}
          onChange={setUrl}
          fault={fault}
          maxLength={2_048}
          input={{ inputMode: 'url', placeholder: 'https://hooks.slack.com/services/…' }}
        />
        <Button type="submit" busy={save.isPending}>
          {t('chat.save')}
        </Button>
      </form>
      <Problem error={save.error ?? test.error ?? remove.error} />
    </>
  );
}

/** What the chat answered to a test. */
function Tried({ result: { delivered, status_code, answer } }: { result: ChatWebhookTest }) {
  const { t } = useWords();
  return (
    <Notice look={delivered ? 'verified' : 'failed'} role="status">
      {delivered
        ? t('chat.delivered')
        : status_code === undefined
          ? t('chat.noAnswer')
          : t('chat.refused', { code: status_code, answer: answer ?? '' })}
    </Notice>
  );
}
