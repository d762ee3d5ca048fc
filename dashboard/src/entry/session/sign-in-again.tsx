import type { Me } from '@firsthand/contract/people/people.ts';
import { useEffect } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { useWords } from '../../base/language.tsx';
import { Dialog } from '../../base/parts/dialog.tsx';
import { Ways } from '../sign-in/ways.tsx';
import { onNews } from './channel.ts';
import { becomeSignedIn } from './me.ts';
import { ME, queryClient } from './query-client.ts';
import { useWish } from './recent.ts';
import { BASE } from './return-to.ts';

/** The dialog that signs in again before a change that asks for it; then the change is made. */
export function SignInAgain() {
  const { t } = useWords();
  const wish = useWish();
  useEffect(() => {
    if (!wish) return undefined;
    return onNews(news => {
      if (news.type !== 'signed-in') return;
      if (news.personId === queryClient.getQueryData<Me>(ME)?.person.id) wish.grant();
      else leave(wish.decline);
    });
  }, [wish]);
  if (!wish) return null;
  const signedIn = (me: Me) => {
    const same = me.person.id === queryClient.getQueryData<Me>(ME)?.person.id;
    becomeSignedIn(me);
    if (same) wish.grant();
    else leave(wish.decline);
  };
  return (
    <Dialog title={t('again.title')} onClose={wish.decline}>
      <p className="soft">{t('again.text')}</p>
      <Ways onSignedIn={signedIn} returnTo={`${BASE}/signed-in`} stay />
    </Dialog>
  );
}

/** Somebody else signed in: their own first page, and nothing is done in their name. */
function leave(decline: () => void): void {
  decline();
  navigate(BASE);
}
