import { webUrlOf } from '@firsthand/contract/base/web-url.ts';
import { DELIVERY_STATUSES, type WebhookEndpoint } from '@firsthand/contract/webhooks/webhooks.ts';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { call } from '../../base/api/call.ts';
import { useList } from '../../base/api/list.ts';
import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { useCopy } from '../../base/parts/copy.tsx';
import { CurlMenu, type NamedRequest } from '../../base/parts/curl-menu.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Field } from '../../base/parts/field.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Rows } from '../../base/parts/rows.tsx';
import { Section, TitleLine } from '../../base/parts/section.tsx';
import { SelectField } from '../../base/parts/select-field.tsx';
import { type Look, Tag } from '../../base/parts/shown.tsx';
import { Empty, Problem, Read } from '../../base/parts/states.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useMay } from '../../entry/session/signed-in.ts';
import { DeliveryRow } from './delivery-row.tsx';
import { RECEIVER } from './receiver.ts';
import { Secret } from './secret.tsx';
import './webhooks.css';

const ENDPOINTS = ['webhook-endpoints'] as const;
const ALL = ['deliveries', 'all'] as const;
const statusOf = (search: string) => {
  const wanted = new URLSearchParams(search).get('status');
  return DELIVERY_STATUSES.find(status => status === wanted);
};

/** Where events go, whether they arrive, and what came back. */
export default function WebhooksPage() {
  const { t } = useWords();
  const member = useMay('member');
  const owner = useMay('owner');
  const endpoints = useRead(ENDPOINTS, 'GET /v1/webhook-endpoints', { query: { limit: '100' } });
  return (
    <>
      <TitleLine
        title={t('page.webhooks')}
        intro={t('webhooks.intro')}
        requests={[
          { label: t('webhooks.endpoints'), to: 'GET /v1/webhook-endpoints' },
          { label: t('webhooks.deliveries'), to: 'GET /v1/webhook-deliveries' },
        ]}
      />
      <Section title={t('webhooks.endpoints')}>
        <Read query={endpoints}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty icon="send" title={t('webhooks.none')}>
                <p>{t('webhooks.noneText')}</p>
              </Empty>
            ) : (
              <ul className="rows">
                {data.map(endpoint => (
                  <EndpointRow key={endpoint.id} endpoint={endpoint} member={member} />
                ))}
              </ul>
            )
          }
        </Read>
      </Section>
      {member && <TestEvent />}
      <DeliveryList />
      {owner && <Secret />}
      <Receiver />
    </>
  );
}

const LOOK: Record<'disabled' | 'failing' | 'fine', Look> = {
  disabled: ['cross', 'failed'],
  failing: ['doubt', 'doubtful'],
  fine: ['check', 'verified'],
};

const stateOf = ({ status, failing_since }: WebhookEndpoint): keyof typeof LOOK =>
  status === 'disabled' ? 'disabled' : failing_since === undefined ? 'fine' : 'failing';

/** The request that helps an endpoint: enabling it again, or sending what it missed. */
function useRemedy(endpoint: WebhookEndpoint, missed: { since: string; url: string }): NamedRequest {
  const { t } = useWords();
  return stateOf(endpoint) === 'disabled'
    ? { label: t('endpoint.enable'), to: `POST /v1/webhook-endpoints/${endpoint.id}/enable` }
    : { label: t('endpoint.recover'), to: 'POST /v1/webhook-deliveries/recover', body: missed };
}

