export const DASHBOARD = '/dashboard';

/**
 * Where a sign-in returns to: a path of this origin, as a browser would resolve it. Anything that leads elsewhere, in any
 * spelling, gives the dashboard's first page.
 */
export function returnPath(returnTo: string | undefined, origin: string): string {
  // A browser drops tabs and line breaks in an address and takes a backslash for a slash.
  if (returnTo === undefined || !/^\/(?!\/)[^\\\p{Cc}]*$/u.test(returnTo)) return DASHBOARD;
  const url = URL.canParse(returnTo, origin) ? new URL(returnTo, origin) : null;
  // Dots may leave two slashes in front: `/a/..//other.example`.
  if (url?.origin !== new URL(origin).origin || url.pathname.startsWith('//')) return DASHBOARD;
  return url.pathname + url.search + url.hash;
}
