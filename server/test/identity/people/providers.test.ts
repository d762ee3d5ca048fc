import type { AuditEntry } from '@firsthand/contract/account/management.ts';
import type { InvitedPerson, Me, Person } from '@firsthand/contract/people/people.ts';
import fc from 'fast-check';
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { returnPath } from '../../../src/identity/people/sign-in/return-to.ts';
import { ask, startTestService, type TestService } from '../../support/harness.ts';
import { freePort } from '../../support/service-process.ts';
import { type Forgery, openForger, openProvider, providerSettings } from './identity-provider.ts';
import { signedIn, signInAsOwner, type Visitor, visit } from './visitor.ts';

const PORT = await freePort();
describe('sign-in with an identity provider', () => {
  let acme: Awaited<ReturnType<typeof openProvider>>;
  let other: Awaited<ReturnType<typeof openProvider>>;
  let forger: Awaited<ReturnType<typeof openForger>>;
  let service: TestService;
  let owner: Visitor;
  let skew = 0;

  beforeAll(async () => {
    const redirectUris = () => ['acme', 'other'].map(name => `http://localhost:${PORT}/v1/auth/${name}/callback`);
    acme = await openProvider({ redirectUris });
    other = await openProvider({ redirectUris, post: true });
    forger = await openForger();
    service = await startTestService({
      worker: false,
      env: {
        PORT: String(PORT),
        TRUSTED_PROXIES: '127.0.0.1,::1',
        ...providerSettings('ACME', acme.issuer, {
          LABEL: 'Acme',
          ROLE_CLAIM: 'groups',
          ROLE_MAP: 'chiefs:owner,staff:reviewer',
        }),
        ...providerSettings('OTHER', other.issuer),
        ...providerSettings('FORGER', forger.issuer),
        ...providerSettings('ROLES', forger.issuer, {
          ROLE_CLAIM: 'access.groups',
          ROLE_MAP: 'chiefs:owner,staff:reviewer',
        }),
      },
      now: () => new Date(Date.now() + skew),
    });
    service.deps.config.providers.find(provider => provider.name === 'other')!.autoJoin = {
      tenantId: service.tenant.tenant_id,
      role: 'viewer',
    };
    owner = await signInAsOwner(service);
  });
  afterAll(async () => {
    await service?.stop();
    await acme?.close();
    await other?.close();
    await forger?.close();
  });

  const start = (visitor: Visitor, name = 'acme', query = '') => visitor.ask(`/v1/auth/${name}/start${query}`);
  const pathOf = (url: string) => new URL(url).pathname + new URL(url).search;
  const callback = (visitor: Visitor, url: string) => visitor.ask(pathOf(url), { site: 'cross-site' });
  /** The whole way of a browser: to us, to the provider, back to us. */
  async function signIn(visitor: Visitor, o: { as: string; through?: typeof acme; query?: string }) {
    const through = o.through ?? acme;
    through.state.as = o.as;
    const started = await start(visitor, through === acme ? 'acme' : 'other', o.query);
    expect(started.status).toBe(302);
    return callback(visitor, await through.visitProvider(started.headers.get('location')!));
  }
  const invite = async (email: string, role = 'member', key = service.tenant.rk_secret) =>
    (await ask<InvitedPerson>(service, '/v1/people', { key, body: { email, role } })).body.id;
  const error = (code: string) => `/dashboard/sign-in?error=${code}`;
  const isRefused = async (visitor: Visitor, reply: { status: number; headers: Headers }, code: string) => {
    expect([reply.status, reply.headers.get('location')]).toEqual([303, error(code)]);
    expect([...visitor.cookies.keys()]).not.toContain('firsthand_session');
    expect((await visitor.ask('/v1/me')).status).toBe(401);
  };

  it('GET /v1/auth/:provider/start sends PKCE S256, state and nonce, new ones each time', async () => {
    const visitor = visit(service);
    const urls = [await start(visitor), await start(visitor)].map(reply => new URL(reply.headers.get('location')!));
    for (const { searchParams } of urls) {
      expect(Object.fromEntries(searchParams)).toMatchObject({
        response_type: 'code',
        client_id: 'firsthand',
        code_challenge_method: 'S256',
        redirect_uri: `${service.url}/v1/auth/acme/callback`,
        scope: 'openid email profile',
      });
    }
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const [first, second] = urls.map(url => url.searchParams.get(name)!);
      expect([first!.length >= 43, first === second]).toEqual([true, false]);
    }
  });

  it('GET /v1/auth/:provider/callback signs in the person with the verified address, and redirects to return_to', async () => {
    await invite('Ada@people.example');
    acme.accounts.set('ada', { email: 'ada@people.example', email_verified: true, name: 'Ada' });
    const visitor = visit(service);
    const reply = await signIn(visitor, { as: 'ada', query: '?return_to=/dashboard/verifications%3Fstatus%3Dpending' });
    expect([reply.status, reply.headers.get('location')]).toEqual([303, '/dashboard/verifications?status=pending']);
    const me = (await visitor.ask<Me>('/v1/me')).body;
    expect(me).toMatchObject({ person: { email: 'ada@people.example' }, session: { method: 'oidc:acme' } });
    // From then on the provider's own id counts, whatever becomes of the address.
    acme.accounts.set('ada', { email: 'moved@elsewhere.example', email_verified: true });
    const again = visit(service);
    await signIn(again, { as: 'ada' });
    expect((await again.ask<Me>('/v1/me')).body.person.id).toBe(me.person.id);
  });

  it('GET /v1/auth/:provider/callback ignores an address that the provider has not verified', async () => {
    await invite('unproved@people.example');
    for (const email_verified of [false, undefined, 'true' as unknown as boolean, 1 as unknown as boolean]) {
      acme.accounts.set('mallory', {
        email: 'unproved@people.example',
        ...(email_verified === undefined ? {} : { email_verified }),
      });
      const visitor = visit(service);
      await isRefused(visitor, await signIn(visitor, { as: 'mallory' }), 'not_invited');
    }
  });

  it('GET /v1/auth/:provider/callback signs in nobody without an invitation, unless AUTO_JOIN says so', async () => {
    const stranger = { email: 'stranger@people.example', email_verified: true, name: 'A\r\nStranger' };
    acme.accounts.set('stranger', stranger);
    other.accounts.set('stranger', stranger);
    const refused = visit(service);
    await isRefused(refused, await signIn(refused, { as: 'stranger' }), 'not_invited');
    const joined = visit(service);
    expect((await signIn(joined, { as: 'stranger', through: other })).headers.get('location')).toBe('/dashboard');
    const me = (await joined.ask<Me>('/v1/me')).body;
    expect(me).toMatchObject({ person: { name: 'A Stranger' }, tenant: { role: 'viewer' } });
    // Removed, they come back only by an invitation.
    await owner.ask(`/v1/people/${me.person.id}`, { method: 'DELETE' });
    expect((await joined.ask('/v1/me')).status).toBe(401);
    const back = visit(service);
    await isRefused(back, await signIn(back, { as: 'stranger', through: other }), 'not_invited');
  });

  it('ROLE_CLAIM sets the highest mapped role at each sign-in, or else the role of the invitation; the last owner stays', async () => {
    const id = await invite('grown@people.example', 'viewer');
    const roleAs = async (groups: string[]) => {
      acme.accounts.set('grown', { email: 'grown@people.example', email_verified: true, groups });
      const visitor = visit(service);
      await signIn(visitor, { as: 'grown' });
      return { visitor, role: (await visitor.ask<Me>('/v1/me')).body.tenant.role };
    };
    const reviewer = await roleAs(['staff', 'choir']);
    expect(reviewer.role).toBe('reviewer');
    const chief = await roleAs(['staff', 'chiefs']);
    expect(chief.role).toBe('owner');
    // The change of role ended what was open before it.
    expect((await reviewer.visitor.ask('/v1/me')).status).toBe(401);
    expect((await roleAs(['choir'])).role).toBe('viewer');
    expect((await roleAs(['chiefs'])).role).toBe('owner');
    await service.deps.db.query("update memberships set role = 'member' where role = 'owner' and person_id <> $1", [
      id,
    ]);
    expect((await roleAs(['staff'])).role).toBe('owner');
    await service.deps.db.query(
      "update memberships set role = 'owner' where person_id = (select min(id) from persons)",
    );
  });

  it('GET /v1/auth/:provider/callback redirects with error=cancelled when the person declines', async () => {
    acme.state.deny = true;
    const visitor = visit(service);
    const reply = await signIn(visitor, { as: 'ada' }).finally(() => {
      acme.state.deny = false;
    });
    await isRefused(visitor, reply, 'cancelled');
  });

  it('GET /v1/auth/:provider/start redirects with error=provider_unavailable when the provider is unreachable', async () => {
    const provider = service.deps.config.providers.find(({ name }) => name === 'forger')!;
    const down = { ...provider, name: 'down', issuer: 'http://127.0.0.1:9' };
    service.deps.config.providers.push(down);
    const visitor = visit(service);
    await isRefused(visitor, await start(visitor, 'down'), 'provider_unavailable');
  });

  describe('attacks', () => {
    /** A callback that is right, and has not been used. */
    async function readyCallback(visitor: Visitor) {
      acme.state.as = 'ada';
      return new URL(await acme.visitProvider((await start(visitor)).headers.get('location')!));
    }

    it('a wrong, missing, empty or repeated state opens no session', async () => {
      const forged: ((url: URL) => void)[] = [
        url => url.searchParams.set('state', 'wrong'),
        url => url.searchParams.delete('state'),
        url => url.searchParams.set('state', ''),
        url => url.searchParams.append('state', url.searchParams.get('state')!),
      ];
      for (const forge of forged) {
        const visitor = visit(service);
        const url = await readyCallback(visitor);
        forge(url);
        await isRefused(visitor, await callback(visitor, url.href), 'expired');
      }
    });

    it('a replayed state opens no second session', async () => {
      const visitor = visit(service);
      const url = await readyCallback(visitor);
      const cookies = new Map(visitor.cookies);
      expect((await callback(visitor, url.href)).headers.get('location')).toBe('/dashboard');
      const replayer = visit(service);
      replayer.cookies = cookies;
      await isRefused(replayer, await callback(replayer, url.href), 'expired');
    });

    it('a state older than 10 minutes opens no session', async () => {
      const visitor = visit(service);
      const url = await readyCallback(visitor);
      skew += 600_001;
      const reply = await callback(visitor, url.href).finally(() => {
        skew = 0;
      });
      await isRefused(visitor, reply, 'expired');
    });

    it('login CSRF: a callback started in another browser signs nobody in', async () => {
      const attacker = visit(service);
      const url = await readyCallback(attacker);
      const victim = visit(service);
      await start(victim);
      await isRefused(victim, await callback(victim, url.href), 'expired');
    });

    it('mix-up: a provider’s callback refuses another provider’s answer', async () => {
      const visitor = visit(service);
      const url = await readyCallback(visitor);
      url.pathname = '/v1/auth/other/callback';
      await isRefused(visitor, await callback(visitor, url.href), 'expired');
      // The state is right, the answer is another issuer's: `iss` tells (RFC 9207).
      const second = visit(service);
      const mixed = await readyCallback(second);
      mixed.searchParams.set('iss', other.issuer);
      await isRefused(second, await callback(second, mixed.href), 'provider_failed');
    });

    it('a code of another sign-in opens no session', async () => {
      const [first, second] = [visit(service), visit(service)];
      const [own, foreign] = [await readyCallback(first), await readyCallback(second)];
      own.searchParams.set('code', foreign.searchParams.get('code')!);
      await isRefused(first, await callback(first, own.href), 'provider_failed');
    });

    const now = Math.floor(Date.now() / 1_000);
    const swapped = (token: string) => {
      const [header, payload, signature] = token.split('.');
      const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString());
      const other = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody-else' })).toString('base64url');
      return `${header}.${other}.${signature}`;
    };
    const forgeries: [string, Forgery][] = [
      ['a tampered payload', { tamper: swapped }],
      ['a signature cut off', { tamper: token => token.slice(0, token.lastIndexOf('.') + 1) }],
      ['alg: none', { signature: 'none' }],
      ['HS256 under the client secret', { signature: 'hs256' }],
      ["a key that is not the provider's", { signature: 'foreign' }],
      ['an expired token', { claims: { iat: now - 7_200, exp: now - 3_600 } }],
      ['a token from the future', { claims: { iat: now + 7_200, nbf: now + 7_200, exp: now + 10_800 } }],
      ['no expiry', { claims: { exp: undefined } }],
      ["another client's aud", { claims: { aud: 'somebody-else' } }],
      ['several aud without our azp', { claims: { aud: ['firsthand', 'somebody-else'], azp: 'somebody-else' } }],
      ["another issuer's iss", { claims: { iss: 'https://accounts.example' } }],
      ['another nonce', { claims: { nonce: 'another' } }],
      ['no nonce', { claims: { nonce: undefined } }],
      ['no sub', { claims: { sub: undefined } }],
    ];
    it('the forging provider signs in when it forges nothing', async () => {
      await invite('victim@people.example');
      const { visitor, reply } = await forger.signIn(visit(service), 'forger', {});
      expect(reply.headers.get('location')).toBe('/dashboard');
      expect((await visitor.ask('/v1/me')).status).toBe(200);
    });

    it.each(forgeries)('an ID token with %s opens no session', async (_name, forgery) => {
      const { visitor, reply } = await forger.signIn(visit(service), 'forger', forgery);
      await isRefused(visitor, reply, 'provider_failed');
    });

    const elsewhere = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/\n//evil.example',
      '/dashboard/..//evil.example',
      '/.//evil.example',
      'javascript:alert(1)',
      'data:text/html,x',
      'http:evil.example',
      'https:/evil.example',
      '/%09/evil.example\\@',
      ' //evil.example',
      '@evil.example',
      'dashboard.evil.example',
    ];
    it('return_to leads only to this origin, in every spelling', async () => {
      acme.accounts.set('ada', { email: 'ada@people.example', email_verified: true });
      for (const returnTo of elsewhere) {
        const visitor = visit(service);
        const reply = await signIn(visitor, { as: 'ada', query: `?return_to=${encodeURIComponent(returnTo)}` });
        const location = reply.headers.get('location')!;
        expect([returnTo, new URL(location, service.url).origin, location]).toEqual([
          returnTo,
          service.url,
          '/dashboard',
        ]);
      }
    });

    it('return_to: with any text, a browser stays on this origin', () => {
      const parts = ['/', '\\', '.', '..', '//', '\t', '\n', '@', ':', 'evil.example', '?', '#', '%2f', ' ', 'a'];
      const text = fc.oneof(
        fc.string(),
        fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map(parts => `/${parts.join('')}`),
      );
      fc.assert(
        fc.property(text, returnTo => {
          const location = returnPath(returnTo, 'https://photos.example');
          expect(new URL(location, 'https://photos.example/v1/auth/acme/callback').origin).toBe(
            'https://photos.example',
          );
        }),
        { numRuns: 5_000 },
      );
    });

    it('session fixation: a sign-in opens a new session, whatever cookie the browser had', async () => {
      const attacker = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'viewer' });
      const victim = visit(service);
      victim.cookies.set('firsthand_session', attacker.cookies.get('firsthand_session')!);
      await signIn(victim, { as: 'ada' });
      expect(victim.cookies.get('firsthand_session')).not.toBe(attacker.cookies.get('firsthand_session'));
      expect((await attacker.ask('/v1/me')).status).toBe(401);
      expect((await ask(service, '/v1/me')).status).toBe(401);
    });
  });

  describe('claims', () => {
    const [hers, mine] = ['hers@people.example', 'mine@people.example'];
    beforeAll(async () => {
      for (const email of [hers, mine]) await invite(email);
    });

    async function signInSaying(name: string, token: JWTPayload, userInfo: JWTPayload) {
      const claims = { email: undefined, email_verified: undefined, name: undefined, ...token };
      const { visitor, reply } = await forger.signIn(visit(service), name, { claims }, userInfo);
      return reply.headers.get('location') === '/dashboard' ? visitor : null;
    }

    let subjects = 0;
    /** Who is signed in after these answers; null: nobody. */
    async function whoIs(token: JWTPayload, userInfo: JWTPayload): Promise<string | null> {
      subjects += 1;
      const sub = `two-answers-${subjects}`;
      const visitor = await signInSaying('forger', { ...token, sub }, { sub, ...userInfo });
      return visitor && (await visitor.ask<Me>('/v1/me')).body.person.email!;
    }

    it.each<[string, JWTPayload, JWTPayload]>([
      ['the token has no email_verified (Okta)', { email: hers, name: 'Hers' }, { email: hers, email_verified: true }],
      ['the token is empty (Authelia)', {}, { email: hers, email_verified: true, name: 'Hers' }],
      ['the token has null claims', { email: null, email_verified: null }, { email: hers, email_verified: true }],
      [
        'the token says all',
        { email: hers, email_verified: true, name: 'Hers' },
        { email: mine, email_verified: true },
      ],
      ['the token lacks only a name', { email: hers, email_verified: true }, { email: mine, email_verified: true }],
    ])('sign in with the verified address where %s', async (_name, token, userInfo) => {
      expect(await whoIs(token, userInfo)).toBe(hers);
    });

    it.each<[string, JWTPayload, JWTPayload]>([
      ['user info verifies another one', { email: hers }, { email: 'nobody@people.example', email_verified: true }],
      ['user info verifies none in particular', { email: hers }, { email_verified: true }],
      ['the token verifies none in particular', { email_verified: true }, { email: hers }],
      ['the token denies it', { email: hers, email_verified: false }, { email: hers, email_verified: true }],
      ['user info is about somebody else', { email: hers }, { sub: 'else', email: hers, email_verified: true }],
      ['user info says so in text', { email: hers }, { email: hers, email_verified: 'true' }],
    ])('sign in nobody where %s', async (_name, token, userInfo) => {
      expect(await whoIs(token, userInfo)).toBeNull();
    });

    it('sign in nobody as the person whose address differs in a letter that only looks the same in lower case', async () => {
      const email = 'kate@people.example';
      await invite(email, 'owner');
      for (const claimed of ['\u212Aate@people.example', 'kate@people.example\u212A', 'Kate@People.Example']) {
        const who = await whoIs({ email: claimed, email_verified: true }, {});
        expect([claimed, who]).toEqual([claimed, claimed === 'Kate@People.Example' ? email : null]);
      }
    });

    it('sign in with any two answers opens an address only by an answer that verifies it', async () => {
      const answer = fc.record(
        { email: fc.constantFrom(hers, mine), email_verified: fc.constantFrom(true, false), name: fc.constant('N') },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(answer, answer, async (token, userInfo) => {
          const email = await whoIs(token, userInfo);
          const verified = [token, userInfo].filter(said => said.email_verified === true).map(said => said.email);
          if (email !== null) expect(verified).toContain(email);
        }),
        { numRuns: 40 },
      );
    });

    describe('ROLE_MAP', () => {
      const roles = () => service.deps.config.providers.find(({ name }) => name === 'roles')!;
      const roleOf = async (id: string, key: string) =>
        (await ask<{ data: Person[] }>(service, '/v1/people', { key })).body.data.find(person => person.id === id)!
          .role;
      const as = (email: string, groups: string[]) =>
        signInSaying(
          'roles',
          { sub: email, access: { level: 1 } },
          { sub: email, email, email_verified: true, access: { groups } },
        );

      it('sets the role in the only account, by a claim of user info beside another member in the token', async () => {
        const id = await invite('only@people.example', 'viewer');
        expect(await as('only@people.example', ['staff'])).not.toBeNull();
        expect(await roleOf(id, service.tenant.rk_secret)).toBe('reviewer');
      });

      it.each<[string, JWTPayload]>([
        ['another group', { groups: ['choir'] }],
        ['no group', { groups: [] }],
        ['no such claim', {}],
      ])(
        'gives back the role of AUTO_JOIN when the provider says %s, and writes it into the audit log',
        async (said, claim) => {
          const { tenant_id, rk_secret } = service.tenant;
          roles().autoJoin = { tenantId: tenant_id, role: 'viewer' };
          const sub = `joined with ${said}`;
          const answer = (access: JWTPayload, more: JWTPayload = {}) =>
            signInSaying('roles', { sub, ...more }, { sub, access, ...more });
          try {
            const me = (await (await answer({ groups: ['chiefs'] }))!.ask<Me>('/v1/me')).body;
            expect(me.tenant.role).toBe('owner');
            // Too many groups for the token, as Entra says: the provider told nothing.
            await answer({}, { _claim_names: { access: 'src1' } });
            expect(await roleOf(me.person.id, rk_secret)).toBe('owner');
            await answer(claim);
            expect(await roleOf(me.person.id, rk_secret)).toBe('viewer');
            const log = await ask<{ data: AuditEntry[] }>(service, '/v1/audit-log', { key: rk_secret });
            expect(log.body.data.find(({ target }) => target === me.person.id)).toMatchObject({
              action: 'person.role_changed',
              actor: { kind: 'system' },
              detail: { from: 'owner', to: 'viewer', provider: 'roles' },
            });
          } finally {
            roles().autoJoin = null;
          }
        },
      );

      it('keeps a role that an owner gave to somebody without a mapped group', async () => {
        const email = 'given@people.example';
        const id = await invite(email, 'reviewer');
        expect(await as(email, ['choir'])).not.toBeNull();
        expect(await roleOf(id, service.tenant.rk_secret)).toBe('reviewer');
      });

      it('changes no role among several accounts, unless ROLE_TENANT names one', async () => {
        const other = await service.newTenant();
        const email = 'several@people.example';
        const first = await invite(email, 'member');
        const second = await invite(email, 'viewer', other.rk_secret);
        const both = async () => [await roleOf(first, service.tenant.rk_secret), await roleOf(second, other.rk_secret)];
        expect(await as(email, ['chiefs'])).not.toBeNull();
        expect(await both()).toEqual(['member', 'viewer']);
        roles().roleTenant = other.tenant_id;
        expect(await as(email, ['chiefs'])).not.toBeNull();
        expect(await both()).toEqual(['member', 'owner']);
      });
    });
  });
});
