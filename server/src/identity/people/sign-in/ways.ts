import { isIP } from 'node:net';
import { SignInMethods } from '@firsthand/contract/people/people.ts';
import type { Deps } from '../../../platform/deps.ts';
import { ok, openEndpoint } from '../../../platform/http/endpoint.ts';

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

export const getSignInMethods = openEndpoint({
  operationId: 'getSignInMethods',
  summary: 'List the sign-in methods',
  tag: 'Sign-in',
  credentials: ['none'],
  responses: { 200: SignInMethods },
  async handler({ deps }) {
    const missing = missingWays(deps);
    return ok({
      providers: deps.config.providers.map(({ name, label }) => ({ name, label })),
      magic_link: missing.magic_link === undefined,
      one_time_code: missing.one_time_code === undefined,
      passkey: missing.passkey === undefined,
      ...(Object.keys(missing).length > 0 ? { missing } : {}),
    } satisfies SignInMethods);
  },
});
