import Bowser from 'bowser';

const MAX_LENGTH = 300;

/** Names a device in everyday words, from the User-Agent header: `Chrome on Windows`, `Safari on iPhone`, `curl`. */
export function deviceOf(userAgent: string | undefined): string {
  const text = userAgent?.slice(0, MAX_LENGTH).trim() ?? '';
  if (text === '') return 'unknown device';
  const { browser, os, platform } = Bowser.parse(text);
  const where = platform.model && platform.vendor === 'Apple' ? platform.model : os.name;
  if (browser.name && where) return `${browser.name} on ${where}`;
  // Other programs put their own name first: `curl/8.5.0`.
  return browser.name || where || /^[\w .-]{1,40}/.exec(text)?.[0].trim() || 'unknown device';
}
