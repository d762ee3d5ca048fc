import type { Me, SignInMethods } from '@firsthand/contract/people/people.ts';
import { ROOT } from '@firsthand/look/root.ts';
import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useSignInMethods } from '../../base/api/sign-in-methods.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { Icon } from '../../base/parts/icon.tsx';
import { Notice, Problem, Read } from '../../base/parts/states.tsx';
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
  const [autofillError, setAutofillError] = useState<unknown>(null);
  const isWaiting = waitingFor !== null;
  const passkeys = methods.passkey && passkeysHere;
  usePasskeyAutofill(passkeys && methods.magic_link && !isWaiting, onSignedIn, setAutofillError);
  const ways: (ReactElement | false)[] = [
    passkeys && !isWaiting && <ByPasskey key="passkey" onSignedIn={onSignedIn} autofillError={autofillError} />,
    methods.providers.length > 0 && !isWaiting && (
      <Providers key="providers" providers={methods.providers} returnTo={returnTo} stay={stay} />
    ),
    methods.magic_link && waitingFor !== 'code' && (
      <ByMail key="mail" sent={waitingFor === 'mail'} onSent={sent => setWaitingFor(sent ? 'mail' : null)} />
    ),
    methods.one_time_code &&
      waitingFor !== 'mail' &&
      (byCode ? (
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
      )),
  ];
  const or = (
    <p className="or" key="or">
      <span>{t('signIn.or')}</span>
    </p>
  );
  return (
    <div className="ways stack">
      {/* One list: a way that becomes the first one keeps what was typed. */}
      {ways.filter(way => way !== false).flatMap((way, index) => (index === 1 ? [or, way] : [way]))}
      {!isWaiting && <Missing methods={methods} />}
    </div>
  );
}

interface ByPasskeyProps {
  onSignedIn: (me: Me) => void;
  /** Why the browser's own offer of a passkey failed. */
  autofillError: unknown;
}

function ByPasskey({ onSignedIn, autofillError }: ByPasskeyProps) {
  const { t } = useWords();
  const passkey = useMutation({ mutationFn: signInWithPasskey, meta: { signsIn: true }, onSuccess: onSignedIn });
  return (
    <div className="stack">
      <Button weight="main" busy={passkey.isPending} onPress={() => passkey.mutate()}>
        <Icon name="key" />
        {t('signIn.passkey')}
      </Button>
      {passkey.error instanceof NoPasskeyUsed ? (
        <Notice look="doubtful" icon="doubt" role="alert">
          {t('signIn.noPasskeyUsed')}
        </Notice>
      ) : (
        <Problem error={passkey.error ?? autofillError} />
      )}
    </div>
  );
}

type ProvidersProps = Pick<SignInMethods, 'providers'> & Required<Pick<WaysProps, 'returnTo' | 'stay'>>;

function Providers({ providers, returnTo, stay }: ProvidersProps) {
  const { t } = useWords();
  return (
    <div className="stack">
      {providers.map(({ name, label }) => (
        <a
          key={name}
          className="button quiet"
          href={`${ROOT}/v1/auth/${encodeURIComponent(name)}/start?return_to=${encodeURIComponent(returnTo)}`}
          {...(stay ? { target: '_blank', rel: 'noreferrer' } : {})}
        >
          {t('signIn.provider', { label })}
        </a>
      ))}
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
