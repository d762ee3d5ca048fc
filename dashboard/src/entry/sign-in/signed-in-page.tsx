import { useEffect } from 'react';
import { useWords } from '../../base/language.tsx';
import { Icon, Logo } from '../../base/parts/icon.tsx';
import { PageTitle } from '../../base/parts/page.tsx';
import { Read } from '../../base/parts/states.tsx';
import { tellOtherTabs } from '../session/channel.ts';
import { useMe } from '../session/me.ts';

/** Where a provider leads to that was opened in a tab of its own: the page that asked goes on by itself. */
export function SignedInPage() {
  const { t } = useWords();
  const me = useMe();
  const personId = me.data?.person.id;
  useEffect(() => {
    if (personId === undefined) return;
    tellOtherTabs({ type: 'signed-in', personId });
    window.close();
  }, [personId]);
  return (
    <div className="sign-in stack">
      <main className="card">
        <Logo />
        <Read query={me}>
          {() => (
            <>
              <div className="emblem">
                <Icon name="check" />
              </div>
              <PageTitle intro={t('signedIn.text')}>{t('signedIn.title')}</PageTitle>
            </>
          )}
        </Read>
      </main>
    </div>
  );
}
