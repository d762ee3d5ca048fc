import { WEB_ORIGIN } from './patterns.ts';

/**
 * Reads an http or https URL as those who fetch it later do. Null: they could not. The scheme is written out, because the
 * parser also takes `https:example.com`; names outside of ASCII are welcome.
 */
export function webUrlOf(text: string): URL | null {
  if (!/^https?:\/\/[^/\\]/i.test(text) || /[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.port === '0' ? null : url;
}

/** An origin as browsers write it: scheme, host, and the port where it is not the scheme's own. */
export const isWebOrigin = (text: string): boolean =>
  new RegExp(WEB_ORIGIN).test(text) && URL.canParse(text) && new URL(text).origin === text;
