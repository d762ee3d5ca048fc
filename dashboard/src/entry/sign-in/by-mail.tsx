import { isEmailAddress } from '@firsthand/contract/base/email-address.ts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Problem } from '../../base/parts/states.tsx';

export function ByMail({ sent, onSent }: { sent: boolean; onSent: (sent: boolean) => void }) {
  const { t } = useWords();
  const [email, setEmail] = useState('');
  const [fault, setFault] = useState<string>();
  const ask = useMutation({
    mutationFn: () => call('POST /v1/auth/magic-link', { body: { email: email.trim() } }),
    onSuccess: () => onSent(true),
  });
  if (sent) {
    return (
      <div className="stack">
        <div className="sent stack" role="status">
          <Icon name="mail" />
          <h2>{t('mail.sentTitle')}</h2>
          <p>{t('mail.sentText', { email: email.trim() })}</p>
        </div>
        <Button onPress={() => onSent(false)}>{t('mail.another')}</Button>
      </div>
    );
  }
  return (
    <Form
      validationBehavior="aria"
      className="stack"
      onSubmit={event => {
        event.preventDefault();
        const right = isEmailAddress(email.trim());
        setFault(right ? undefined : t('mail.fault'));
        if (right) ask.mutate();
      }}
    >
      <Field
        label={t('mail.label')}
        type="email"
        name="email"
        value={email}
        onChange={setEmail}
        fault={fault}
        input={{ autoComplete: 'username webauthn', inputMode: 'email' }}
      />
      <Problem error={ask.error} />
      <Button type="submit" busy={ask.isPending}>
        <Icon name="mail" />
        {t('mail.send')}
      </Button>
    </Form>
  );
}
