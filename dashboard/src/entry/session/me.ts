import type { Me } from '@firsthand/contract/people/people.ts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { call, showMode } from '../../base/api/call.ts';
import { showInAddress } from './address.ts';
import { onNews, tellOtherTabs } from './channel.ts';
import { ME, queryClient } from './query-client.ts';
import { BASE } from './return-to.ts';

const ME_QUERY = queryOptions({
  queryKey: ME,
  queryFn: ({ signal }) => call('GET /v1/me', { signal }),
});

/** Asks who is signed in, before the page is there. */
export const readMe = () => queryClient.prefetchQuery(ME_QUERY);

/**
 * Who is signed in. Read again when the person comes back to the page, and when the session should have ended; never by a
 * timer, which would keep an idle session alive.
 */
export function useMe() {
  const me = useQuery({ ...ME_QUERY, refetchOnWindowFocus: 'always' });
  const { data, refetch } = me;
  const livemode = data?.tenant.livemode;
  useEffect(() => showMode(livemode), [livemode]);
  const endsAt = data?.session.expires_at;
  useEffect(() => {
    if (endsAt === undefined) return undefined;
    const timer = setTimeout(() => void refetch(), Math.max(0, Date.parse(endsAt) - Date.now()) + 1_000);
    return () => clearTimeout(timer);
  }, [endsAt, refetch]);
  useEffect(
    () =>
      onNews(news => {
        if (news.type === 'switched') void queryClient.resetQueries();
        else void refetch();
      }),
    [refetch],
  );
  return me;
}

/** Takes over who has just signed in, here and in the other tabs. */
export function becomeSignedIn(me: Me): void {
  const before = queryClient.getQueryData<Me>(ME);
  if (before && before.person.id !== me.person.id) queryClient.clear();
  queryClient.setQueryData(ME, me);
  tellOtherTabs({ type: 'signed-in', personId: me.person.id });
}

/** Takes over another account or mode: whatever was read before belongs to the old one. */
export function becomeSwitched(me: Me): void {
  queryClient.removeQueries({ predicate: query => query.queryKey[0] !== ME[0] });
  queryClient.setQueryData(ME, me);
  showInAddress(me.tenant.livemode);
  tellOtherTabs({ type: 'switched' });
}

/** Ends this session, or all of the person's. */
export async function signOut(everywhere: boolean): Promise<void> {
  if (everywhere) await call('DELETE /v1/me/sessions', {});
  await call('POST /v1/auth/sign-out', { body: {} });
  queryClient.clear();
  sessionStorage.clear();
  tellOtherTabs({ type: 'ended' });
  navigate(`${BASE}/sign-in`);
}
