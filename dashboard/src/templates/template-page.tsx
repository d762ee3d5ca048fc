import type {
  LinkTemplate,
  LinkTemplateInput,
  LinkTemplateWithVersions,
} from '@firsthand/contract/account/management.ts';
import { type FormEvent, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useLocation, useParams, useSearch } from 'wouter';
import { ReturnField } from '../admin/return-field.tsx';
import { call } from '../base/api/call.ts';
import { useRead } from '../base/api/read.ts';
import type { MessageKey } from '../base/i18n.ts';
import { useWords } from '../base/language.tsx';
import { Button } from '../base/parts/button.tsx';
import { useCopy } from '../base/parts/copy.tsx';
import { CurlMenu } from '../base/parts/curl-menu.tsx';
import { useMoments } from '../base/parts/date-times.ts';
import { Field } from '../base/parts/field.tsx';
import { Form } from '../base/parts/form.tsx';
import { Icon } from '../base/parts/icon.tsx';
import { PageTitle } from '../base/parts/page.tsx';
import { Qr } from '../base/parts/qr.tsx';
import { Back, Section } from '../base/parts/section.tsx';
import { Notice, Read } from '../base/parts/states.tsx';
import { Warnings } from '../case/verification/warnings.tsx';
import { Ask } from '../entry/session/ask.tsx';
import { useAction } from '../entry/session/recent.ts';
import { useMay } from '../entry/session/signed-in.ts';
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
      <Back to="/templates">{t('page.templates')}</Back>
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
  const template = useRead(
    TEMPLATE(id),
    'GET /v1/link-templates/:id',
    { id },
    {
      // A refetch must not overwrite what the person is typing.
      refetchOnWindowFocus: false,
    },
  );
  return (
    <Read query={template} only>
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
  const member = useMay('member');
  const form = useForm<RequestValues>({ defaultValues: before });
  const values = form.watch();
  const mayEdit = member && template?.status !== 'revoked' && lost.length === 0;
  return (
    <>
      <div className="title-line">
        <PageTitle>{template ? template.name : t('templates.new')}</PageTitle>
        {template && <Actions template={template} />}
      </div>
      {template && <Warnings of={template} />}
      {lost.length > 0 && (
        <Notice look="info" icon="lock">
          {t('template.lost', { what: lost.join(', ') })}
        </Notice>
      )}
      <div className="with-phone">
        <div className="request-form stack">
          {template?.status === 'active' && <Share url={template.url} />}
          {mayEdit && <EditorForm form={form} template={template} nameBefore={name} />}
          {template && <Versions versions={template.versions} />}
        </div>
        <PhonePreview values={values} />
      </div>
    </>
  );
}

/** A template as the form makes it. The compiler asks here for every new field: one that is left out would end with the next version. */
const bodyOf = (name: string, values: RequestValues, returnUrl: string, template?: LinkTemplateWithVersions) => {
  const body = {
    name: name.trim(),
    request: requestOf(values),
    // The form has no field for it: a new version keeps it.
    retention_days: template?.retention_days,
    return_url: returnUrl.trim() || undefined,
  } satisfies Record<keyof LinkTemplateInput, unknown>;
  // JSON leaves out what is undefined.
  return body as LinkTemplateInput;
};

/** Makes a template, or its next version. */
function usePublish(body: LinkTemplateInput, template: LinkTemplateWithVersions | undefined) {
  const { t } = useWords();
  const [, goTo] = useLocation();
  return useAction(
    (): Promise<LinkTemplate> =>
      template
        ? call('PUT /v1/link-templates/:id', { id: template.id, body })
        : call('POST /v1/link-templates', { body }),
    {
      refreshes: [TEMPLATES, ...(template ? [TEMPLATE(template.id)] : [])],
      says: ({ version }) => t('template.published', { version }),
      onDone: ({ id }) => {
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
    <Form
      label={t('template.publish')}
      look="request-form stack"
      sending={publish}
      requests={[
        {
          label: t('template.publish'),
          to: template ? `PUT /v1/link-templates/${template.id}` : 'POST /v1/link-templates',
          body,
        },
      ]}
      onSubmit={submit}
    >
      <Section title={t('template.name')}>
        <Field
          label={t('template.name')}
          hint={t('template.nameHint')}
          value={name}
          onChange={setName}
          fault={nameFault}
          maxLength={120}
        />
        <ReturnField value={returnUrl} onChange={setReturnUrl} error={publish.error} />
      </Section>
      <RequestFields form={form} person={false} />
      <Faults faults={others} />
    </Form>
  );
}

function Share({ url }: { url: string }) {
  const { t } = useWords();
  const copy = useCopy();
  return (
    <Section title={t('template.link')} intro={t('template.linkIntro')}>
      <div className="made">
        <Qr text={url} label={t('template.qr')} />
        <div className="stack">
          <p className="copyable">
            <code>{url}</code>
          </p>
          <div className="toolbar">
            <Button onPress={() => copy(url)}>
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
  const member = useMay('member');
  const { id, name, status, updated_at, version } = template;
  return (
    <div className="toolbar">
      <span className="soft small">{t('template.line', { version, at: ago(updated_at) })}</span>
      {status === 'active' && member && (
        <Ask
          label={t('template.revoke')}
          weight="quiet"
          slim
          title={t('template.revokeTitle', { name })}
          text={t('template.revokeText')}
          run={() => call('POST /v1/link-templates/:id/revoke', { id, body: {} })}
          refreshes={[TEMPLATES, TEMPLATE(id)]}
          says={() => t('template.wasRevoked', { name })}
        />
      )}
      <CurlMenu
        requests={[
          { label: t('template.read'), to: `GET /v1/link-templates/${id}` },
          { label: t('template.revoke'), to: `POST /v1/link-templates/${id}/revoke` },
        ]}
      />
    </div>
  );
}
