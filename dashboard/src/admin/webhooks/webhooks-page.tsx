import { webUrlOf } from '@firsthand/contract/base/web-url.ts';
import { DELIVERY_STATUSES } from '@firsthand/contract/webhooks/webhooks.ts';
import { useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { call } from '../../base/api/call.ts';
import { useList } from '../../base/api/list.ts';
import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { useCopy } from '../../base/parts/copy.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Rows } from '../../base/parts/rows.tsx';
import { Section, TitleLine } from '../../base/parts/section.tsx';
import { SelectField } from '../../base/parts/select-field.tsx';
import { Empty, Problem, Read } from '../../base/parts/states.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useMay } from '../../entry/session/signed-in.ts';
import { AccountEndpoints } from './account-endpoints.tsx';
import { DeliveryRow } from './delivery-row.tsx';
import { ALL, ENDPOINTS, EndpointRow } from './endpoint-row.tsx';
import { RECEIVER } from './receiver.ts';
import { Secret } from './secret.tsx';
import './webhooks.css';

const statusOf = (search: string) => {
  const wanted = new URLSearchParams(search).get('status');
  return DELIVERY_STATUSES.find(status => status === wanted);
};

/** Where events go, whether they arrive, and what came back. */
export default function WebhooksPage() {
  const { t } = useWords();
  const member = useMay('member');
  const owner = useMay('owner');
  const query = { registered: 'false', limit: '100' };
  const endpoints = useRead([...ENDPOINTS, 'named'], 'GET /v1/webhook-endpoints', { query });
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
      <AccountEndpoints />
      <Section title={t('hooks.others')} intro={t('hooks.othersIntro')}>
        <Read query={endpoints}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty icon="send" title={t('webhooks.none')}>
                <p>{t('webhooks.noneText')}</p>
              </Empty>
            ) : (
              <ul className="rows">
                {data.map(endpoint => (
                  <EndpointRow key={endpoint.id} endpoint={endpoint} />
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
  const search = useSearch();
  const status = statusOf(search);
  const endpoint_id = new URLSearchParams(search).get('endpoint') ?? undefined;
  const deliveries = useList([...ALL, status ?? '', endpoint_id ?? ''], 'GET /v1/webhook-deliveries', {
    query: { limit: '30', status, endpoint_id },
  });
  const show = (name: string) => {
    const wanted = { ...(name ? { status: name } : {}), ...(endpoint_id ? { endpoint: endpoint_id } : {}) };
    goTo(`/webhooks?${new URLSearchParams(wanted)}`);
  };
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
          onChosen={show}
        />
      }
    >
      {endpoint_id && (
        <p className="small">
          {t('hooks.onlyOne')} <Link href="/webhooks">{t('hooks.allDeliveries')}</Link>
        </p>
      )}
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
