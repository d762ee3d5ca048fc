import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link } from 'wouter';
import { SETTINGS } from '../admin/settings/settings-key.ts';
import { call } from '../base/api/call.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { PageTitle, Section } from '../base/parts/page.tsx';
import { Qr } from '../base/parts/qr.tsx';
import { Loading, NoPermission, Problem } from '../base/parts/states.tsx';
import { useSay } from '../base/parts/toasts.tsx';
import { Warnings } from '../case/verification/warnings.tsx';
import { useDraft } from '../entry/session/draft.ts';
import { useAction } from '../entry/session/recent.ts';
import { useSignedIn } from '../entry/session/signed-in.ts';
import { isAtLeast } from '../entry/shell/pages.ts';
import { PhonePreview } from '../request/phone.tsx';
import { Faults, RequestFields, showFaults } from '../request/request-form.tsx';
import { EMPTY, type RequestValues, requestOf } from '../request/values.ts';

export default function IssuePage() {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const isAllowed = isAtLeast(tenant.role, 'member');
  const settings = useQuery({
    queryKey: SETTINGS,
    queryFn: ({ signal }) => call('GET /v1/settings', { signal }),
    enabled: isAllowed,
  });
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
  const { person } = useSignedIn();
  const empty = { ...EMPTY, signals: [...signals] };
  const draft = useDraft(person.id, 'issue', empty);
  const form = useForm<RequestValues>({ defaultValues: draft.kept });
  const [made, setMade] = useState<Verification | null>(null);
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
        onAnother={() => {
          setMade(null);
          form.reset(empty);
        }}
      />
    );
  }
  const submit = form.handleSubmit(filled => {
    setOthers([]);
    create.mutate(requestOf(filled), { onError: error => setOthers(showFaults({ t }, form, error)) });
  });
  return (
    <div className="wide tall">
      <PageTitle intro={t('issue.intro')}>{t('page.issue')}</PageTitle>
      <div className="with-phone">
        <form className="request-form" noValidate onSubmit={submit} onChange={() => draft.keep(form.getValues())}>
          <RequestFields form={form} person />
          <Problem error={create.error} />
          <Faults faults={others} />
          <div className="actions">
            <CurlMenu
              requests={[
                {
                  label: t('page.issue'),
                  request: { method: 'POST', path: '/v1/verifications', body: requestOf(values) },
                },
              ]}
            />
            <Button weight="main" type="submit" busy={create.isPending}>
              {t('issue.make')}
            </Button>
          </div>
        </form>
        <PhonePreview values={values} />
      </div>
    </div>
  );
}

function Made({ verification, onAnother }: { verification: Verification; onAnother: () => void }) {
  const { t } = useWords();
  const say = useSay();
  const { id } = verification;
  // Whoever creates gets the link.
  const capture_url = verification.capture_url!;
  return (
    <>
      <PageTitle>{t('issue.made')}</PageTitle>
      <Warnings of={verification} />
      <Section title={t('issue.link')} intro={t('issue.linkIntro')}>
        <div className="made">
          <Qr text={capture_url} label={t('first.qr')} />
          <div className="stack">
            <p className="copyable">
              <code>{capture_url}</code>
            </p>
            <div className="toolbar">
              <Button
                weight="main"
                onPress={() => void navigator.clipboard.writeText(capture_url).then(() => say(t('case.linkCopied')))}
              >
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
          </div>
        </div>
      </Section>
    </>
  );
}
