import { KEY_SCOPES } from '@firsthand/contract/account/key-scopes.ts';
import type { ApiKey, CreatedApiKey } from '@firsthand/contract/account/management.ts';
import { useState } from 'react';
import { call } from '../../base/api/call.ts';
import { useList } from '../../base/api/list.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Choice } from '../../base/parts/choice.tsx';
import { Copyable } from '../../base/parts/copy.tsx';
import { useMoments } from '../../base/parts/date-times.ts';
import { Dialog } from '../../base/parts/dialog.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Form } from '../../base/parts/form.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Rows } from '../../base/parts/rows.tsx';
import { Section } from '../../base/parts/section.tsx';
import { Notice } from '../../base/parts/states.tsx';
import { Ask } from '../../entry/session/ask.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { TemplateSelect } from './template-select.tsx';

const KEYS = ['api-keys'] as const;

/** The keys that programs use. A new one is shown once. */
export function Keys() {
  const { t } = useWords();
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<CreatedApiKey | null>(null);
  const keys = useList(KEYS, 'GET /v1/api-keys', { query: { limit: '100' } });
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
      <Rows list={keys}>{key => <Row apiKey={key} />}</Rows>
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
  const { id, name, kind, livemode, scopes, prefix, created_at, last_used_at } = apiKey;
  return (
    <li className="row">
      <Icon name="key" />
      <div className="row-main">
        <span className="row-name line">
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
      <Ask
        label={t('apiKeys.revoke')}
        named={t('apiKeys.revokeNamed', { name })}
        title={t('apiKeys.revokeNamed', { name })}
        text={t('apiKeys.revokeText')}
        run={() => call('DELETE /v1/api-keys/:id', { id })}
        refreshes={[KEYS]}
        says={() => t('apiKeys.revoked', { name })}
      />
    </li>
  );
}

interface MakeProps {
  onClose: () => void;
  onMade: (key: CreatedApiKey) => void;
}

/** Where a key goes, and so what it may do. */
const USES = ['app', 'server', 'manage'] as const;
type Use = (typeof USES)[number];

/** A new key while a person describes it, what is wrong with it, and the request that makes it. */
function useNewKey(onMade: MakeProps['onMade']) {
  const { tenant } = useSignedIn();
  const [name, setName] = useState('');
  const [mode, setMode] = useState<'live' | 'test'>(tenant.livemode ? 'live' : 'test');
  const [use, setUse] = useState<Use>('app');
  const [templateId, setTemplateId] = useState<string>();
  const body = {
    name: name.trim(),
    mode: use === 'manage' ? ('secret' as const) : mode,
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
      <Form
        label={t('apiKeys.make')}
        sending={make}
        requests={use === 'manage' ? [] : [{ label: t('apiKeys.make'), to: 'POST /v1/api-keys', body }]}
        onSubmit={() => {
          setFaults(wrong);
          if (!wrong.name && !wrong.template) make.mutate();
        }}
        onCancel={onClose}
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
          name="use"
          label={t('apiKeys.use')}
          values={USES}
          nameOf={one => t(`apiKeys.use.${one}`)}
          chosen={use}
          onChange={setUse}
        />
        {use === 'manage' ? (
          <Notice look="info" icon="lock">
            {t('apiKeys.manageText')}
          </Notice>
        ) : (
          <Choice
            name="mode"
            label={t('apiKeys.mode')}
            values={['test', 'live']}
            nameOf={one => t(`apiKeys.mode.${one}`)}
            chosen={mode}
            onChange={setMode}
          />
        )}
        {use === 'app' && (
          <TemplateSelect
            value={templateId}
            fault={faults.template && wrong.template ? t('apiKeys.templateFault') : undefined}
            onChange={setTemplateId}
          />
        )}
      </Form>
    </Dialog>
  );
}

function Made({ made, onClose }: { made: CreatedApiKey; onClose: () => void }) {
  const { t } = useWords();
  return (
    <Dialog title={t('apiKeys.ready', { name: made.name })} onClose={onClose}>
      <p>{t('apiKeys.readyText')}</p>
      <Copyable text={made.key ?? ''} label={t('secret.copy')} />
      <div className="actions">
        <Button weight="main" onPress={onClose}>
          {t('common.done')}
        </Button>
      </div>
    </Dialog>
  );
}
