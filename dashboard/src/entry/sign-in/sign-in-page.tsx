import type { Me } from '@firsthand/contract/people/people.ts';
import { useEffect, useState } from 'react';
import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { LANGUAGES, type Language } from '../../base/dictionaries.ts';
import type { MessageKey } from '../../base/i18n.ts';
import { useWords } from '../../base/language.tsx';
import { Icon, Logo } from '../../base/parts/icon.tsx';
import { PageTitle } from '../../base/parts/page.tsx';
import { onNews } from '../session/channel.ts';
import { becomeSignedIn } from '../session/me.ts';
import { returnPath } from '../session/return-to.ts';
import { OpenedLink, useLink } from './link.tsx';
import { OfferPasskey } from './offer-passkey.tsx';
import { passkeysHere } from './passkey.ts';
import { Ways } from './ways.tsx';

/** Codes that the service sends the browser back with. */
const FAULTS: Record<string, MessageKey> = {
  cancelled: 'fault.cancelled',
  expired: 'fault.expired',
  not_invited: 'fault.not_invited',
  provider_unavailable: 'fault.provider_unavailable',
  provider_failed: 'fault.provider_failed',
};
/** People who signed in by one of these have no other way in yet. */
const FIRST_TIME = new Set(['first_run', 'invitation']);

export function SignInPage() {
  const { t, language, setLanguage } = useWords();
  const search = useSearch();
  const link = useLink();
  const [offer, setOffer] = useState(false);
  const go = () => navigate(returnPath(search), { replace: true });
  const signedIn = (me: Me) => {
    becomeSignedIn(me);
    if (passkeysHere && me.passkeys.length === 0 && FIRST_TIME.has(me.session.method)) setOffer(true);
    else go();
  };
  const waiting = !offer && !link;
  useEffect(() => {
    if (!waiting) return undefined;
    // A link from a mail opens in another tab: this one goes on from there.
    return onNews(news => {
      if (news.type === 'signed-in') navigate(returnPath(location.search), { replace: true });
    });
  }, [waiting]);
  return (
    <div className="sign-in stack">
      <main className="card">
        <Logo />
        {offer ? (
          <OfferPasskey onGo={go} />
        ) : link ? (
          <OpenedLink link={link} onSignedIn={signedIn} key={link.token} />
        ) : (
          <>
            <PageTitle>{t('signIn.title')}</PageTitle>
            <Why search={search} />
            <Ways onSignedIn={signedIn} returnTo={returnPath(search)} />
          </>
        )}
      </main>
      <nav className="languages" aria-label={t('common.language')}>
        {(Object.entries(LANGUAGES) as [Language, string][]).map(([tag, name]) => (
          <button
            key={tag}
            type="button"
            lang={tag}
            aria-pressed={tag === language}
            className="button plain"
            onClick={() => setLanguage(tag)}
          >
            {name}
          </button>
        ))}
      </nav>
    </div>
  );
}

/** Why the person is here, where it is not by their own choice. */
function Why({ search }: { search: string }) {
  const { t } = useWords();
  const query = new URLSearchParams(search);
  const code = query.get('error');
  const text = code !== null ? t(FAULTS[code] ?? 'fault.unknown') : query.has('ended') ? t('fault.ended') : null;
  if (text === null) return null;
  return (
    <p className={`notice ${code === null ? 'info' : 'failed'}`} role="alert">
      <Icon name={code === null ? 'time' : 'doubt'} />
      <span>{text}</span>
    </p>
  );
}
