import { type Fault, fault } from '@firsthand/contract/base/fault.ts';

/** Stands in a shown URL for what is secret in it. */
const MASK = '***';

/** Names of query parameters that hold a secret, by the words they are made of: `api_key`, `accessToken`, `X-Auth`. */
const SECRET_WORDS = new Set(
  (
    'token secret password passwd passphrase passcode pwd pass key apikey accesskey secretkey authkey auth authorization ' +
    'authtoken accesstoken credential credentials cred creds signature sig sas hmac jwt bearer session sessionid code otp pin'
  ).split(' '),
);
/** Values that are secrets under any name, by the beginnings that issuers give them. */
const SECRET_VALUE =
  /^(eyJ[\w-]+\.|(sk|pk|rk|sk-\w+)[_-]|whsec_|gh[oprsu]_|github_pat_|glpat-|xox[abeoprs]-|AKIA|AIza|Bearer\b)/i;

/** Up to the last `@` before path, query and fragment: where a URL parser looks for user and password. */
const USERINFO = /^(\s*[a-z][a-z0-9+.-]*:[\\/]*)([^\\/?#]*)@/i;

const isSecretName = (name: string): boolean =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some(word => SECRET_WORDS.has(word) || SECRET_WORDS.has(word.replace(/\d+$/, '')));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** Puts what `replace` returns in the place of each secret of a URL. Everything else stays, character by character. */
function withSecrets(url: string, replace: (secret: string) => string): string {
  const bare = url.replace(USERINFO, (_, scheme: string, userinfo: string) => `${scheme}${replace(userinfo)}@`);
  const rest = bare.search(/[?#]/);
  if (rest < 0) return bare;
  const pairs = bare.slice(rest).replace(/([^?#&;=]+)=([^#&;]+)/g, (pair, name: string, value: string) => {
    const isSecret = value === MASK || isSecretName(decoded(name)) || SECRET_VALUE.test(decoded(value));
    return isSecret ? `${name}=${replace(value)}` : pair;
  });
  return bare.slice(0, rest) + pairs;
}

/**
 * Returns a URL as people and programs may see it: `***` stands for user and password, and for the values of parameters that are
 * secrets by their name or look.
 */
export const maskUrl = (url: string): string => withSecrets(url, () => MASK);

/** True for a URL that somebody copied from where a secret of it was masked. */
export function isMasked(url: string): boolean {
  let masked = false;
  withSecrets(url, secret => {
    masked ||= secret === MASK;
    return secret;
  });
  return masked;
}

/** Masks `webhook_url` of a request or config. */
export const withMaskedUrl = <T extends { webhook_url?: string }>(shown: T): T =>
  shown.webhook_url === undefined ? shown : { ...shown, webhook_url: maskUrl(shown.webhook_url) };

/** The fault of a URL that is sent back as it was shown. */
export const maskedFaults = (path: string, url: unknown): Fault[] =>
  typeof url === 'string' && isMasked(url)
    ? [fault(path, 'masked', 'hides its secret. Send the whole URL, with the secret in place of ***.')]
    : [];
