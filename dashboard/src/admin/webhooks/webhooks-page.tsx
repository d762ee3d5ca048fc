import { webUrlOf } from '@firsthand/contract/base/web-url.ts';
import { DELIVERY_STATUSES, type WebhookEndpoint } from '@firsthand/contract/webhooks/webhooks.ts';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu, type NamedRequest } from '../../base/parts/curl-menu.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Field } from '../../base/parts/field.tsx';
import { Icon, type IconName } from '../../base/parts/icon.tsx';
import { More } from '../../base/parts/more.tsx';
import { PageTitle, Section } from '../../base/parts/page.tsx';
import { Empty, Problem, Read } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { isAtLeast } from '../../entry/shell/pages.ts';
import { DeliveryRow } from './delivery-row.tsx';
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
  const { tenant } = useSignedIn();
  const member = isAtLeast(tenant.role, 'member');
  const endpoints = useQuery({
    queryKey: ENDPOINTS,
    queryFn: ({ signal }) => call('GET /v1/webhook-endpoints', { signal, query: { limit: '100' } }),
  });
  return (
    <>
      <div className="title-line">
        <PageTitle intro={t('webhooks.intro')}>{t('page.webhooks')}</PageTitle>
        <CurlMenu
          requests={[
            { label: t('webhooks.endpoints'), request: { method: 'GET', path: '/v1/webhook-endpoints' } },
            { label: t('webhooks.deliveries'), request: { method: 'GET', path: '/v1/webhook-deliveries' } },
          ]}
        />
      </div>
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
      {tenant.role === 'owner' && <Secret />}
      <Receiver />
    </>
  );
}

const LOOK: Record<'disabled' | 'failing' | 'fine', [IconName, string]> = {
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
    ? {
        label: t('endpoint.enable'),
        request: { method: 'POST', path: `/v1/webhook-endpoints/${endpoint.id}/enable` },
      }
    : {
        label: t('endpoint.recover'),
        request: { method: 'POST', path: '/v1/webhook-deliveries/recover', body: missed },
      };
}

function EndpointRow({ endpoint, member }: { endpoint: WebhookEndpoint; member: boolean }) {
  const { t } = useWords();
  const { ago } = useMoments();
  const say = useSay();
  const { url, failing_since, disabled_at, created_at } = endpoint;
  const state = stateOf(endpoint);
  const enable = useAction(() => call('POST /v1/webhook-endpoints/:id/enable', { id: endpoint.id, body: {} }), {
    refreshes: [ENDPOINTS],
    onDone: () => say(t('webhooks.enabled')),
  });
  const missed = { since: failing_since ?? disabled_at ?? created_at, url };
  const recover = useAction(() => call('POST /v1/webhook-deliveries/recover', { body: missed }), {
    refreshes: [ALL],
    onDone: ({ recovered }) => say(t('webhooks.recovered', { n: recovered })),
  });
  const remedy = useRemedy(endpoint, missed);
  const [icon, meaning] = LOOK[state];
  return (
    <li className="row">
      <span className={`tag ${meaning}`}>
        <Icon name={icon} />
        {t(`endpoint.${state}`)}
      </span>
      <div className="row-main">
        <span className="row-name">{url}</span>
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
          {state === 'disabled' ? (
            <Button slim busy={enable.isPending} onPress={() => enable.mutate(undefined)}>
              {t('endpoint.enable')}
            </Button>
          ) : (
            <Button slim busy={recover.isPending} onPress={() => recover.mutate(undefined)}>
              {t('endpoint.recover')}
            </Button>
          )}
          <CurlMenu requests={[remedy]} />
        </div>
      )}
    </li>
  );
}

function TestEvent() {
  const { t } = useWords();
  const say = useSay();
  const [url, setUrl] = useState('');
  const [fault, setFault] = useState<string>();
  const send = useAction(() => call('POST /v1/webhooks/test', { body: { url } }), {
    refreshes: [ALL, ENDPOINTS],
    onDone: () => say(t('webhooks.testSent')),
  });
  return (
    <Section title={t('webhooks.test')} intro={t('webhooks.testIntro')}>
      <form
        className="line-form"
        onSubmit={event => {
          event.preventDefault();
          const wrong = webUrlOf(url) === null;
          setFault(wrong ? t('webhooks.urlFault') : undefined);
          if (!wrong) send.mutate(undefined);
        }}
      >
        <Field label={t('webhooks.url')} value={url} onChange={setUrl} fault={fault} input={{ inputMode: 'url' }} />
        <Button type="submit" busy={send.isPending}>
          {t('webhooks.sendTest')}
        </Button>
        <CurlMenu
          requests={[
            { label: t('webhooks.test'), request: { method: 'POST', path: '/v1/webhooks/test', body: { url } } },
          ]}
        />
      </form>
      <Problem error={send.error} />
    </Section>
  );
}

function DeliveryList() {
  const { t } = useWords();
  const [, goTo] = useLocation();
  const status = statusOf(useSearch());
  const deliveries = useInfiniteQuery({
    queryKey: [...ALL, status ?? ''],
    queryFn: ({ signal, pageParam }) =>
      call('GET /v1/webhook-deliveries', { signal, query: { limit: '30', cursor: pageParam, status } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor,
  });
  return (
    <Section
      title={t('webhooks.deliveries')}
      aside={
        <label className="queue">
          <span className="unseen">{t('filter.status')}</span>
          <select
            className="input"
            value={status ?? ''}
            onChange={event => goTo(event.target.value ? `/webhooks?status=${event.target.value}` : '/webhooks')}
          >
            <option value="">{t('webhooks.anyStatus')}</option>
            {DELIVERY_STATUSES.map(name => (
              <option key={name} value={name}>
                {t(`delivery.${name}`)}
              </option>
            ))}
          </select>
        </label>
      }
    >
      <Read query={deliveries}>
        {({ pages }) => {
          const all = pages.flatMap(page => page.data);
          return all.length === 0 ? (
            <p className="soft small">{t('webhooks.noDeliveries')}</p>
          ) : (
            <>
              <ul className="rows">
                {all.map(delivery => (
                  <DeliveryRow key={delivery.id} delivery={delivery} refreshes={[ALL]} linked />
                ))}
              </ul>
              <More list={deliveries} />
            </>
          );
        }}
      </Read>
    </Section>
  );
}

const RECEIVER = `import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  try {
    const event = webhook.verify(body, request.headers);
    console.log(event.type, event.data.id, event.data.verdict?.label);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(3000);`;

/** A receiver to copy, for whoever has none yet. */
function Receiver() {
  const { t } = useWords();
  const say = useSay();
  return (
    <Section
      title={t('webhooks.receiver')}
      intro={t('webhooks.receiverIntro')}
      aside={
        <Button slim onPress={() => void navigator.clipboard.writeText(RECEIVER).then(() => say(t('common.copied')))}>
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
