import type { Me } from '@firsthand/contract/people/people.ts';
import { useMutation } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { call } from '../../base/api/call.ts';
import { useWords } from '../../base/language.tsx';
import { Button } from '../../base/parts/button.tsx';
import { PageTitle } from '../../base/parts/page.tsx';
import { Problem } from '../../base/parts/states.tsx';

export interface Link {
  kind: 'first' | 'token';
  token: string;
}

const subscribe = (changed: () => void) => {
  window.addEventListener('hashchange', changed);
  return () => window.removeEventListener('hashchange', changed);
};

/** The token of the link that was opened; the part of an address after `#` is sent to no server. */
export function useLink(): Link | null {
  const hash = useSyncExternalStore(subscribe, () => location.hash);
  const found = /^#(first|token)=([\w-]{1,200})$/.exec(hash);
  return found ? { kind: found[1] as Link['kind'], token: found[2]! } : null;
}

/** A used token has no place in the address, nor in the history. */
function forgetLink(): void {
  history.replaceState(history.state, '', location.pathname + location.search);
  window.dispatchEvent(new HashChangeEvent('hashchange'));
}

/** Signs in by a press, not by opening: what only looks at a link, such as a mail scanner, uses nothing up. */
export function OpenedLink({ link, onSignedIn }: { link: Link; onSignedIn: (me: Me) => void }) {
  const { t } = useWords();
  const redeem = useMutation({
    mutationFn: () =>
      link.kind === 'first'
        ? call('POST /v1/auth/first-run', { body: { token: link.token } })
        : call('POST /v1/auth/magic-link/redeem', { body: { token: link.token } }),
    meta: { signsIn: true },
    onSuccess: me => {
      forgetLink();
      onSignedIn(me);
    },
  });
  return (
    <>
      <PageTitle intro={t(link.kind === 'first' ? 'link.firstText' : 'link.text')}>
        {t(link.kind === 'first' ? 'link.firstTitle' : 'link.title')}
      </PageTitle>
      <div className="stack">
        <Problem error={redeem.error} />
        <Button weight="main" autoFocus busy={redeem.isPending} onPress={() => redeem.mutate()}>
          {t('link.signIn')}
        </Button>
        <Button weight="plain" onPress={forgetLink}>
          {t('link.otherWay')}
        </Button>
      </div>
    </>
  );
}
