import { randomBytes } from 'node:crypto';
import { EXAMPLES } from '@firsthand/contract/examples.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import { hasRole, ROLES } from '@firsthand/contract/people/roles.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/app.ts';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { mintKey } from '../../../src/identity/tenants/keys.ts';
import type { Endpoint } from '../../../src/platform/http/endpoint.ts';
import { exampleKey, openapiDocument } from '../../../src/platform/http/openapi.ts';
import { type CredentialKind, isOpen as opens } from '../../../src/platform/http/principal.ts';
import { newUlid } from '../../../src/platform/lib/ids.ts';
import { codeOf, type Failure, refusalText } from '../../support/failure.ts';
import { ask, type Reply } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { providerSettings } from '../people/identity-provider.ts';
import { freshAddress, signedIn } from '../people/visitor.ts';
import { BOT_SECRET, FORMER_BOT_SECRET, signed } from './bot.ts';
import { FIXTURES, fixtureOf, ownFixtureOf } from './fixtures.ts';

const isOpen = (endpoint: Endpoint) => opens(endpoint.credentials);
const names = (endpoint: Endpoint) => endpoint.path.includes(':');
/** What a credential must not get that may pass. An address without a name may have nothing to answer with yet. */
const turnedAway = (endpoint: Endpoint) => [401, 403, ...(names(endpoint) ? [404] : []), 429, 500];
const takesBody = (endpoint: Endpoint) => ['POST', 'PUT', 'PATCH'].includes(endpoint.method);
/** PUT of a brand makes one of the caller's own, whatever others have. */
const creates = (endpoint: Endpoint) => endpoint.method === 'PUT' && !endpoint.exists && !endpoint.target;
/** What is live or test, and seen only in its own mode by whoever has one. */
const MODED = [
  '/v1/verifications/:',
  '/v1/reviews/:',
  '/v1/batches/:',
  '/v1/bulk-acts/:',
  '/v1/link-templates/:',
  '/v1/webhook-deliveries/:',
  '/v1/webhook-endpoints/:',
  '/v1/events/:',
];
const isModed = (endpoint: Endpoint) => MODED.some(prefix => endpoint.path.startsWith(prefix));
/** Publishable keys see only objects of their own mode; what a secret key makes is live. */
const keepsModes = (endpoint: Endpoint) => endpoint.credentials.includes('key');

/** The path with the value of its parameter; where it has two, the value covers both. */
const at = (endpoint: Endpoint, value: string) => endpoint.path.replace(/:.*:\w+|:\w+/, () => value);

/** A value of the parameter that names nothing. */
const unknownFor = (value: string): string =>
  /^[a-z]+_/.test(value)
    ? value.replace(/_[^/]*/g, () => `_${'0'.repeat(26)}`)
    : /\.(png|jpg)$/.test(value)
      ? value.replace(/^\w+/, name => '0'.repeat(name.length))
      : 'no-such-thing';

/**
 * Actions that a session of any age may take, because at worst they can be done over or undone: nothing is lost for good, no secret is
 * shown and no data goes to a new address. The list holds the members of the body that need a recent sign-in after all. A new
 * endpoint joins this list or declares `recent`; docs/security.md explains which.
 */
const TEMPLATE_MEMBERS = ['request.webhook_url', 'request.notify_email', 'retention_days', 'return_url'];
const HARMLESS = {
  'POST /v1/verifications': [],
  'POST /v1/verifications/:id/cancel': [],
  'POST /v1/verifications/:id/send': [],
  'POST /v1/verifications/:id/finalize': [],
  'PUT /v1/verifications/:id/legal-hold': [],
  'POST /v1/reviews/next': [],
  'POST /v1/reviews/:verification_id/claim': [],
  'POST /v1/reviews/:verification_id/release': [],
  'POST /v1/verifications/:id/reviews': [],
  'DELETE /v1/verifications/:id/reviews/:review_id': [],
  'PUT /v1/verifications/:id/assignee': [],
  'POST /v1/verifications/:id/comments': [],
  'POST /v1/batches': [],
  'POST /v1/batches/:id/cancel': [],
  'POST /v1/bulk-acts': ['redact'],
  'POST /v1/bulk-acts/:id/cancel': [],
  'PATCH /v1/settings': [
    'retention_days',
    'notify_email',
    'review_policy',
    'review_sample',
    'depth_policy',
    'signals_required',
    'allowed_origins',
    'public_verdict',
  ],
  'POST /v1/chat-webhook/test': [],
  'PUT /v1/brands/:slug': ['allowed_origins', 'return_url'],
  'DELETE /v1/brands/:slug': [],
  'POST /v1/link-templates': TEMPLATE_MEMBERS,
  'PUT /v1/link-templates/:id': TEMPLATE_MEMBERS,
  'POST /v1/link-templates/:id/revoke': [],
  'POST /v1/example-pictures': [],
  'DELETE /v1/example-pictures/:sha256': [],
  'POST /v1/webhook-deliveries/:id/retry': [],
  'POST /v1/webhook-deliveries/recover': [],
  'POST /v1/webhook-endpoints/:id/enable': [],
  'POST /v1/webhook-endpoints/:id/test': [],
  'POST /v1/webhooks/test': [],
  'POST /v1/events/:id/resend': ['url'],
  'POST /v1/auth/sign-out': [],
  'POST /v1/me/tenant': [],
};

