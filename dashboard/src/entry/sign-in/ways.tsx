import type { Me, SignInMethods } from '@firsthand/contract/people/people.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useSignInMethods } from '../../base/api/sign-in-methods.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Problem, Read } from '../../base/parts/states.tsx';
import { ByCode } from './by-code.tsx';
import { ByMail } from './by-mail.tsx';
import { NoPasskeyUsed, passkeysHere, signInWithPasskey, usePasskeyAutofill } from './passkey.ts';

interface WaysProps {
  onSignedIn: (me: Me) => void;
  /** Where a provider leads back to. */
  returnTo: string;
  /** Providers open in a tab of their own: this page must stay as it is. */
  stay?: boolean;
}

/** All ways to sign in to this deployment: passkey first, then the providers, then e-mail, then a code. */
export function Ways(props: WaysProps) {
  const methods = useSignInMethods();
  return <Read query={methods}>{found => <Offered {...props} methods={found} />}</Read>;
}

function Offered({ methods, onSignedIn, returnTo, stay = false }: WaysProps & { methods: SignInMethods }) {
  const { t } = useWords();
  // With a link or a code on its way there is one thing to do.
  const [waitingFor, setWaitingFor] = useState<'mail' | 'code' | null>(null);
  const [byCode, setByCode] = useState(!methods.magic_link);
  const passkey = useMutation({ mutationFn: signInWithPasskey, meta: { signsIn: true }, onSuccess: onSignedIn });
  const [autofillError, setAutofillError] = useState<unknown>(null);
  const passkeys = methods.passkey && passkeysHere;
  usePasskeyAutofill(passkeys && methods.magic_link && waitingFor === null, onSignedIn, setAutofillError);

  const blocks: ReactNode[] = [];
  if (waitingFor === null) {
    if (passkeys) {
      blocks.push(
        <div className="stack" key="passkey">
          <Button weight="main" busy={passkey.isPending} onPress={() => passkey.mutate()}>
            <Icon name="key" />
            {t('signIn.passkey')}
          </Button>
          {passkey.error instanceof NoPasskeyUsed ? (
            <p className="notice doubtful" role="alert">
              <Icon name="doubt" />
              <span>{t('signIn.noPasskeyUsed')}</span>
            </p>
          ) : (
            <Problem error={passkey.error ?? autofillError} />
          )}
        </div>,
      );
    }
    if (methods.providers.length > 0) {
      blocks.push(
        <div className="stack" key="providers">
          {methods.providers.map(({ name, label }) => (
            <a
              key={name}
              className="button quiet"
              href={`${ROOT}/v1/auth/${encodeURIComponent(name)}/start?return_to=${encodeURIComponent(returnTo)}`}
              {...(stay ? { target: '_blank', rel: 'noreferrer' } : {})}
            >
              {t('signIn.provider', { label })}
            </a>
          ))}
        </div>,
      );
    }
  }
  if (methods.magic_link && waitingFor !== 'code') {
    blocks.push(
      <ByMail key="mail" sent={waitingFor === 'mail'} onSent={sent => setWaitingFor(sent ? 'mail' : null)} />,
    );
  }
  if (methods.one_time_code && waitingFor !== 'mail') {
    blocks.push(
      byCode ? (
        <ByCode
          key="code"
          onSignedIn={onSignedIn}
          onSent={sent => setWaitingFor(sent ? 'code' : null)}
          focused={methods.magic_link}
        />
      ) : (
        <Button key="code" weight="plain" onPress={() => setByCode(true)}>
          {t('signIn.codeInstead')}
        </Button>
      ),
    );
  }
  return (
    <div className="ways">
      {blocks.flatMap((block, index) =>
        index === 1
          ? [
              <p className="or" key="or">
                <span>{t('signIn.or')}</span>
              </p>,
              block,
            ]
          : [block],
      )}
      {waitingFor === null && <Missing methods={methods} />}
    </div>
  );
}

/** Of each way that is off, one sentence that says what to set. */
function Missing({ methods }: { methods: SignInMethods }) {
  const { t } = useWords();
  const missing = [
    !passkeysHere ? t('signIn.noPasskeysHere') : methods.passkey ? null : t('missing.passkey'),
    methods.providers.length > 0 ? null : t('missing.providers'),
    methods.magic_link ? null : t('missing.magic_link'),
    methods.one_time_code ? null : t('missing.one_time_code'),
  ].filter(sentence => sentence !== null);
  if (missing.length === 0) return null;
  return (
    <details className="missing">
      <summary>{t('missing.title')}</summary>
      <ul>
        {missing.map(sentence => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </details>
  );
}
