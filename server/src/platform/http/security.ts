import type { KeyScope } from '@firsthand/contract/account/key-scopes.ts';
import type { CredentialKind } from './principal.ts';

/** The name of the session cookie. */
export const SESSION_COOKIE = 'firsthand_session';

/** The OpenAPI security schemes, by the name that requirements use. */
export const SECURITY_SCHEMES = {
  publishable_key: {
    type: 'http',
    scheme: 'bearer',
    description:
      '`pk_live_…` or `pk_test_…`: creates and reads verifications in its own mode. A key with scopes opens only the operations that ' +
      'name one of its scopes.',
  },
  secret_key: {
    type: 'http',
    scheme: 'bearer',
    description:
      '`rk_secret_…`: does everything a publishable key does, in both modes, and manages the account. Use it on servers only.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: 'The cookie of a person who signed in to the dashboard.',
  },
  bot_signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Bot-Auth',
    description: 'HMAC-SHA256, in hex, of `<X-Bot-Auth-Timestamp>.<raw body>`. The body names the `tenant_id`.',
  },
  bot_timestamp: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Bot-Auth-Timestamp',
    description: 'Unix time in milliseconds, at most five minutes from now.',
  },
} as const;

type Requirement = Partial<Record<keyof typeof SECURITY_SCHEMES, string[]>>;

/** The requirement of each kind of credential; null: nothing besides the address itself. */
const REQUIREMENT: Record<CredentialKind, Requirement | null> = {
  key: { publishable_key: [] },
  secret: { secret_key: [] },
  session: { session: [] },
  bot: { bot_signature: [], bot_timestamp: [] },
  capture: null,
  sign_in: null,
  none: null,
};

/** Lists the most common credential first, because generated examples show the first one. */
const ORDER: readonly CredentialKind[] = ['key', 'secret', 'session', 'bot'];

/**
 * Returns the `security` of an operation: any one requirement suffices. Empty for an open operation. `scope`: the one that a
 * key with scopes needs.
 */
export const securityOf = (credentials: readonly CredentialKind[], scope?: KeyScope): Requirement[] =>
  ORDER.filter(kind => credentials.includes(kind)).flatMap(kind =>
    kind === 'key' && scope ? { publishable_key: [scope] } : (REQUIREMENT[kind] ?? []),
  );
