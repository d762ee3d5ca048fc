import type { InvitedPerson, Person } from '@firsthand/contract/people/people.ts';
import { ApiError } from '@firsthand/sdk/capture/errors.ts';
import { useEffect, useState } from 'react';
import { Controller, type UseFormReturn, useForm } from 'react-hook-form';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Copyable } from '../../base/parts/copy.tsx';
import { Dialog } from '../../base/parts/dialog.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Form } from '../../base/parts/form.tsx';
import { callName, PEOPLE } from '../../base/people.ts';
import { useDraft } from '../../entry/session/draft.ts';
import { useAction } from '../../entry/session/recent.ts';
import { useSignedIn } from '../../entry/session/signed-in.ts';
import { RoleSelect } from './role-select.tsx';

interface Typed {
  name: string;
  email: string;
  phone_e164: string;
  role: Person['role'];
}
const EMPTY: Typed = { name: '', email: '', phone_e164: '', role: 'reviewer' };

interface InviteProps {
  onClose: () => void;
  onInvited: (person: InvitedPerson) => void;
}

/** The form of an invitation, kept as a draft until it is sent. */
function useInvite(onInvited: InviteProps['onInvited']) {
  const { t } = useWords();
  const { person: me } = useSignedIn();
  const draft = useDraft(me.id, 'invite', EMPTY);
  const form = useForm<Typed>({ defaultValues: draft.kept });
  const invite = useAction((body: Partial<Typed> & Pick<Typed, 'role'>) => call('POST /v1/people', { body }), {
    refreshes: [PEOPLE],
    onDone: person => {
      draft.forget();
      onInvited(person);
    },
  });
  useEffect(
    () => form.subscribe({ formState: { values: true }, callback: ({ values }) => draft.keep(values) }),
    [form, draft],
  );
  /** The service refused, and no field is at fault. */
  const [unnamed, setUnnamed] = useState(false);
  const onError = (error: unknown) => {
    // The service names each fault by its path; the fields of this form have the same names.
    const faults = error instanceof ApiError ? error.fields.filter(({ path }) => path in EMPTY) : [];
    for (const { path } of faults)
      form.setError(path as keyof Typed, { message: t(FAULTS[path] ?? 'problem.invalid_request') });
    setUnnamed(faults.length === 0);
  };
  const send = form.handleSubmit(({ role, ...rest }) => {
    const given = Object.fromEntries(
      Object.entries(rest).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]])),
    );
    invite.mutate({ role, ...given }, { onError });
  });
  return { form, send, busy: invite.isPending, problem: unnamed ? invite.error : null };
}

export function Invite({ onClose, onInvited }: InviteProps) {
  const { t } = useWords();
  const { form, send, busy, problem } = useInvite(onInvited);
  return (
    <Dialog title={t('people.inviteTitle')} onClose={onClose}>
      <Form
        label={t('people.invite')}
        sending={{ isPending: busy, error: problem }}
        onSubmit={() => {
          const { email, phone_e164: phone } = form.getValues();
          if (email.trim() === '' && phone.trim() === '') form.setError('email', { message: t('people.needsOne') });
          else void send();
        }}
        onCancel={onClose}
      >
        <TextLine form={form} name="name" label={t('people.name')} />
        <TextLine form={form} name="email" label={t('people.email')} type="email" />
        <TextLine form={form} name="phone_e164" label={t('people.phone')} type="tel" hint={t('people.phoneHint')} />
        <Controller
          name="role"
          control={form.control}
          render={({ field }) => <RoleSelect label={t('people.role')} value={field.value} onChange={field.onChange} />}
        />
      </Form>
    </Dialog>
  );
}

interface TextLineProps {
  form: UseFormReturn<Typed>;
  name: 'name' | 'email' | 'phone_e164';
  label: string;
  type?: string;
  hint?: string;
}

/** One line of the form, whose fault goes as the person types. */
const TextLine = ({ form, name, ...shown }: TextLineProps) => (
  <Controller
    name={name}
    control={form.control}
    render={({ field: { ref, disabled, onChange, ...field }, fieldState }) => (
      <Field
        {...field}
        {...shown}
        onChange={value => {
          form.clearErrors(name);
          onChange(value);
        }}
        fault={fieldState.error?.message}
        inputRef={ref}
        input={{ autoComplete: 'off' }}
      />
    )}
  />
);

const FAULTS = {
  name: 'people.nameFault',
  email: 'mail.fault',
  phone_e164: 'code.phoneFault',
} as Record<string, 'people.nameFault' | 'mail.fault' | 'code.phoneFault'>;

/** Somebody was invited: by mail, or by the link that is shown here once. */
export function Invited({ person, onClose }: { person: InvitedPerson; onClose: () => void }) {
  const { t } = useWords();
  const name = callName(person, t('account.nameless'));
  const url = person.sign_in_url;
  return (
    <Dialog title={t('people.invited', { name })} onClose={onClose}>
      {url === undefined ? (
        <p>{t('people.invitedByMail')}</p>
      ) : (
        <>
          <p>{t('people.invitedByLink')}</p>
          <Copyable text={url} label={t('common.copy')} />
        </>
      )}
      <div className="actions">
        <Button weight="main" onPress={onClose}>
          {t('common.done')}
        </Button>
      </div>
    </Dialog>
  );
}
