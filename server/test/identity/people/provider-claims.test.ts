import type { AuditEntry } from '@firsthand/contract/account/management.ts';
import type { InvitedPerson, Me, Person } from '@firsthand/contract/people/people.ts';
import fc from 'fast-check';
import type { JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, startTestService, type TestService } from '../../support/harness.ts';
import { freePort } from '../../support/service-process.ts';
import { openForger } from './identity-provider.ts';
import { visit } from './visitor.ts';

const PORT = await freePort();

describe('claims of an identity provider', () => {
  let forger: Awaited<ReturnType<typeof openForger>>;
  let service: TestService;
  let sender = 0;
  const from = () => {
    sender += 1;
    return `10.11.${sender >> 8}.${sender & 255}`;
  };
  const [hers, mine] = ['hers@people.example', 'mine@people.example'];

  const provider = (name: string, more: Record<string, string> = {}) => ({
    [`OIDC_${name}_ISSUER`]: forger.issuer,
    [`OIDC_${name}_CLIENT_ID`]: 'firsthand',
    [`OIDC_${name}_CLIENT_SECRET`]: 'a-secret-that-both-know',
    ...Object.fromEntries(Object.entries(more).map(([member, value]) => [`OIDC_${name}_${member}`, value])),
  });
  beforeAll(async () => {
    forger = await openForger();
    service = await startTestService({
      worker: false,
      env: {
        PORT: String(PORT),
        TRUSTED_PROXIES: '127.0.0.1,::1',
        ...provider('FORGER'),
        ...provider('ROLES', { ROLE_CLAIM: 'access.groups', ROLE_MAP: 'chiefs:owner,staff:reviewer' }),
      },
    });
    for (const email of [hers, mine]) await invite(email, 'member');
  });
  afterAll(async () => {
    await service?.stop();
    await forger?.close();
  });

  const invite = async (email: string, role: string, key = service.tenant.rk_secret) =>
    (await ask<InvitedPerson>(service, '/v1/people', { key, body: { email, role } })).body.id;

  async function signIn(name: string, token: JWTPayload, userInfo: JWTPayload) {
    const visitor = visit(service);
    const started = await visitor.ask(`/v1/auth/${name}/start`, { from: from() });
    const { searchParams } = new URL(started.headers.get('location')!);
    forger.state.nonce = searchParams.get('nonce')!;
    forger.state.forgery = { claims: { email: undefined, email_verified: undefined, name: undefined, ...token } };
    forger.state.userInfo = userInfo;
    const path = `/v1/auth/${name}/callback?code=c&state=${searchParams.get('state')}`;
    const reply = await visitor.ask(path, { from: from(), site: 'cross-site' });
    return reply.headers.get('location') === '/dashboard' ? visitor : null;
  }

  let subjects = 0;
  /** Who is signed in after these answers; null: nobody. */
  async function whoIs(token: JWTPayload, userInfo: JWTPayload): Promise<string | null> {
    subjects += 1;
    const sub = `two-answers-${subjects}`;
    const visitor = await signIn('forger', { ...token, sub }, { sub, ...userInfo });
    return visitor && (await visitor.ask<Me>('/v1/me')).body.person.email!;
  }

  it.each<[string, JWTPayload, JWTPayload]>([
    ['the token has no email_verified (Okta)', { email: hers, name: 'Hers' }, { email: hers, email_verified: true }],
    ['the token is empty (Authelia)', {}, { email: hers, email_verified: true, name: 'Hers' }],
    ['the token has null claims', { email: null, email_verified: null }, { email: hers, email_verified: true }],
    ['the token says all', { email: hers, email_verified: true, name: 'Hers' }, { email: mine, email_verified: true }],
    ['the token lacks a name alone', { email: hers, email_verified: true }, { email: mine, email_verified: true }],
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
      (await ask<{ data: Person[] }>(service, '/v1/people', { key })).body.data.find(person => person.id === id)!.role;
    const as = (email: string, groups: string[]) =>
      signIn(
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
          signIn('roles', { sub, ...more }, { sub, access, ...more });
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
