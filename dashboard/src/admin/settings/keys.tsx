import { KEY_SCOPES } from '@firsthand/contract/account/key-scopes.ts';
import type { ApiKey, NewApiKey } from '@firsthand/contract/account/management.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Choice } from '../../base/parts/choice.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Confirm, Dialog } from '../../base/parts/dialog.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { More } from '../../base/parts/more.tsx';
import { Section } from '../../base/parts/page.tsx';
import { Problem, Read } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { TemplateSelect } from './template-select.tsx';

const KEYS = ['api-keys'] as const;

/** The keys that programs use. A new one is shown once. */
export function Keys() {
  const { t } = useWords();
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<NewApiKey | null>(null);
  const keys = useInfiniteQuery({
    queryKey: KEYS,
    queryFn: ({ signal, pageParam }) =>
      call('GET /v1/api-keys', { signal, query: { limit: '100', cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next_cursor,
  });
  return (
    <Section
      title={t('apiKeys.title')}
      intro={t('apiKeys.intro')}
      aside={
        <Button onPress={() => setMaking(true)}>
          <Icon name="plus" />
          {t('apiKeys.make')}
        </Button>
      }
    >
      <Read query={keys}>
        {({ pages }) => (
          <>
            <ul className="rows">
              {pages
                .flatMap(page => page.data)
                .map(key => (
                  <Row key={key.id} apiKey={key} />
                ))}
            </ul>
            <More list={keys} />
          </>
        )}
      </Read>
      {making && (
        <Make
          onClose={() => setMaking(false)}
          onMade={key => {
            setMaking(false);
            setMade(key);
          }}
        />
      )}
      {made && <Made made={made} onClose={() => setMade(null)} />}
    </Section>
  );
}

function Row({ apiKey }: { apiKey: ApiKey }) {
  const { t } = useWords();
  const { ago } = useMoments();
  const say = useSay();
  const [asking, setAsking] = useState(false);
  const { id, name, kind, livemode, scopes, prefix, created_at, last_used_at } = apiKey;
  const revoke = useAction(() => call('DELETE /v1/api-keys/:id', { id }), {
    refreshes: [KEYS],
    onDone: () => {
      setAsking(false);
      say(t('apiKeys.revoked', { name }));
    },
  });
  return (
    <li className="row">
      <Icon name="key" />
      <div className="row-main">
        <span className="row-name">
          {name}
          <span className="tag">
            {kind === 'secret' ? t('apiKeys.secret') : t(livemode ? 'mode.live' : 'mode.test')}
          </span>
          {scopes && <span className="tag">{t('apiKeys.app')}</span>}
        </span>
        <span className="soft small">
          <code>{prefix}…</code> · {t('apiKeys.made', { at: ago(created_at) })} ·{' '}
          {last_used_at === undefined ? t('apiKeys.unused') : t('apiKeys.used', { at: ago(last_used_at) })}
        </span>
      </div>
      <Button weight="plain" aria-label={t('apiKeys.revokeNamed', { name })} onPress={() => setAsking(true)}>
        {t('apiKeys.revoke')}
      </Button>
      {asking && (
        <Confirm
          title={t('apiKeys.revokeNamed', { name })}
          action={t('apiKeys.revoke')}
          mutation={{ ...revoke, mutate: () => revoke.mutate(undefined) }}
          onClose={() => setAsking(false)}
        >
          <p>{t('apiKeys.revokeText')}</p>
        </Confirm>
      )}
    </li>
  );
}

interface MakeProps {
  onClose: () => void;
  onMade: (key: NewApiKey) => void;
}

/** A new key while a person describes it, what is wrong with it, and the request that makes it. */
function useNewKey(onMade: MakeProps['onMade']) {
  const { tenant } = useSignedIn();
  const [name, setName] = useState('');
  const [mode, setMode] = useState<'live' | 'test'>(tenant.livemode ? 'live' : 'test');
  const [use, setUse] = useState<'app' | 'server'>('app');
  const [templateId, setTemplateId] = useState<string>();
  const body = {
    name: name.trim(),
    mode,
    ...(use === 'app' ? { scopes: [...KEY_SCOPES], template_id: templateId } : {}),
  };
  const make = useAction(() => call('POST /v1/api-keys', { body }), {
    refreshes: [KEYS],
    onDone: onMade,
  });
  const wrong = { name: body.name === '', template: use === 'app' && templateId === undefined };
  return { name, setName, mode, setMode, use, setUse, templateId, setTemplateId, body, wrong, make };
}

function Make({ onClose, onMade }: MakeProps) {
  const { t } = useWords();
  const { name, setName, mode, setMode, use, setUse, templateId, setTemplateId, body, wrong, make } = useNewKey(onMade);
  const [faults, setFaults] = useState({ name: false, template: false });
  return (
    <Dialog title={t('apiKeys.make')} onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault();
          setFaults(wrong);
          if (!wrong.name && !wrong.template) make.mutate(undefined);
        }}
      >
        <Field
          label={t('apiKeys.name')}
          hint={t('apiKeys.nameHint')}
          value={name}
          onChange={setName}
          fault={faults.name ? t('apiKeys.nameFault') : undefined}
          maxLength={120}
          autoFocus
        />
        <Choice
          name="mode"
          label={t('apiKeys.mode')}
          values={['test', 'live']}
          nameOf={one => t(`apiKeys.mode.${one}`)}
          chosen={mode}
          onChange={setMode}
        />
        <Choice
          name="use"
          label={t('apiKeys.use')}
          values={['app', 'server']}
          nameOf={one => t(`apiKeys.use.${one}`)}
          chosen={use}
          onChange={setUse}
        />
        {use === 'app' && (
          <TemplateSelect
            value={templateId}
            fault={faults.template && wrong.template ? t('apiKeys.templateFault') : undefined}
            onChange={setTemplateId}
          />
        )}
        <Problem error={make.error} />
        <div className="actions">
          <CurlMenu
            requests={[{ label: t('apiKeys.make'), request: { method: 'POST', path: '/v1/api-keys', body } }]}
          />
          <Button onPress={onClose}>{t('common.cancel')}</Button>
          <Button weight="main" type="submit" busy={make.isPending}>
            {t('apiKeys.make')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Made({ made, onClose }: { made: NewApiKey; onClose: () => void }) {
  const { t } = useWords();
  const [copied, setCopied] = useState(false);
  const key = made.key ?? '';
  return (
    <Dialog title={t('apiKeys.ready', { name: made.name })} onClose={onClose}>
      <p>{t('apiKeys.readyText')}</p>
      <p className="copyable">
        <code>{key}</code>
      </p>
      <Button onPress={() => void navigator.clipboard.writeText(key).then(() => setCopied(true))}>
        <Icon name={copied ? 'check' : 'copy'} />
        {t(copied ? 'common.copied' : 'secret.copy')}
      </Button>
      <div className="actions">
        <Button weight="main" onPress={onClose}>
          {t('common.done')}
        </Button>
      </div>
    </Dialog>
  );
}
