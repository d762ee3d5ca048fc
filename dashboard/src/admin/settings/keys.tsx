import { KEY_SCOPES } from '@firsthand/contract/account/key-scopes.ts';
import type { ApiKey, NewApiKey } from '@firsthand/contract/account/management.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { CurlMenu } from '../../base/parts/curl-menu.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Confirm, Dialog } from '../../base/parts/dialog.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Section } from '../../base/parts/page.tsx';
import { Problem, Read } from '../../base/parts/states.tsx';
import { useSay } from '../../base/parts/toasts.tsx';
import { useAct } from '../../entry/session/recent.ts';
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
            {keys.hasNextPage && <Button onPress={() => void keys.fetchNextPage()}>{t('common.more')}</Button>}
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
  const revoke = useAct(() => call('DELETE /v1/api-keys/:id', { id }), {
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
          act={{ ...revoke, mutate: () => revoke.mutate(undefined) }}
          onClose={() => setAsking(false)}
        >
          <p>{t('apiKeys.revokeText')}</p>
        </Confirm>
      )}
    </li>
  );
}

function Make({ onClose, onMade }: { onClose: () => void; onMade: (key: NewApiKey) => void }) {
  const { t } = useWords();
  const [name, setName] = useState('');
  const { tenant } = useSignedIn();
  const [mode, setMode] = useState<'live' | 'test'>(tenant.livemode ? 'live' : 'test');
  const [use, setUse] = useState<'app' | 'server'>('app');
  const [templateId, setTemplateId] = useState<string>();
  const [faults, setFaults] = useState<{ name?: string; template?: string }>({});
  const body = {
    name: name.trim(),
    mode,
    ...(use === 'app' ? { scopes: [...KEY_SCOPES], template_id: templateId } : {}),
  };
  const make = useAct(() => call('POST /v1/api-keys', { body }), {
    refreshes: [KEYS],
    onDone: onMade,
  });
  return (
    <Dialog title={t('apiKeys.make')} onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault();
          const wrong = {
            ...(body.name === '' ? { name: t('apiKeys.nameFault') } : {}),
            ...(use === 'app' && templateId === undefined ? { template: t('apiKeys.templateFault') } : {}),
          };
          setFaults(wrong);
          if (Object.keys(wrong).length === 0) make.mutate(undefined);
        }}
      >
        <Field
          label={t('apiKeys.name')}
          hint={t('apiKeys.nameHint')}
          value={name}
          onChange={setName}
          fault={faults.name}
          maxLength={120}
          autoFocus
        />
        <fieldset className="stack">
          <legend className="label">{t('apiKeys.mode')}</legend>
          {(['test', 'live'] as const).map(one => (
            <label key={one} className="switch">
              <input type="radio" name="mode" checked={mode === one} onChange={() => setMode(one)} />
              <span>{t(`apiKeys.mode.${one}`)}</span>
            </label>
          ))}
        </fieldset>
        <fieldset className="stack">
          <legend className="label">{t('apiKeys.use')}</legend>
          {(['app', 'server'] as const).map(one => (
            <label key={one} className="switch">
              <input type="radio" name="use" checked={use === one} onChange={() => setUse(one)} />
              <span>{t(`apiKeys.use.${one}`)}</span>
            </label>
          ))}
        </fieldset>
        {use === 'app' && (
          <TemplateSelect
            value={templateId}
            fault={faults.template}
            onChange={id => {
              setTemplateId(id);
              setFaults(({ template: _, ...others }) => others);
            }}
          />
        )}
        <Problem error={make.error} />
        <div className="actions">
          <CurlMenu acts={[{ label: t('apiKeys.make'), request: { method: 'POST', path: '/v1/api-keys', body } }]} />
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