/** The kinds of credential as a refusal names them. */
const KIND_NAMES = { key: 'publishable_key', secret: 'secret_key', session: 'session', bot: 'bot_signature' } as const;

describe('endpoint credentials', () => {
  const service = serviceOfSuite({
    worker: false,
    env: {
      BOT_SECRETS: `${BOT_SECRET},${FORMER_BOT_SECRET}`,
      TRUSTED_PROXIES: '127.0.0.1,::1',
      SMTP_URL: 'smtp://127.0.0.1:9',
      BOT_URL: 'http://127.0.0.1:9',
      ...providerSettings('ACME', 'http://127.0.0.1:9'),
    },
  });
  let own: NewTenant;
  let other: NewTenant;
  let revoked: string;
  let trialed: string;
  beforeAll(async () => {
    own = service.tenant;
    other = await service.newTenant();
    revoked = (
      await mintKey(service.deps.db, { tenantId: own.tenant_id, name: 'revoked', mode: 'test', now: new Date() })
    ).plaintext;
    await service.deps.db.query("update api_keys set revoked_at = now() where name = 'revoked'");
    trialed = await FIXTURES.find(([prefix]) => prefix.startsWith('/v1/trial'))![1](service, own, true);
  });
  /** Sends a request from an address of its own: the limits are another test's. */
  async function send(
    endpoint: Endpoint,
    value: string,
    headers: Record<string, string>,
    body: unknown,
  ): Promise<Reply> {
    if (endpoint.mediaType === 'text/event-stream') {
      const stop = new AbortController();
      const answer = await fetch(`${service.url}${endpoint.path}`, { headers, signal: stop.signal });
      const reader = answer.body!.getReader();
      const text = new TextDecoder().decode((await reader.read()).value);
      stop.abort();
      return { status: answer.status, headers: answer.headers, text, body: text };
    }
    return ask(service, at(endpoint, value), {
      method: endpoint.method,
      headers: { ...headers, 'x-forwarded-for': freshAddress() },
      redirect: 'manual',
      ...(takesBody(endpoint) && body !== undefined ? { body } : {}),
    });
  }
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  /** Every way to be nobody, with the kind of credential that it looks like. Bots sign the bytes that are sent. */
  function nobodies(raw: string): [who: string, sent: string, headers: Record<string, string>][] {
    const withTenant = signed(raw);
    return [
      ['no credential', 'none', {}],
      ['another scheme', 'malformed', { authorization: 'Basic dXNlcjpwYXNz' }],
      ['only a scheme', 'malformed', { authorization: 'Bearer' }],
      ['a malformed key', 'unknown', bearer('nonsense')],
      ['a key cut short', 'publishable_key', bearer(own.pk_test.slice(0, -1))],
      ['a key in another case', 'unknown', bearer(own.rk_secret.toUpperCase())],
      ['two keys', 'malformed', bearer(`${own.pk_test} ${own.rk_secret}`)],
      ['an unknown publishable key', 'publishable_key', bearer(`pk_live_${newUlid()}`)],
      ['an unknown secret key', 'secret_key', bearer(`rk_secret_${randomBytes(32).toString('base64url')}`)],
      ['a revoked key', 'publishable_key', bearer(revoked)],
      ["a key's hash", 'unknown', bearer(Buffer.from(own.pk_live).toString('hex'))],
      ['a verification id as a key', 'verification_id', bearer(trialed)],
      ['the webhook secret as a key', 'webhook_secret', bearer(own.webhook_secret)],
      ['a forged session', 'session', { cookie: 'firsthand_session=eyJhbGciOiJub25lIn0.e30.' }],
      ['a bot with a bad signature', 'bot_signature', { ...withTenant, 'x-bot-auth': '0'.repeat(64) }],
      [
        'a bot with a short signature',
        'bot_signature',
        { ...withTenant, 'x-bot-auth': withTenant['x-bot-auth']!.slice(0, 32) },
      ],
      ['a bot under an unknown secret', 'bot_signature', signed(raw, { secret: 'not-a-secret-of-the-bot' })],
      ['a bot over other bytes', 'bot_signature', signed(`${raw} `)],
      ['a bot from six minutes ago', 'bot_signature', signed(raw, { at: Date.now() - 360_000 })],
      ['a bot from six minutes ahead', 'bot_signature', signed(raw, { at: Date.now() + 360_000 })],
      ['a bot without a timestamp', 'bot_signature', { 'x-bot-auth': withTenant['x-bot-auth']! }],
    ];
  }

  /** What the path names, if it names something. */
  const valueFor = async (endpoint: Endpoint, livemode = false): Promise<string> =>
    names(endpoint) ? fixtureOf(endpoint)(service, own, livemode) : '';

  const tenantEndpoints = ENDPOINTS.filter(endpoint => !isOpen(endpoint));
  const openEndpoints = ENDPOINTS.filter(isOpen);
  const named = (list: Endpoint[]) => list.map(endpoint => [exampleKey(endpoint), endpoint] as const);
  const example = (endpoint: Endpoint) =>
    endpoint.path === '/v1/me/tenant'
      ? { tenant_id: own.tenant_id, livemode: true }
      : endpoint.path === '/v1/verifications/:id/send'
        ? // One address gets few messages an hour.
          { by: 'email', to: `${newUlid().toLowerCase()}@people.example` }
        : EXAMPLES[exampleKey(endpoint)]?.request;
  const least = (endpoint: Endpoint): Role => endpoint.role ?? 'viewer';

  /** A person who has just signed in, and what a browser on a page of ours sends for them. */
  async function personOf(role: Role, livemode: boolean, tenant = own) {
    const person = await signedIn(service, { tenantId: tenant.tenant_id, role, livemode });
    return { ...person, headers: { cookie: person.cookie, 'sec-fetch-site': 'same-origin' } };
  }
  const standing = new Map<string, ReturnType<typeof personOf>>();
  /** The same, for requests that change nothing of the person and need no new sign-in: one for all of them. */
  function standingPerson(role: Role, livemode: boolean, tenant = own) {
    const name = `${role} ${livemode} ${tenant.tenant_id}`;
    const person = standing.get(name) ?? personOf(role, livemode, tenant);
    standing.set(name, person);
    return person;
  }
  const grownOld = (sessionId: string) =>
    service.deps.db.query("update sessions set created_at = now() - interval '901 seconds' where id = $1", [sessionId]);
  const acceptedBy = ({ credentials }: Endpoint): string[] =>
    credentials.flatMap(kind => KIND_NAMES[kind as keyof typeof KIND_NAMES] ?? []);
  /** The refusal of a valid credential: its code, and what it says beside the message. */
  const refused = (text: string) => {
    const { code, params } = (JSON.parse(text) as Failure).error;
    return { code, ...params };
  };
  const forbidden = (endpoint: Endpoint, sent: keyof typeof KIND_NAMES, more: object = {}) => ({
    code: 'forbidden',
    sent: KIND_NAMES[sent],
    accepted: acceptedBy(endpoint),
    ...more,
  });

  it.each(named(tenantEndpoints))(
    '%s: gives the same 401 to every invalid credential that looks alike, and says what it looks like',
    async (_name, endpoint) => {
      const value = await valueFor(endpoint);
      const body = { ...(example(endpoint) as object), tenant_id: own.tenant_id };
      const texts = new Map<string, string>();
      for (const [who, sent, headers] of nobodies(takesBody(endpoint) ? JSON.stringify(body) : '')) {
        const reply = await send(endpoint, value, headers, body);
        const { error } = JSON.parse(reply.text) as Failure;
        expect([who, reply.status, error.code, error.params]).toEqual([
          who,
          401,
          'unauthorized',
          { sent, accepted: acceptedBy(endpoint) },
        ]);
        expect([who, reply.text]).toEqual([who, texts.get(sent) ?? reply.text]);
        texts.set(sent, reply.text);
        expect(reply.headers.get('ratelimit-limit')).toBeNull();
      }
      expect(texts.size).toBeGreaterThanOrEqual(9);
    },
  );

  it.each(named(tenantEndpoints))('%s: gives 403 to valid credentials of another kind', async (_name, endpoint) => {
    const value = await valueFor(endpoint);
    const kinds: [CredentialKind, Record<string, string>][] = [
      ['key', bearer(own.pk_test)],
      ['key', bearer(own.pk_live)],
      ['secret', bearer(own.rk_secret)],
    ];
    const wrong = { nonsense: true, tenant_id: own.tenant_id };
    // The bot's tenant travels in the body.
    if (takesBody(endpoint)) kinds.push(['bot', signed(JSON.stringify(wrong))]);
    for (const [kind, headers] of kinds) {
      if (endpoint.credentials.includes(kind)) continue;
      const reply = await send(endpoint, value, headers, wrong);
      expect([kind, reply.status, refused(reply.text)]).toEqual([
        kind,
        403,
        forbidden(endpoint, kind as keyof typeof KIND_NAMES),
      ]);
    }
    if (!takesBody(endpoint)) {
      expect((await send(endpoint, value, signed(''), undefined)).status).toBe(400);
    }
    const tooLow = endpoint.credentials.includes('session')
      ? ROLES.filter(role => !hasRole(role, least(endpoint)))
      : ROLES;
    for (const role of tooLow) {
      const { headers } = await standingPerson(role, false);
      const reply = await send(endpoint, value, headers, wrong);
      const needs = endpoint.credentials.includes('session') ? { role: least(endpoint) } : {};
      expect([role, reply.status, refused(reply.text)]).toEqual([role, 403, forbidden(endpoint, 'session', needs)]);
    }
  });

  const personal = tenantEndpoints.filter(endpoint => endpoint.credentials.includes('session'));

  it.each(named(personal.filter(endpoint => endpoint.method !== 'GET')))(
    '%s: accepts a cookie only from a page of ours',
    async (_name, endpoint) => {
      const value = await valueFor(endpoint);
      const { cookie } = await standingPerson('owner', false);
      const ours = service.url;
      const foreign: Record<string, string>[] = [
        {},
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site', origin: ours },
        { 'sec-fetch-site': 'cross-site', origin: ours },
        { origin: 'null' },
        { origin: 'https://evil.example' },
        { origin: `${ours}.evil.example` },
        { origin: ours.replace('localhost', 'localhost.') },
      ];
      for (const headers of foreign) {
        const reply = await send(endpoint, value, { cookie, ...headers }, { nonsense: true });
        expect([headers, reply.status, refused(reply.text)]).toEqual([headers, 403, forbidden(endpoint, 'session')]);
      }
    },
  );

  it.each(named(personal.filter(endpoint => endpoint.recent)))(
    '%s: requires a sign-in within the last 15 minutes',
    async (_name, endpoint) => {
      const value = await valueFor(endpoint);
      const { headers, sessionId } = await personOf('owner', false);
      await grownOld(sessionId);
      const reply = await send(endpoint, value, headers, { nonsense: true });
      expect(codeOf(reply)).toEqual([403, 'reauthentication_required']);
    },
  );

  const withRules = personal.filter(endpoint => endpoint.recentFor);
  it.each(named(withRules))('%s: requires a recent sign-in for what its body rules name', async (_name, endpoint) => {
    const value = await valueFor(endpoint);
    for (const { member, is, role } of endpoint.recentFor!) {
      const body = member.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), is ?? 'nonsense');
      const fresh = await personOf('owner', false);
      expect((await send(endpoint, value, fresh.headers, body)).status).not.toBe(403);
      await grownOld(fresh.sessionId);
      const reply = await send(endpoint, value, fresh.headers, body);
      expect([member, ...codeOf(reply)]).toEqual([member, 403, 'reauthentication_required']);
      expect(codeOf(await send(endpoint, value, fresh.headers, { nonsense: true }))).not.toContain(
        'reauthentication_required',
      );
      if (!role) continue;
      for (const low of ROLES.filter(one => !hasRole(one, role))) {
        const { text } = await send(endpoint, value, (await standingPerson(low, false)).headers, body);
        expect(refused(text)).toEqual(
          forbidden(endpoint, 'session', { role: hasRole(low, least(endpoint)) ? role : least(endpoint) }),
        );
      }
    }
  });

  it('actions of people are judged by their worst effect, and only harmless ones take an old sign-in', () => {
    const judged = personal
      .filter(({ method, recent }) => method !== 'GET' && !recent)
      .map(endpoint => [exampleKey(endpoint), endpoint.recentFor?.map(({ member, is }) => is ?? member) ?? []]);
    expect(Object.fromEntries(judged)).toEqual(HARMLESS);
    expect(personal.filter(({ method, recent }) => method === 'GET' && recent).map(exampleKey)).toEqual([
      'GET /v1/people-data',
      'GET /v1/webhook-secret',
    ]);
  });

  it.each(named(personal))('%s: accepts people of each role it names, in both modes', async (_name, endpoint) => {
    for (const role of ROLES.filter(candidate => hasRole(candidate, least(endpoint)))) {
      for (const livemode of [true, false]) {
        const person = await (endpoint.method === 'GET' ? standingPerson : personOf)(role, livemode);
        const ofPerson = ownFixtureOf(endpoint);
        const value = ofPerson ? await ofPerson(service, person.personId) : await valueFor(endpoint, livemode);
        const reply = await send(endpoint, value, person.headers, example(endpoint));
        expect(turnedAway(endpoint), `${role} ${livemode}: ${reply.text}`).not.toContain(reply.status);
        expect(reply.headers.get('ratelimit-limit') ?? '600').toBe('600');
      }
    }
  });

  it.each(named(personal.filter(endpoint => names(endpoint) && !creates(endpoint))))(
    '%s: gives a person 404 for objects of another account, person or mode',
    async (_name, endpoint) => {
      const outsiders = [await personOf('owner', true, other)];
      if (endpoint.path.startsWith('/v1/me/')) outsiders.push(await personOf('owner', true));
      if (isModed(endpoint)) outsiders.push(await personOf('owner', false));
      const value = await fixtureOf(endpoint)(service, own, true);
      for (const { headers } of outsiders) {
        const foreign = await send(endpoint, value, headers, { nonsense: true });
        const unknown = await send(endpoint, unknownFor(value), headers, { nonsense: true });
        expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
      }
    },
  );

  it.each(named(tenantEndpoints))('%s: accepts the credentials it names', async (_name, endpoint) => {
    const keys: [CredentialKind, Record<string, string>, boolean][] = [
      ['key', bearer(own.pk_test), false],
      ['key', bearer(own.pk_live), true],
      ['secret', bearer(own.rk_secret), true],
      ['secret', bearer(own.rk_secret), false],
    ];
    for (const [kind, headers, livemode] of keys) {
      if (!endpoint.credentials.includes(kind)) continue;
      const value = await valueFor(endpoint, livemode);
      const reply = await send(endpoint, value, headers, example(endpoint));
      expect(turnedAway(endpoint), `${kind}: ${reply.text}`).not.toContain(reply.status);
      expect(Number(reply.headers.get('ratelimit-limit'))).toBeGreaterThan(0);
    }
    if (endpoint.credentials.includes('bot')) {
      const body = { ...(example(endpoint) as object), tenant_id: own.tenant_id };
      for (const secret of [BOT_SECRET, FORMER_BOT_SECRET]) {
        const headers = signed(JSON.stringify(body), { secret });
        expect((await send(endpoint, '', headers, body)).status).toBe(201);
        const replay = await send(endpoint, '', headers, body);
        expect(replay.status).toBe(401);
      }
    }
  });

  const byKey = tenantEndpoints.filter(({ credentials }) => credentials.includes('secret'));
  it.each(named(byKey.filter(endpoint => names(endpoint) && !creates(endpoint))))(
    '%s: gives the 404 of an unknown id, byte for byte and with the same queries, for objects of another tenant or mode',
    async (_name, endpoint) => {
      const fixture = fixtureOf(endpoint);
      const cases: [who: string, key: string, livemode: boolean][] = [
        ["another tenant's secret key", other.rk_secret, true],
      ];
      if (endpoint.credentials.includes('key')) {
        cases.push(["another tenant's key", other.pk_test, false]);
        cases.push(['the live key', own.pk_live, false], ['the test key', own.pk_test, true]);
      }
      for (const [who, key, livemode] of cases) {
        if (key.startsWith('pk_') && !keepsModes(endpoint)) continue;
        const value = await fixture(service, own, livemode);
        // The key's own note of its last use is not what is measured.
        await ask(service, '/v1/verifications', { key });
        const asked = async (id: string) => {
          const queries: string[] = [];
          const { query } = service.deps.db;
          service.deps.db.query = function spied(this: typeof service.deps.db, ...args: unknown[]) {
            // The node reads the database's clock every ten seconds, rings after a commit, and has some requests of a key counted
            // later, whatever is asked of it.
            if (!/clock_timestamp|pg_notify|rate_windows|take_permits/.test(String(args[0])))
              queries.push(String(args[0]));
            return (query as (...all: unknown[]) => unknown).apply(this, args);
          } as typeof query;
          const reply = await send(endpoint, id, bearer(key), { nonsense: true }).finally(() => {
            service.deps.db.query = query;
          });
          return { reply, queries };
        };
        const foreign = await asked(value);
        const unknown = await asked(unknownFor(value));
        expect([who, foreign.reply.status, foreign.reply.text]).toEqual([
          who,
          404,
          refusalText(service, 'not_found', 'Nothing was found at this address.'),
        ]);
        expect(foreign.reply.text).toBe(unknown.reply.text);
        expect(foreign.queries.length).toBeGreaterThan(0);
        expect(foreign.queries).toEqual(unknown.queries);
        const malformed = await send(endpoint, 'x', bearer(key), undefined);
        expect([malformed.status, malformed.text]).toEqual([404, unknown.reply.text]);
      }
    },
  );

  it.each(named(openEndpoints))('%s: ignores an Authorization header', async (_name, endpoint) => {
    const body = example(endpoint);
    for (const headers of [{}, bearer('nonsense'), bearer(revoked), bearer(other.pk_live), bearer(own.rk_secret)]) {
      const value = await valueFor(endpoint);
      const reply = await send(endpoint, value, headers, body);
      // What a sign-in brings is in its body: that of the example opens nothing.
      const refused = endpoint.credentials.includes('sign_in') ? [403, 404, 429, 500] : [401, 403, 404, 429, 500];
      expect(refused, reply.text).not.toContain(reply.status);
      expect(Number(reply.headers.get('ratelimit-limit'))).toBeGreaterThan(0);
      if (!names(endpoint)) continue;
      const unknown = await send(endpoint, unknownFor(value), headers, body);
      expect([unknown.status, unknown.text]).toEqual([
        404,
        refusalText(service, 'not_found', 'Nothing was found at this address.'),
      ]);
      expect((await send(endpoint, 'x', headers, body)).text).toBe(unknown.text);
    }
  });

  it.each(named(tenantEndpoints.filter(endpoint => endpoint.method === 'GET' && !names(endpoint))))(
    '%s: shows nothing of another tenant or mode',
    async (_name, endpoint) => {
      const ids = async (owner: NewTenant, livemode: boolean) =>
        Promise.all(
          // A provider's name is nobody's secret.
          FIXTURES.filter(([prefix]) => prefix !== '/v1/auth/:').map(([, fixture]) =>
            fixture(service, owner, livemode),
          ),
        );
      const [live, test] = [await ids(own, true), await ids(own, false)];
      const shown = async (key: string) => (await send(endpoint, '', bearer(key), undefined)).text;
      const foreign = await shown(other.rk_secret);
      for (const id of [...live, ...test, own.tenant_id]) expect(foreign).not.toContain(id);
      if (endpoint.credentials.includes('session')) {
        const asPerson = async (tenant: NewTenant, livemode: boolean) =>
          (await send(endpoint, '', (await standingPerson('owner', livemode, tenant)).headers, undefined)).text;
        const byStranger = await asPerson(other, true);
        for (const id of [...live, ...test, own.tenant_id]) expect(byStranger).not.toContain(id);
      }
      if (!endpoint.credentials.includes('key')) return;
      const [asLive, asTest] = [await shown(own.pk_live), await shown(own.pk_test)];
      for (const id of live) expect(asTest).not.toContain(id);
      for (const id of test) expect(asLive).not.toContain(id);
    },
  );

  it('equal those of the OpenAPI document', () => {
    const document = openapiDocument(ENDPOINTS) as {
      paths: Record<string, Record<string, { security: Record<string, unknown>[] }>>;
    };
    const scheme: Partial<Record<CredentialKind, string>> = {
      key: 'publishable_key',
      secret: 'secret_key',
      session: 'session',
      bot: 'bot_signature,bot_timestamp',
    };
    for (const endpoint of ENDPOINTS) {
      const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
      const { security } = document.paths[path]![endpoint.method.toLowerCase()]!;
      expect(security.map(one => Object.keys(one).join(',')).toSorted()).toEqual(
        endpoint.credentials.flatMap(kind => scheme[kind] ?? []).toSorted(),
      );
    }
  });
});
