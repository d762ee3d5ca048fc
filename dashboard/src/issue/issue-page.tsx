import type { LinkChannel } from '@firsthand/contract/verification/send-link.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link } from 'wouter';
import { SETTINGS } from '../admin/settings/settings-key.ts';
import { call } from '../base/api/call.ts';
import { useRead } from '../base/api/read.ts';
import type { Translator } from '../base/i18n.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { useCopy } from '../base/parts/copy.tsx';
import { Form } from '../base/parts/form.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { PageTitle } from '../base/parts/page.tsx';
import { Qr } from '../base/parts/qr.tsx';
import { Section } from '../base/parts/section.tsx';
import { Loading, NoPermission } from '../base/parts/states.tsx';
import { SendLink, useLinkChannels } from '../case/verification/send-link.tsx';
import { Warnings } from '../case/verification/warnings.tsx';
import { useDraft } from '../entry/session/draft.ts';
import { useAction } from '../entry/session/recent.ts';
import { useMay, useSignedIn } from '../entry/session/signed-in.ts';
import type { RequestForm } from '../request/line.tsx';
import { PhonePreview } from '../request/phone.tsx';
import { Faults, RequestFields, showFaults } from '../request/request-form.tsx';
import { EMPTY, type RequestValues, requestOf } from '../request/values.ts';

export default function IssuePage() {
  const { t } = useWords();
  const isAllowed = useMay('member');
  const settings = useRead(SETTINGS, 'GET /v1/settings', {}, { enabled: isAllowed });
  // Without the settings the form begins with the contract's signals.
  if (isAllowed && settings.isPending) return <Loading />;
  if (isAllowed) return <Issue signals={settings.data?.signals_required ?? EMPTY.signals} />;
  return (
    <>
      <PageTitle>{t('page.issue')}</PageTitle>
      <NoPermission />
    </>
  );
}

/** Makes one verification and hands its link on. */
function Issue({ signals }: { signals: RequestValues['signals'] }) {
  const { t } = useWords();
  const { person: me } = useSignedIn();
  const empty = { ...EMPTY, signals: [...signals] };
  const draft = useDraft(me.id, 'issue', empty);
  const form = useForm<RequestValues>({ defaultValues: draft.kept });
  const [made, setMade] = useState<Verification | null>(null);
  const [person, setPerson] = useState({ email: '', phone: '' });
  const [others, setOthers] = useState<string[]>([]);
  const create = useAction((body: ReturnType<typeof requestOf>) => call('POST /v1/verifications', { body }), {
    onDone: verification => {
      draft.forget();
      setMade(verification);
    },
  });
  const values = form.watch();
  if (made) {
    return (
      <Made
        verification={made}
        person={person}
        onAnother={() => {
          setMade(null);
          form.reset(empty);
        }}
      />
    );
  }
  const submit = form.handleSubmit(filled => {
    setOthers([]);
    if (!saysWhat(t, form)) return;
    setPerson({ email: filled.person_email.trim(), phone: filled.person_phone.trim() });
    create.mutate(requestOf(filled), { onError: error => setOthers(showFaults({ t }, form, error)) });
  });
  return (
    <div className="wide tall">
      <PageTitle intro={t('issue.intro')}>{t('page.issue')}</PageTitle>
      <div className="with-phone">
        <div className="request-form stack" onChange={() => draft.keep(form.getValues())}>
          <Form
            label={t('issue.make')}
            look="request-form stack"
            sending={create}
            requests={[{ label: t('page.issue'), to: 'POST /v1/verifications', body: requestOf(values) }]}
            onSubmit={submit}
          >
            <RequestFields form={form} person />
            <Faults faults={others} />
          </Form>
        </div>
        <PhonePreview values={values} />
      </div>
    </div>
  );
}

/** Whether each step says what to photograph. Nobody can answer a link that does not. */
function saysWhat(t: Translator['t'], form: RequestForm): boolean {
  const silent = form.getValues('steps').flatMap((step, index) => (step.description.trim() === '' ? [index] : []));
  for (const index of silent) form.setError(`steps.${index}.description`, { message: t('issue.saysNothing') });
  if (silent[0] !== undefined) form.setFocus(`steps.${silent[0]}.description`);
  return silent.length === 0;
}

interface MadeProps {
  verification: Verification;
  person: Readonly<Record<LinkChannel, string>>;
  onAnother: () => void;
}

function Made({ verification, person, onAnother }: MadeProps) {
  const { t, dateTime } = useWords();
  const copy = useCopy();
  const channels = useLinkChannels();
  const { id, expires_at } = verification;
  // Whoever creates gets the link.
  const capture_url = verification.capture_url!;
  return (
    <>
      <PageTitle>{t('issue.made')}</PageTitle>
      <Warnings of={verification} />
      <Section title={t('issue.link')} intro={t('issue.linkIntro')}>
        <div className="made">
          <div className="stack">
            <p className="copyable">
              <code>{capture_url}</code>
            </p>
            <div className="toolbar">
              <Button weight="main" onPress={() => copy(capture_url, t('case.linkCopied'))}>
                <Icon name="copy" />
                {t('common.copy')}
              </Button>
              <Link className="button quiet" href={`/verifications/${id}`}>
                {t('first.watch')}
              </Link>
              <Button weight="plain" onPress={onAnother}>
                {t('issue.another')}
              </Button>
            </div>
            <p className="soft small">
              {t('issue.until')} <time dateTime={expires_at}>{dateTime(expires_at)}</time>
            </p>
          </div>
          <Qr text={capture_url} label={t('first.qr')} />
        </div>
      </Section>
      {channels.length > 0 && (
        <Section title={t('send.title')} intro={t('send.intro')}>
          <SendLink {...{ id, channels, person }} />
        </Section>
      )}
    </>
  );
}
