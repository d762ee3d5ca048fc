import { rootOf } from '../../../platform/http/root.ts';

/** The dashboard's first page, for a browser at the base URL. */
export const dashboardAt = (base: string): string => `${rootOf(base)}/dashboard`;

/**
 * Returns the path of this origin to open after a sign-in, as a browser would resolve it. For an address that leads
 * elsewhere, in any spelling, returns the dashboard's first page.
 */
export function returnPath(returnTo: string | undefined, base: string): string {
  const first = dashboardAt(base);
  // A browser drops tabs and line breaks in an address and reads a backslash as a slash.
  if (returnTo === undefined || !/^\/(?!\/)[^\\\p{Cc}]*$/u.test(returnTo)) return first;
  const url = URL.canParse(returnTo, base) ? new URL(returnTo, base) : null;
  // Resolving dots can leave two slashes in front: `/a/..//other.example`.
  if (url?.origin !== new URL(base).origin || url.pathname.startsWith('//')) return first;
  // Other programs may live on the same host, beside the root.
  if (!url.pathname.startsWith(`${rootOf(base)}/`)) return first;
  return url.pathname + url.search + url.hash;
}
