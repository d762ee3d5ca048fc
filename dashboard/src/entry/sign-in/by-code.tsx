import type { Me } from '@firsthand/contract/people/people.ts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Problem } from '../../base/parts/states.tsx';

const E164 = /^\+[1-9]\d{6,14}$/;
/** Blanks, hyphens, dots and brackets are how people write a number; 00 is how many dial the plus. */
const asDialled = (typed: string): string => typed.replace(/[\s\-./()]/g, '').replace(/^00/, '+');

interface ByCodeProps {
  onSignedIn: (me: Me) => void;
  onSent: (sent: boolean) => void;
  /** The person has just asked for this way. */
  focused: boolean;
}

export function ByCode({ onSignedIn, onSent, focused }: ByCodeProps) {
  const { t } = useWords();
  const [phone, setPhone] = useState('');
  const [fault, setFault] = useState<string>();
  const number = asDialled(phone);
  const ask = useMutation({
    mutationFn: () => call('POST /v1/auth/one-time-code', { body: { phone_e164: number } }),
    onSuccess: () => onSent(true),
  });
  if (ask.data) {
    const again = () => {
      ask.reset();
      onSent(false);
    };
    return <EnterCode otpId={ask.data.otp_id} phone={number} onSignedIn={onSignedIn} onAgain={again} />;
  }
  return (
    <Form
      validationBehavior="aria"
      className="stack"
      onSubmit={event => {
        event.preventDefault();
        const right = E164.test(number);
        setFault(right ? undefined : t('code.phoneFault'));
        if (right) ask.mutate();
      }}
    >
      <Field
        label={t('code.phoneLabel')}
        hint={t('code.phoneHint')}
        type="tel"
        name="phone"
        value={phone}
        onChange={setPhone}
        fault={fault}
        autoFocus={focused}
        input={{ autoComplete: 'tel' }}
      />
      <Problem error={ask.error} />
      <Button type="submit" busy={ask.isPending}>
        <Icon name="phone" />
        {t('code.send')}
      </Button>
    </Form>
  );
}

interface EnterCodeProps {
  otpId: string;
  phone: string;
  onSignedIn: (me: Me) => void;
  onAgain: () => void;
}

function EnterCode({ otpId, phone, onSignedIn, onAgain }: EnterCodeProps) {
  const { t } = useWords();
  const [code, setCode] = useState('');
  const [fault, setFault] = useState<string>();
  const redeem = useMutation({
    mutationFn: () => call('POST /v1/auth/one-time-code/redeem', { body: { otp_id: otpId, code } }),
    meta: { signsIn: true },
    onSuccess: onSignedIn,
  });
  return (
    <Form
      validationBehavior="aria"
      className="stack"
      onSubmit={event => {
        event.preventDefault();
        const right = /^\d{6}$/.test(code);
        setFault(right ? undefined : t('code.fault'));
        if (right) redeem.mutate();
      }}
    >
      <div className="sent stack" role="status">
        <Icon name="phone" />
        <h2>{t('code.sentTitle')}</h2>
        <p>{t('code.sentText', { phone })}</p>
      </div>
      <Field
        label={t('code.label')}
        name="code"
        value={code}
        onChange={typed => setCode(typed.replace(/\D/g, '').slice(0, 6))}
        fault={fault}
        autoFocus
        input={{ autoComplete: 'one-time-code', inputMode: 'numeric', className: 'input code' }}
      />
      <Problem error={redeem.error} />
      <Button weight="main" type="submit" busy={redeem.isPending}>
        {t('code.signIn')}
      </Button>
      <Button weight="plain" onPress={onAgain}>
        {t('code.another')}
      </Button>
    </Form>
  );
}
