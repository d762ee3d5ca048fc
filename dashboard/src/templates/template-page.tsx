import type { LinkTemplate, LinkTemplateWithVersions } from '@firsthand/contract/account/management.ts';
import { URL_MAX } from '@firsthand/contract/base/limits.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useForm } from 'react-hook-form';
import { Link, useLocation, useParams, useSearch } from 'wouter';
import { call } from '../base/api/call.ts';
import type { MessageKey } from '../base/i18n.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Confirm } from '../base/parts/dialog.tsx';
import { Field } from '../base/parts/field.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { PageTitle, Section } from '../base/parts/page.tsx';
import { Qr } from '../base/parts/qr.tsx';
import { Problem, Read } from '../base/parts/states.tsx';
import { useSay } from '../base/parts/toasts.tsx';
import { Warnings } from '../case/verification/warnings.tsx';
import { useAction } from '../entry/session/recent.ts';
import { useSignedIn } from '../entry/session/signed-in.ts';
import { isAtLeast } from '../entry/shell/pages.ts';
import type { RequestForm } from '../request/line.tsx';
import { PhonePreview } from '../request/phone.tsx';
import { Faults, RequestFields, showFaults } from '../request/request-form.tsx';
import { type RequestValues, requestOf, valuesOf } from '../request/values.ts';
import { TEMPLATE, TEMPLATES } from './keys.ts';
import { starterOf } from './starters.ts';
import { Versions } from './versions.tsx';

/** A template: its steps beside the phone, its link, and what was published before. */
export default function TemplatePage() {
  const { id } = useParams<{ id: string }>();
  const { t } = useWords();
  const starter = new URLSearchParams(useSearch()).get('starter');
  return (
    <div className="wide tall stack">
      <p className="small">
        <Link href="/templates">{t('page.templates')}</Link>
      </p>
      {id === 'new' ? (
        <Editor
          before={starterOf(starter, key => t(key as MessageKey))}
          lost={[]}
          name={starter ? t(`starter.${starter}` as MessageKey) : ''}
        />
      ) : (
        <Existing id={id} />
      )}
    </div>
  );
}

function Existing({ id }: { id: string }) {
  const template = useQuery({
    queryKey: TEMPLATE(id),
    queryFn: ({ signal }) => call('GET /v1/link-templates/:id', { id, signal }),
    // A refetch must not overwrite what the person is typing.
    refetchOnWindowFocus: false,
  });
  return (
    <Read query={template} alone>
      {data => {
        const { values, lost } = valuesOf(data.request);
        return <Editor key={data.version} template={data} before={values} lost={lost} name={data.name} />;
      }}
    </Read>
  );
}

interface EditorProps {
  template?: LinkTemplateWithVersions;
  before: RequestValues;
  /** Fields that the form cannot hold. Such a template can be read here and changed by the API. */
  lost: string[];
  name: string;
}

function Editor({ template, before, lost, name }: EditorProps) {
  const { t } = useWords();
  const { tenant } = useSignedIn();
  const form = useForm<RequestValues>({ defaultValues: before });
  const values = form.watch();
  const mayEdit = isAtLeast(tenant.role, 'member') && template?.status !== 'revoked' && lost.length === 0;
  return (
    <>
      <div className="title-line">
        <div className="case-title">
          <PageTitle>{template ? template.name : t('templates.new')}</PageTitle>
        </div>
        {template && <Actions template={template} />}
      </div>
      {template && <Warnings of={template} />}
      {lost.length > 0 && (
        <p className="notice info">
          <Icon name="lock" />
          <span>{t('template.lost', { what: lost.join(', ') })}</span>
        </p>
      )}
      <div className="with-phone">
        <div className="request-form">
          {template?.status === 'active' && <Share url={template.url} />}
          {mayEdit && <EditorForm form={form} template={template} nameBefore={name} />}
          {template && <Versions versions={template.versions} />}
        </div>
        <PhonePreview values={values} />
      </div>
    </>
  );
}

type TemplateInput = ReturnType<typeof bodyOf>;

const bodyOf = (name: string, values: RequestValues, returnUrl: string, template?: LinkTemplateWithVersions) => ({
  name: name.trim(),
  request: requestOf(values),
  // The form has no field for it: a new version keeps it.
  ...(template?.retention_days === undefined ? {} : { retention_days: template.retention_days }),
  ...(returnUrl.trim() ? { return_url: returnUrl.trim() } : {}),
});

/** Makes a template, or its next version. */
function usePublish(body: TemplateInput, template: LinkTemplateWithVersions | undefined) {
  const { t } = useWords();
  const say = useSay();
  const [, goTo] = useLocation();
  return useAction(
    (): Promise<LinkTemplate> =>
      template
        ? call('PUT /v1/link-templates/:id', { id: template.id, body })
        : call('POST /v1/link-templates', { body }),
    {
      refreshes: [TEMPLATES, ...(template ? [TEMPLATE(template.id)] : [])],
      onDone: ({ id, version }) => {
        say(t('template.published', { version }));
        if (!template) goTo(`/templates/${id}`, { replace: true });
      },
    },
  );
}

