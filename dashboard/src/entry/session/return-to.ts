import { ROOT } from '@firsthand/look/root.ts';

/** The dashboard's first page. */
export const BASE = `${ROOT}/dashboard`;
const SIGN_IN = `${BASE}/sign-in`;

/** A path of the dashboard to go on to, from `?return_to=`; anything else gives its first page. */
export function returnPath(search: string): string {
  const wanted = new URLSearchParams(search).get('return_to');
  if (wanted === null || !URL.canParse(wanted, location.origin)) return BASE;
  const { origin, pathname, search: query } = new URL(wanted, location.origin);
  const within = pathname === BASE || pathname.startsWith(`${BASE}/`);
  return origin === location.origin && within && pathname !== SIGN_IN ? pathname + query : BASE;
}

/** The sign-in page that leads back to where the person is. `ended`: they were signed in a moment ago. */
export function signInPath(ended: boolean): string {
  const here = location.pathname + location.search;
  const query = new URLSearchParams();
  if (here !== BASE) query.set('return_to', here);
  if (ended) query.set('ended', '1');
  return query.size > 0 ? `${SIGN_IN}?${query}` : SIGN_IN;
}
