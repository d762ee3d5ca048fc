import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Field } from '../../base/parts/field.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Notice, Problem } from '../../base/parts/states.tsx';
import { ME } from '../session/query-client.ts';
import { useAction } from '../session/recent.ts';
import { deviceName } from './device-name.ts';
import { addPasskey, NoPasskeyUsed, PasskeyThere } from './passkey.ts';

/** Names a passkey and has the browser make it. */
export function NewPasskeyForm({ onAdded }: { onAdded: (name: string) => void }) {
  const { t } = useWords();
  const [name, setName] = useState(() => deviceName(navigator.userAgent));
  const [fault, setFault] = useState<string>();
  const add = useAction(addPasskey, { refreshes: [ME], onDone: passkey => onAdded(passkey.name) });
  const notMade =
    add.error instanceof PasskeyThere ? 'passkey.there' : add.error instanceof NoPasskeyUsed ? 'passkey.notMade' : null;
  return (
    <Form
      validationBehavior="aria"
      className="stack"
      onSubmit={event => {
        event.preventDefault();
        const typed = name.trim();
        setFault(typed === '' ? t('passkey.nameFault') : undefined);
        if (typed !== '') add.mutate(typed);
      }}
    >
      <Field
        label={t('passkey.name')}
        hint={t('passkey.nameHint')}
        value={name}
        onChange={setName}
        fault={fault}
        maxLength={120}
        input={{ autoComplete: 'off' }}
      />
      {notMade ? (
        <Notice look="doubtful" icon="doubt" role="alert">
          {t(notMade)}
        </Notice>
      ) : (
        <Problem error={add.error} />
      )}
      <Button weight="main" type="submit" busy={add.isPending}>
        <Icon name="key" />
        {t('passkey.add')}
      </Button>
    </Form>
  );
}