interface EditorFormProps {
  form: RequestForm;
  template: LinkTemplateWithVersions | undefined;
  nameBefore: string;
}

function EditorForm({ form, template, nameBefore }: EditorFormProps) {
  const { t } = useWords();
  const [name, setName] = useState(nameBefore);
  const [nameFault, setNameFault] = useState<string>();
  const [others, setOthers] = useState<string[]>([]);
  const [returnUrl, setReturnUrl] = useState(template?.return_url ?? '');
  const body = bodyOf(name, form.watch(), returnUrl, template);
  const publish = usePublish(body, template);
  const refused = publish.error instanceof ApiError ? publish.error.fields.map(({ path }) => path) : [];
  const onError = (error: unknown) =>
    setOthers(showFaults({ t }, form, error).filter(fault => !fault.startsWith('return_url:')));
  const submit = (event: FormEvent) => {
    const wrong = name.trim() === '' ? t('template.nameFault') : undefined;
    setNameFault(wrong);
    setOthers([]);
    void form.handleSubmit(() => {
      if (!wrong) publish.mutate(undefined, { onError });
    })(event);
  };
  return (
    <form className="request-form" noValidate onSubmit={submit}>
      <RequestFields
        form={form}
        person={false}
        before={
          <Section title={t('template.name')}>
            <Field
              label={t('template.name')}
              hint={t('template.nameHint')}
              value={name}
              onChange={setName}
              fault={nameFault}
              maxLength={120}
            />
            <Field
              label={t('return.label')}
              hint={t('return.hint')}
              value={returnUrl}
              onChange={setReturnUrl}
              fault={refused.includes('return_url') ? t('return.fault') : undefined}
              maxLength={URL_MAX}
              input={{ inputMode: 'url' }}
            />
          </Section>
        }
      />
      <Problem error={publish.error} />
      <Faults faults={others} />
      <PublishLine body={body} template={template} busy={publish.isPending} />
    </form>
  );
}

interface PublishLineProps {
  body: TemplateInput;
  template: LinkTemplateWithVersions | undefined;
  busy: boolean;
}

function PublishLine({ body, template, busy }: PublishLineProps) {
  const { t } = useWords();
  const [method, path] = template
    ? (['PUT', `/v1/link-templates/${template.id}`] as const)
    : (['POST', '/v1/link-templates'] as const);
  return (
    <div className="actions">
      <CurlMenu requests={[{ label: t('template.publish'), request: { method, path, body } }]} />
      <Button weight="main" type="submit" busy={busy}>
        {t('template.publish')}
      </Button>
    </div>
  );
}

function Share({ url }: { url: string }) {
  const { t } = useWords();
  const say = useSay();
  return (
    <Section title={t('template.link')} intro={t('template.linkIntro')}>
      <div className="made">
        <Qr text={url} label={t('template.qr')} />
        <div className="stack">
          <p className="copyable">
            <code>{url}</code>
          </p>
          <div className="toolbar">
            <Button onPress={() => void navigator.clipboard.writeText(url).then(() => say(t('common.copied')))}>
              <Icon name="copy" />
              {t('common.copy')}
            </Button>
          </div>
        </div>
      </div>
    </Section>
  );
}

function Actions({ template }: { template: LinkTemplateWithVersions }) {
  const { t } = useWords();
  const { ago } = useMoments();
  const say = useSay();
  const { tenant } = useSignedIn();
  const [asking, setAsking] = useState(false);
  const { id, name, status, updated_at, version } = template;
  const revoke = useAction(() => call('POST /v1/link-templates/:id/revoke', { id, body: {} }), {
    refreshes: [TEMPLATES, TEMPLATE(id)],
    onDone: () => {
      setAsking(false);
      say(t('template.wasRevoked', { name }));
    },
  });
  return (
    <div className="toolbar">
      <span className="soft small">{t('template.line', { version, at: ago(updated_at) })}</span>
      {status === 'active' && isAtLeast(tenant.role, 'member') && (
        <Button slim onPress={() => setAsking(true)}>
          {t('template.revoke')}
        </Button>
      )}
      <CurlMenu
        requests={[
          { label: t('template.read'), request: { method: 'GET', path: `/v1/link-templates/${id}` } },
          { label: t('template.revoke'), request: { method: 'POST', path: `/v1/link-templates/${id}/revoke` } },
        ]}
      />
      {asking && (
        <Confirm
          title={t('template.revokeTitle', { name })}
          action={t('template.revoke')}
          mutation={{ ...revoke, mutate: () => revoke.mutate(undefined) }}
          onClose={() => setAsking(false)}
        >
          <p>{t('template.revokeText')}</p>
        </Confirm>
      )}
    </div>
  );
}
