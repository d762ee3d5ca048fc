import type { Role } from '@firsthand/contract/people/people.ts';
import { hasRole } from '@firsthand/contract/people/roles.ts';
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../../platform/http/endpoint.ts';
import { isApp, type Principal } from '../../platform/http/principal.ts';
import { Problem } from '../../platform/http/problem.ts';
import { bearerOf } from './bearer.ts';

// Refusals that say which kind of credential came and which would do. The kind of a refused one is told by its looks: unknown, revoked
// and misspelt keys get the same answer.

type Sent =
  | 'none'
  | 'malformed'
  | 'publishable_key'
  | 'app_key'
  | 'secret_key'
  | 'webhook_secret'
  | 'verification_id'
  | 'unknown'
  | 'session'
  | 'bot_signature';

const PREFIXES: readonly (readonly [RegExp, Sent])[] = [
  [/^pk_(live|test)_/, 'publishable_key'],
  [/^rk_secret_/, 'secret_key'],
  [/^whsec_/, 'webhook_secret'],
  [/^vfy_/, 'verification_id'],
];

function sentWith(request: FastifyRequest, sessionCookie: string): Sent {
  const token = bearerOf(request.headers.authorization);
  if (token === '') return 'malformed';
  if (token !== null) return PREFIXES.find(([pattern]) => pattern.test(token))?.[1] ?? 'unknown';
  if (request.headers['x-bot-auth'] !== undefined) return 'bot_signature';
  return request.cookies[sessionCookie] === undefined ? 'none' : 'session';
}

const NAMES: Readonly<Partial<Record<Principal['kind'], Sent>>> = {
  key: 'publishable_key',
  secret: 'secret_key',
  session: 'session',
  bot: 'bot_signature',
};

const acceptedBy = ({ credentials }: Pick<Endpoint, 'credentials'>): Sent[] =>
  credentials.flatMap(kind => NAMES[kind as Principal['kind']] ?? []);

const WORDS: Readonly<Partial<Record<Sent, string>>> = {
  publishable_key: 'a publishable key (pk_live_…, pk_test_…)',
  secret_key: 'a secret key (rk_secret_…)',
  session: 'a session of the dashboard',
  bot_signature: 'the signature of a bot',
};

const INVALID: Readonly<Record<Sent, string>> = {
  none: 'The request has no credential.',
  malformed: 'The Authorization header is not "Bearer" and one key.',
  publishable_key:
    'This publishable key is not valid: it is incomplete, unknown, revoked, or for a mode that is not served.',
  app_key: 'This key for apps is not valid.',
  secret_key: 'This secret key is not valid: it is incomplete, unknown or revoked.',
  webhook_secret: 'A webhook secret checks webhooks and opens nothing.',
  verification_id: 'A verification id is no key.',
  unknown: 'The bearer token is not a key of this service.',
  session: 'This session is not valid. Sign in again.',
  bot_signature: 'The signature of the bot is not valid: another secret, other bytes, too old, or used before.',
};

const REFUSED: Readonly<Partial<Record<Sent, string>>> = {
  publishable_key: 'A publishable key does not open this.',
  app_key: 'A key for apps does not open this.',
  secret_key: 'A secret key does not open this.',
  session: 'A session of the dashboard does not open this.',
  bot_signature: 'The signature of a bot does not open this.',
};

/** `Send a … or a …. Keys go into the header …`. */
function wayIn(accepted: readonly Sent[]): string {
  const words = accepted.flatMap(kind => WORDS[kind] ?? []);
  const list = words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : words[0];
  const keys = accepted.some(kind => kind.endsWith('_key')) ? ' A key goes into "Authorization: Bearer <key>".' : '';
  return `Send ${list}.${keys}`;
}

export function unauthorizedFor(request: FastifyRequest, endpoint: Endpoint, sessionCookie: string): Problem {
  const [sent, accepted] = [sentWith(request, sessionCookie), acceptedBy(endpoint)];
  return new Problem('unauthorized', `${INVALID[sent]} ${wayIn(accepted)}`, { params: { sent, accepted } });
}

/** `role`: the least role that the request needs. */
export function forbiddenFor(
  endpoint: Endpoint,
  principal: Principal,
  role: Role = endpoint.role ?? 'viewer',
): Problem {
  const sent = isApp(principal) ? 'app_key' : NAMES[principal.kind]!;
  const accepted = acceptedBy(endpoint);
  const { scope, credentials } = endpoint;
  const params = { sent, accepted };
  if (isApp(principal) && scope) {
    const message = `This key for apps lacks the scope ${scope}. Give it the scope, or send it from your server with another key.`;
    return new Problem('forbidden', message, { params: { ...params, scope } });
  }
  if (principal.kind !== 'session' || !credentials.includes('session'))
    return new Problem('forbidden', `${REFUSED[sent]} ${wayIn(accepted)}`, { params });
  if (!hasRole(principal.role, role)) {
    const message = `Your role, ${principal.role}, does not allow this. It needs the role ${role}.`;
    return new Problem('forbidden', message, { params: { ...params, role } });
  }
  return new Problem('forbidden', 'A session counts only in requests from a page of this service.', { params });
}
