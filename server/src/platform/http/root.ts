/** The path of a base URL, without a final slash: `/photos` for `https://host/photos`, empty for `https://host`. */
export const rootOf = (base: string): string => new URL(base).pathname.replace(/\/+$/, '');

/**
 * Takes a root off a request's address. A reverse proxy may leave the root in place or take it off itself; either way the routes see
 * addresses without it.
 */
export function withoutRoot(url: string, roots: readonly string[]): string {
  for (const root of roots) {
    if (root === '' || !url.startsWith(root)) continue;
    const rest = url.slice(root.length);
    if (rest === '' || rest.startsWith('?')) return `/${rest}`;
    if (rest.startsWith('/')) return rest;
  }
  return url;
}

/** Puts a root into a built page: before the addresses of its files, and where its script reads it. */
export const withRoot = (html: string, root: string, files: string): string =>
  html
    .replaceAll('="./', () => `="${root}${files}`)
    .replace('</head>', () => (root === '' ? '</head>' : `<meta name="firsthand-root" content="${root}"></head>`));
