import { ENDPOINT_DESCRIPTION_MAX, ENDPOINTS_MAX } from '@firsthand/contract/base/limits.ts';
import { webUrlOf } from '@firsthand/contract/base/web-url.ts';
import { VERIFICATION_EVENTS, type WebhookEndpoint } from '@firsthand/contract/webhooks/webhooks.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../base/api/call.ts';
import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Switch } from '../../base/parts/choice.tsx';
import { Dialog } from '../../base/parts/dialog.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Form } from '../../base/parts/form.tsx';
import { Section } from '../../base/parts/section.tsx';
import { Empty, Problem, Read } from '../../base/parts/states.tsx';
import { Ask } from '../../entry/session/ask.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useMay, useSignedIn } from '../../entry/session/signed-in.ts';
import { ALL, ENDPOINTS, EndpointRow } from './endpoint-row.tsx';

type Event = (typeof VERIFICATION_EVENTS)[number];

/** The addresses that the account registered for the events of all its verifications of this mode. */
export function AccountEndpoints() {
  const { t } = useWords();
  const owner = useMay('owner');
  const [adding, setAdding] = useState(false);
  const query = { registered: 'true', limit: '100' };
  const endpoints = useRead([...ENDPOINTS, 'registered'], 'GET /v1/webhook-endpoints', { query });
  return (
    <Section
      title={t('hooks.title')}
      intro={t('hooks.intro', { n: ENDPOINTS_MAX })}
      aside={owner && <Button onPress={() => setAdding(true)}>{t('hooks.add')}</Button>}
    >
      <Read query={endpoints}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="send" title={t('webhooks.none')}>
              <p>{t('hooks.noneText')}</p>
            </Empty>
          ) : (
            <ul className="rows">
              {data.map(endpoint => (
                <Registered key={endpoint.id} endpoint={endpoint} />
              ))}
            </ul>
          )
        }
      </Read>
      {adding && <EndpointDialog onClose={() => setAdding(false)} />}
    </Section>
  );
}

function Registered({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { t } = useWords();
  const owner = useMay('owner');
  const member = useMay('member');
  const [changing, setChanging] = useState(false);
  const { id, url, events, description } = endpoint;
  const test = useAction(() => call('POST /v1/webhook-endpoints/:id/test', { id, body: {} }), {
    refreshes: [ALL],
    says: () => t('webhooks.testSent'),
  });
  return (
    <EndpointRow
      endpoint={endpoint}
      about={
        <>
          {description !== undefined && <span className="small">{description}</span>}
          <span className="soft small">{events ? events.join(', ') : t('hooks.all')}</span>
          <Link className="small" href={`/webhooks?endpoint=${id}`}>
            {t('webhooks.deliveries')}
          </Link>
          <Problem error={test.error} />
        </>
      }
    >
      {member && (
        <Button slim busy={test.isPending} onPress={() => test.mutate()}>
          {t('hooks.test')}
        </Button>
      )}
      {owner && (
        <>
          <Button slim onPress={() => setChanging(true)}>
            {t('hooks.change')}
          </Button>
          <Ask
            slim
            label={t('common.remove')}
            title={t('hooks.removeTitle')}
            text={t('hooks.removeText', { url })}
            run={() => call('DELETE /v1/webhook-endpoints/:id', { id })}
            refreshes={[ENDPOINTS, ALL]}
            says={() => t('hooks.removed')}
          />
        </>
      )}
      {changing && <EndpointDialog endpoint={endpoint} onClose={() => setChanging(false)} />}
    </EndpointRow>
  );
}

/** Registers an endpoint in the mode that is shown, or changes one. */
function EndpointDialog({ endpoint, onClose }: { endpoint?: WebhookEndpoint; onClose: () => void }) {
  const { t } = useWords();
  const { livemode } = useSignedIn().tenant;
  const [url, setUrl] = useState('');
  const [fault, setFault] = useState<string>();
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [every, setEvery] = useState(endpoint?.events === undefined);
  const [chosen, setChosen] = useState<readonly Event[]>(endpoint?.events ?? []);
  const about = description.trim();
  const made = {
    url: url.trim(),
    livemode,
    ...(every ? {} : { events: [...chosen] }),
    ...(about ? { description: about } : {}),
  };
  const changed = { events: every ? null : [...chosen], description: about || null };
  const save = useAction(
    () =>
      endpoint
        ? call('PATCH /v1/webhook-endpoints/:id', { id: endpoint.id, body: changed })
        : call('POST /v1/webhook-endpoints', { body: made }),
    { refreshes: [ENDPOINTS], says: () => t('hooks.saved'), onDone: onClose },
  );
  const submit = () => {
    const wrong = !endpoint && webUrlOf(made.url) === null;
    setFault(wrong ? t('webhooks.urlFault') : undefined);
    if (!wrong && (every || chosen.length > 0)) save.mutate();
  };
  return (
    <Dialog title={t(endpoint ? 'hooks.change' : 'hooks.add')} onClose={onClose}>
      <Form
        label={t(endpoint ? 'hooks.save' : 'hooks.add')}
        sending={save}
        requests={[
          endpoint
            ? { label: t('hooks.save'), to: `PATCH /v1/webhook-endpoints/${endpoint.id}`, body: changed }
            : { label: t('hooks.add'), to: 'POST /v1/webhook-endpoints', body: made },
        ]}
        onSubmit={submit}
        onCancel={onClose}
      >
        {endpoint ? (
          <p>{endpoint.url}</p>
        ) : (
          <Field label={t('hooks.url')} value={url} onChange={setUrl} fault={fault} input={{ inputMode: 'url' }} />
        )}
        <Field
          label={t('hooks.description')}
          value={description}
          onChange={setDescription}
          maxLength={ENDPOINT_DESCRIPTION_MAX}
        />
        <fieldset className="stack">
          <legend className="label">{t('hooks.events')}</legend>
          <Switch label={t('hooks.all')} on={every} onChange={setEvery} />
          {!every &&
            VERIFICATION_EVENTS.map(event => (
              <Switch
                key={event}
                label={event}
                on={chosen.includes(event)}
                onChange={on => setChosen(on ? [...chosen, event] : chosen.filter(other => other !== event))}
              />
            ))}
          {!every && chosen.length === 0 && <p className="fault">{t('hooks.chooseOne')}</p>}
        </fieldset>
      </Form>
    </Dialog>
  );
}
