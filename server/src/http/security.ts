import type { CredentialKind } from './principal.ts';

/** Name of the cookie that a signed-in person's browser sends. */
export const SESSION_COOKIE = 'firsthand_session';

/** The OpenAPI security schemes, by the name that requirements use. */
export const SECURITY_SCHEMES = {
  publishable_key: {
    type: 'http',
    scheme: 'bearer',
    description: '`pk_live_…` or `pk_test_…`: creates and reads verifications in its own mode.',
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

/** What each kind of credential asks for; null: nothing besides the address itself. */
const REQUIREMENT: Record<CredentialKind, Requirement | null> = {
  key: { publishable_key: [] },
  secret: { secret_key: [] },
  session: { session: [] },
  bot: { bot_signature: [], bot_timestamp: [] },
  capture: null,
  sign_in: null,
  none: null,
};

/** The credential that most callers use comes first: generated examples show it. */
const ORDER: readonly CredentialKind[] = ['key', 'secret', 'session', 'bot'];

/** The `security` of an operation: any one of the requirements suffices; empty for one that is open. */
export const securityOf = (credentials: readonly CredentialKind[]): Requirement[] =>
  ORDER.filter(kind => credentials.includes(kind)).flatMap(kind => REQUIREMENT[kind] ?? []);
