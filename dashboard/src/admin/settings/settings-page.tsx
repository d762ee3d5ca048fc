import type { Settings } from '@firsthand/contract/account/management.ts';
import { isEmailAddress } from '@firsthand/contract/base/email-address.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { call } from '../../base/api/call.ts';
import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Form } from '../../base/parts/form.tsx';
import { Section, TitleLine } from '../../base/parts/section.tsx';
import { type Fact, Facts } from '../../base/parts/shown.tsx';
import { Read } from '../../base/parts/states.tsx';
import { useAction } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { Chat } from './chat.tsx';
import { Keys } from './keys.tsx';
import { Origins } from './origins.tsx';
import { Rules } from './rules.tsx';
import { SETTINGS } from './settings-key.ts';

/** Settings of the whole account. Owners change them; everybody reads them. */
export default function SettingsPage() {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const owner = tenant.role === 'owner';
  const settings = useRead(SETTINGS, 'GET /v1/settings', {});
  return (
    <>
      <TitleLine
        title={t('page.settings')}
        intro={t(owner ? 'settings.intro' : 'settings.introRead')}
        requests={[{ label: t('page.settings'), to: 'GET /v1/settings' }]}
      />
      <Read query={settings}>
        {data =>
          owner ? (
            <>
              <Editable settings={data} />
              <Origins settings={data} />
              <Chat />
              <Rules settings={data} />
            </>
          ) : (
            <Readable settings={data} />
          )
        }
      </Read>
      {owner && <Keys />}
      {owner && <Security />}
    </>
  );
}

/** Where the rest of what keeps the account safe is. */
function Security() {
  const { t } = useWords();
  return (
    <Section title={t('settings.security')} intro={t('settings.securityIntro')}>
      <ul className="next">
        {(
          [
            ['/settings/people', 'settings.toPeople'],
            ['/account', 'settings.toSessions'],
            ['/webhooks', 'settings.toSecret'],
            ['/audit', 'settings.toAudit'],
          ] as const
        ).map(([href, label]) => (
          <li key={href}>
            <Link href={href}>{t(label)}</Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Readable({ settings }: { settings: Settings }) {
  const { t } = useWords();
  const facts: Fact[] = [
    [t('settings.name'), settings.name],
    [t('settings.notify'), settings.notify_email ?? t('settings.nobody')],
    [t('settings.days'), settings.retention_days === null ? t('settings.keep') : String(settings.retention_days)],
    [t('settings.review'), t(`settings.review.${settings.review_policy}`)],
    [t('settings.depth'), t(`settings.depth.${settings.depth_policy}`)],
    [t('origins.title'), settings.allowed_origins.join(', ') || t('origins.none')],
    [t('settings.limit'), t('settings.perMinute', { n: settings.rate_limit_per_minute })],
  ];
  return (
    <Section title={t('settings.account')}>
      <Facts facts={facts} />
    </Section>
  );
}

function Editable({ settings }: { settings: Settings }) {
  const { t } = useWords();
  const [name, setName] = useState(settings.name);
  const [email, setEmail] = useState(settings.notify_email ?? '');
  const [tried, setTried] = useState(false);
  const body = { name: name.trim(), notify_email: email.trim() || null };
  const save = useAction(() => call('PATCH /v1/settings', { body }), {
    refreshes: [SETTINGS],
    says: () => t('settings.saved'),
  });
  const refused = save.error instanceof ApiError ? save.error.fields?.map(({ path }) => path) : undefined;
  const nameFault = tried && (body.name === '' || refused?.includes('name')) ? t('settings.nameFault') : undefined;
  const emailFault =
    tried && ((body.notify_email && !isEmailAddress(body.notify_email)) || refused?.includes('notify_email'))
      ? t('mail.fault')
      : undefined;
  const submit = () => {
    setTried(true);
    if (body.name !== '' && (!body.notify_email || isEmailAddress(body.notify_email))) save.mutate();
  };
  return (
    <Section title={t('settings.account')} requests={[{ label: t('settings.save'), to: 'PATCH /v1/settings', body }]}>
      <Form label={t('settings.save')} sending={save} onSubmit={submit}>
        <Field label={t('settings.name')} value={name} onChange={setName} fault={nameFault} maxLength={120} />
        <Field
          label={t('settings.notify')}
          hint={t('settings.notifyHint')}
          value={email}
          onChange={setEmail}
          fault={emailFault}
          maxLength={254}
          input={{ inputMode: 'email' }}
        />
        <p className="soft small">
          {t('settings.limit')}: {t('settings.perMinute', { n: settings.rate_limit_per_minute })}
        </p>
      </Form>
    </Section>
  );
}
