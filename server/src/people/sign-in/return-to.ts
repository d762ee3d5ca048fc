export const DASHBOARD = '/dashboard';

/**
 * Returns the path of this origin to open after a sign-in, as a browser would resolve it. For an address that leads
 * elsewhere, in any spelling, returns the dashboard's first page.
 */
export function returnPath(returnTo: string | undefined, origin: string): string {
  // A browser drops tabs and line breaks in an address and reads a backslash as a slash.
  if (returnTo === undefined || !/^\/(?!\/)[^\\\p{Cc}]*$/u.test(returnTo)) return DASHBOARD;
  const url = URL.canParse(returnTo, origin) ? new URL(returnTo, origin) : null;
  // Resolving dots can leave two slashes in front: `/a/..//other.example`.
  if (url?.origin !== new URL(origin).origin || url.pathname.startsWith('//')) return DASHBOARD;
  return url.pathname + url.search + url.hash;
}