function EndpointRow({ endpoint, member }: { endpoint: WebhookEndpoint; member: boolean }) {
  const { t } = useWords();
  const { ago } = useMoments();
  const { url, failing_since, disabled_at, created_at } = endpoint;
  const state = stateOf(endpoint);
  const enable = useAction(() => call('POST /v1/webhook-endpoints/:id/enable', { id: endpoint.id, body: {} }), {
    refreshes: [ENDPOINTS],
    says: () => t('webhooks.enabled'),
  });
  const missed = { since: failing_since ?? disabled_at ?? created_at, url };
  const recover = useAction(() => call('POST /v1/webhook-deliveries/recover', { body: missed }), {
    refreshes: [ALL],
    says: ({ recovered }) => t('webhooks.recovered', { n: recovered }),
  });
  const remedy = useRemedy(endpoint, missed);
  const help = state === 'disabled' ? enable : recover;
  return (
    <li className="row">
      <Tag look={LOOK[state]}>{t(`endpoint.${state}`)}</Tag>
      <div className="row-main">
        <span className="row-name line">{url}</span>
        <span className="soft small">
          {state === 'disabled'
            ? t('endpoint.disabledSince', { at: ago(disabled_at ?? created_at) })
            : failing_since !== undefined
              ? t('endpoint.failingSince', { at: ago(failing_since) })
              : t('endpoint.since', { at: ago(created_at) })}
        </span>
        <Problem error={enable.error ?? recover.error} />
      </div>
      {member && (
        <div className="row-actions">
          <Button slim busy={help.isPending} onPress={() => help.mutate()}>
            {remedy.label}
          </Button>
          <CurlMenu requests={[remedy]} />
        </div>
      )}
    </li>
  );
}

function TestEvent() {
  const { t } = useWords();
  const [url, setUrl] = useState('');
  const [fault, setFault] = useState<string>();
  const send = useAction(() => call('POST /v1/webhooks/test', { body: { url } }), {
    refreshes: [ALL, ENDPOINTS],
    says: () => t('webhooks.testSent'),
  });
  return (
    <Section title={t('webhooks.test')} intro={t('webhooks.testIntro')}>
      <form
        className="line-form"
        onSubmit={event => {
          event.preventDefault();
          const wrong = webUrlOf(url) === null;
          setFault(wrong ? t('webhooks.urlFault') : undefined);
          if (!wrong) send.mutate();
        }}
      >
        <Field label={t('webhooks.url')} value={url} onChange={setUrl} fault={fault} input={{ inputMode: 'url' }} />
        <Button type="submit" busy={send.isPending}>
          {t('webhooks.sendTest')}
        </Button>
        <CurlMenu requests={[{ label: t('webhooks.test'), to: 'POST /v1/webhooks/test', body: { url } }]} />
      </form>
      <Problem error={send.error} />
    </Section>
  );
}

function DeliveryList() {
  const { t } = useWords();
  const [, goTo] = useLocation();
  const status = statusOf(useSearch());
  const deliveries = useList([...ALL, status ?? ''], 'GET /v1/webhook-deliveries', { query: { limit: '30', status } });
  return (
    <Section
      title={t('webhooks.deliveries')}
      aside={
        <SelectField
          label={t('filter.status')}
          slim
          options={[
            ['', t('webhooks.anyStatus')],
            ...DELIVERY_STATUSES.map(name => [name, t(`delivery.${name}`)] as const),
          ]}
          value={status ?? ''}
          onChosen={name => goTo(name ? `/webhooks?status=${name}` : '/webhooks')}
        />
      }
    >
      <Rows list={deliveries} none={<p className="soft small">{t('webhooks.noDeliveries')}</p>}>
        {delivery => <DeliveryRow delivery={delivery} refreshes={[ALL]} linked />}
      </Rows>
    </Section>
  );
}

/** A receiver to copy, for whoever has none yet. */
function Receiver() {
  const { t } = useWords();
  const copy = useCopy();
  return (
    <Section
      title={t('webhooks.receiver')}
      intro={t('webhooks.receiverIntro')}
      aside={
        <Button slim onPress={() => copy(RECEIVER)}>
          <Icon name="copy" />
          {t('webhooks.copyCode')}
        </Button>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone */}
      <pre className="code" tabIndex={0}>
        {RECEIVER}
      </pre>
    </Section>
  );
}
