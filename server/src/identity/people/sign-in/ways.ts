import { isIP } from 'node:net';
import type { SignInMethods } from '@firsthand/contract/people/people.ts';
import type { Deps } from '../../../platform/deps.ts';

/** One sentence for each way to sign in that is not configured, saying which setting it needs. */
export function missingWays({
  config,
  origins,
}: Pick<Deps, 'config' | 'origins'>): NonNullable<SignInMethods['missing']> {
  const { protocol, hostname } = new URL(origins.public);
  const host = hostname.replace(/^\[|\]$/g, '');
  const secure = protocol === 'https:' || hostname === 'localhost';
  return {
    ...(config.providers.length === 0
      ? {
          providers:
            'To sign in with an identity provider, set OIDC_<NAME>_ISSUER, OIDC_<NAME>_CLIENT_ID and OIDC_<NAME>_CLIENT_SECRET.',
        }
      : {}),
    ...(config.smtpUrl === null ? { magic_link: 'To sign in by e-mail, set SMTP_URL and MAIL_FROM.' } : {}),
    ...(config.botUrl === null
      ? { one_time_code: 'To sign in with a code by message, set BOT_URL and BOT_SECRETS.' }
      : {}),
    // WebAuthn needs a host name and a secure context.
    ...(secure && isIP(host) === 0
      ? {}
      : { passkey: 'To sign in with a passkey, set PUBLIC_URL to an https address with a host name.' }),
  };
}
