import { LANGUAGES, type Language } from '@firsthand/contract/base/languages.ts';
import type { SendLink as Body, LinkChannel } from '@firsthand/contract/verification/send-link.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useState } from 'react';
import { SETTINGS } from '../../admin/settings/settings-key.ts';
import { call } from '../../base/api/call.ts';
import { useRead } from '../../base/api/read.ts';
import { useWords } from '../../base/language.tsx';
import { Choice, Switch } from '../../base/parts/choice.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Form } from '../../base/parts/form.tsx';
import { SelectField } from '../../base/parts/select-field.tsx';
import { useAction } from '../../entry/session/recent.ts';

/** How this installation sends links; none where it cannot. */
export const useLinkChannels = (): readonly LinkChannel[] =>
  useRead(SETTINGS, 'GET /v1/settings', {}).data?.link_channels ?? [];

interface SendLinkProps {
  id: string;
  channels: readonly LinkChannel[];
  /** What the form knows of the person. Without it, an empty field means the address of the request. */
  person?: Readonly<Record<LinkChannel, string>>;
  onSent?: () => void;
  onCancel?: () => void;
}

const FAULTS = { email: 'mail.fault', phone: 'code.phoneFault' } as const;
const LABELS = { email: 'mail.label', phone: 'code.phoneLabel' } as const;

/** Sends the message. `fault` says what is wrong with its address. */
function useSend({ id, onSent }: Pick<SendLinkProps, 'id' | 'onSent'>, body: Body) {
  const { t } = useWords();
  const { by, to } = body;
  const send = useAction((sent: Body) => call('POST /v1/verifications/:id/send', { id, body: sent }), {
    says: () => (to ? t('send.done', { to }) : t('send.doneKnown')),
    ...(onSent ? { onDone: onSent } : {}),
  });
  const [fault, setFault] = useState<string>();
  const submit = () => {
    setFault(undefined);
    send.mutate(body, {
      onError: error => {
        if (!(error instanceof ApiError) || !error.fields.some(({ path }) => path === 'to')) return;
        setFault(t(to ? FAULTS[by] : 'send.unknown'));
      },
    });
  };
  return { send, submit, fault, setFault };
}

/** Sends the link of a verification to the person, and says so. */
export function SendLink(props: SendLinkProps) {
  const { id, channels, person, onCancel } = props;
  const { t, language } = useWords();
  const first = channels.find(channel => person?.[channel]) ?? channels[0]!;
  const [by, setBy] = useState<LinkChannel>(first);
  const [typed, setTyped] = useState({ email: person?.email ?? '', phone: person?.phone ?? '' });
  const [locale, setLocale] = useState<Language>(language);
  const [remind, setRemind] = useState(false);
  const to = typed[by].trim();
  const body: Body = { by, locale, remind, ...(to ? { to } : {}) };
  const { send, submit, fault, setFault } = useSend(props, body);
  return (
    <Form
      label={t('send.send')}
      sending={send}
      error={fault === undefined ? send.error : null}
      requests={[{ label: t('send.send'), to: `POST /v1/verifications/${id}/send`, body }]}
      onSubmit={submit}
      {...(onCancel ? { onCancel } : {})}
    >
      {channels.length > 1 && (
        <Choice
          name={`send-${id}`}
          label={t('send.by')}
          look="checks-line"
          values={channels}
          nameOf={channel => t(`send.${channel}`)}
          chosen={by}
          onChange={setBy}
        />
      )}
      <div className="pairs">
        <Field
          label={t(LABELS[by])}
          {...(person ? {} : { hint: t('send.emptyHint') })}
          type={by === 'email' ? 'email' : 'tel'}
          value={typed[by]}
          onChange={value => {
            setFault(undefined);
            setTyped({ ...typed, [by]: value });
          }}
          input={{ autoComplete: 'off' }}
          maxLength={254}
          fault={fault}
        />
        <SelectField
          label={t('send.locale')}
          options={Object.entries(LANGUAGES)}
          value={locale}
          onChosen={chosen => setLocale(chosen as Language)}
        />
      </div>
      <Switch label={t('send.remind')} on={remind} onChange={setRemind} />
    </Form>
  );
}
