import { createHash, createSecretKey } from 'node:crypto';
import type { InvitedPerson, Me, Person, Role } from '@firsthand/contract/people/people.ts';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { timeOfId } from '../../../src/platform/lib/ids.ts';
import { codeOf } from '../../support/failure.ts';
import { ask } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { signedIn, signInAgain, signInAsOwner, tokenOf, type Visitor, visit } from './visitor.ts';

const SECRETS = ['session-secret-in-force-0001', 'session-secret-before-it-0002', 'session-secret-long-gone-0003'];

describe('people', () => {
  const env = { TRUSTED_PROXIES: '127.0.0.1,::1', SESSION_SECRETS: SECRETS.slice(0, 2).join(',') };
  const service = serviceOfSuite({ worker: false, env });
  const beside = serviceOfSuite(() => ({ worker: false, env, beside: service }));
  const personOf = (role: Role, tenantId = service.tenant.tenant_id, email?: string) =>
    signedIn(service, { tenantId, role, ...(email === undefined ? {} : { email }) });

  const asKey = <T = InvitedPerson>(method: string, path: string, body?: object, key = service.tenant.rk_secret) =>
    ask<T>(service, path, { method, key, ...(body ? { body } : {}) });
  const invite = (body: object, key?: string) => asKey('POST', '/v1/people', body, key);
  const listed = async (key: string) =>
    (await asKey<{ data: Person[] }>('GET', '/v1/people', undefined, key)).body.data;
  const redeem = (token: string, visitor = visit(service)) =>
    visitor.ask<Me>('/v1/auth/magic-link/redeem', { body: { token } });
  const switchTo = (visitor: Visitor, tenant_id: string) =>
    visitor.ask<Me>('/v1/me/tenant', { body: { tenant_id, livemode: true } });

  it('POST /v1/people without SMTP returns a link that signs the new person in once', async () => {
    const { status, body } = await invite({ email: 'new@people.example', name: 'New', role: 'member' });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^usr_/),
        name: 'New',
        email: 'new@people.example',
        role: 'member',
        created_at: expect.any(String),
        sign_in_url: expect.stringMatching(/\/dashboard\/sign-in#token=mlk_[0-9A-HJKMNP-TV-Z]{26}$/),
      },
    ]);
    const token = tokenOf(body.sign_in_url!);
    const first = await redeem(token);
    expect([first.status, first.body.person.id]).toEqual([200, body.id]);
    expect((await redeem(token)).status).toBe(401);
    expect((await invite({ email: 'NEW@people.example', role: 'viewer' })).status).toBe(409);
    expect((await invite({ role: 'viewer' })).status).toBe(400);
  });

  it('GET /v1/people shows addresses to owners and the secret key, names and roles to others', async () => {
    const viewer = await personOf('viewer');
    const shown = (await viewer.ask<{ data: Person[] }>('/v1/people')).body.data;
    expect(new Set(shown.flatMap(person => Object.keys(person)))).not.toContain('email');
    expect(shown.map(person => person.id)).toContain(viewer.personId);
    const owner = await personOf('owner');
    expect((await owner.ask('/v1/people')).text).toContain('@people.example');
    expect((await ask(service, '/v1/people', { key: service.tenant.rk_secret })).text).toContain('@people.example');
  });

  it('PATCH and DELETE /v1/people/:id keep the last owner, however many try at once', async () => {
    const other = await service.newTenant();
    const owners = await Promise.all([1, 2].map(() => personOf('owner', other.tenant_id)));
    const first = (await listed(other.rk_secret)).at(-1)!;
    expect((await asKey('DELETE', `/v1/people/${first.id}`, undefined, other.rk_secret)).status).toBe(204);
    const [a, b] = owners;
    const both = await Promise.all([
      asKey('PATCH', `/v1/people/${a!.personId}`, { role: 'member' }, other.rk_secret),
      asKey('DELETE', `/v1/people/${b!.personId}`, undefined, other.rk_secret),
    ]);
    expect(both.map(codeOf).filter(([status]) => status === 409)).toEqual([[409, 'last_owner']]);
  });

  it('a changed role ends the person’s sessions; DELETE /v1/people/:id/sessions does too', async () => {
    const person = await personOf('member');
    await asKey('PATCH', `/v1/people/${person.personId}`, { name: 'Renamed' });
    expect((await person.ask<Me>('/v1/me')).body.person.name).toBe('Renamed');
    await asKey('PATCH', `/v1/people/${person.personId}`, { role: 'viewer' });
    expect((await person.ask('/v1/me')).status).toBe(401);
    const other = await personOf('member');
    expect((await asKey('DELETE', `/v1/people/${other.personId}/sessions`)).status).toBe(204);
    expect((await other.ask('/v1/me')).status).toBe(401);
  });

  it('a removed person’s open page gets 401 at once, and its open stream ends', async () => {
    const person = await personOf('member');
    const stream = await fetch(`${service.url}/v1/events/stream`, { headers: { cookie: person.cookie } });
    const reader = stream.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('event: ready');
    expect((await asKey('DELETE', `/v1/people/${person.personId}`)).status).toBe(204);
    expect((await person.ask('/v1/verifications')).status).toBe(401);
    expect((await person.ask('/v1/me')).status).toBe(401);
    for (;;) if ((await reader.read()).done) break;
  });

  it('Authorization takes precedence over a cookie', async () => {
    const person = await personOf('viewer');
    const other = await service.newTenant('Key of another');
    const asBoth = await ask<{ name: string }>(service, '/v1/settings', {
      key: other.rk_secret,
      headers: { cookie: person.cookie },
    });
    expect(asBoth.body.name).toBe('Key of another');
    const bad = await ask(service, '/v1/settings', { key: 'rk_secret_wrong', headers: { cookie: person.cookie } });
    expect(bad.status).toBe(401);
    const asMe = await ask(service, '/v1/me', { key: other.rk_secret, headers: { cookie: person.cookie } });
    expect(asMe.status).toBe(403);
  });

  it('a session cookie is valid under each of SESSION_SECRETS, under no removed secret, and in no other form', async () => {
    const person = await personOf('viewer');
    const [header, payload] = person.cookies.get('firsthand_session')!.split('.');
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString());
    const { kid } = JSON.parse(Buffer.from(header!, 'base64url').toString());
    const kidOf = (secret: string) => createHash('sha256').update(secret).digest('hex').slice(0, 8);
    const signedBy = (secret: string, o: { kid?: string; alg?: string; claims?: object } = {}) =>
      new SignJWT({ ...claims, ...o.claims })
        .setProtectedHeader({ alg: o.alg ?? 'HS256', kid: o.kid ?? kidOf(secret) })
        .sign(createSecretKey(Buffer.from(secret)));
    const statusOf = async (token: string) =>
      (await ask(service, '/v1/me', { headers: { cookie: `firsthand_session=${token}` } })).status;
    expect(kid).toBe(kidOf(SECRETS[0]!));
    expect(await statusOf(await signedBy(SECRETS[0]!))).toBe(200);
    expect(await statusOf(await signedBy(SECRETS[1]!))).toBe(200);
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const forged = [
      await signedBy(SECRETS[2]!),
      await signedBy(SECRETS[2]!, { kid }),
      await signedBy(SECRETS[0]!.padEnd(64, 'x'), { kid }),
      await signedBy(`${SECRETS[0]}`.repeat(3), { alg: 'HS512' }),
      await signedBy(SECRETS[0]!, { claims: { exp: claims.iat - 1 } }),
      await signedBy(SECRETS[0]!, { claims: { exp: undefined } }),
      await signedBy(SECRETS[0]!, { claims: { aud: 'another service' } }),
      await signedBy(SECRETS[0]!, { claims: { iss: 'another issuer' } }),
      await signedBy(SECRETS[0]!, { claims: { sid: 'ses_00000000000000000000000000' } }),
      await signedBy(SECRETS[0]!, { claims: { sid: undefined } }),
      `${none}.${payload}.`,
      `${header}.${payload}.`,
      person.sessionId,
      '',
    ];
    for (const [index, token] of forged.entries()) expect([index, await statusOf(token)]).toEqual([index, 401]);
  });

  it('a session is valid on two nodes, and ends on both at once', async () => {
    const owner = await signInAsOwner(service);
    const elsewhere = visit(beside);
    elsewhere.cookies = new Map(owner.cookies);
    expect((await elsewhere.ask<Me>('/v1/me')).body.person.id).toBe(owner.me.person.id);
    for (let n = 0; n < 5; n += 1) await elsewhere.ask('/v1/verifications');
    expect((await owner.ask('/v1/auth/sign-out', { method: 'POST' })).status).toBe(204);
    expect((await elsewhere.ask('/v1/me')).status).toBe(401);
  });

  it('pages may not be framed', async () => {
    for (const path of ['/dashboard', '/v1/me', '/dashboard/sign-in', '/v1/auth/methods']) {
      const reply = await fetch(`${service.url}${path}`);
      expect([path, reply.headers.get('x-frame-options')]).toEqual([path, 'DENY']);
      expect(reply.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
  });

  describe('taking over another account’s people', () => {
    it('POST /v1/people answers alike whether or not another account knows the address or the number', async () => {
      const [mine, theirs] = [await service.newTenant(), await service.newTenant()];
      const [email, phone_e164] = ['victim@people.example', '+4915100001111'];
      const victim = await personOf('owner', mine.tenant_id, email);
      await invite({ phone_e164, role: 'owner' }, mine.rk_secret);
      const asked = Date.now();
      const contacts = [
        [{ email }, { email: 'unknown-1@people.example' }],
        [{ phone_e164 }, { phone_e164: '+4915100002222' }],
        [
          { email: 'VICTIM@people.example', phone_e164: '+4915100003333' },
          { email: 'unknown-2@people.example', phone_e164: '+4915100004444' },
        ],
        [
          { email: 'unknown-3@people.example', phone_e164 },
          { email: 'unknown-4@people.example', phone_e164: '+4915100005555' },
        ],
      ];
      for (const pair of contacts) {
        const answers = [];
        for (const contact of pair) {
          const { status, body } = await invite({ ...contact, role: 'viewer' }, theirs.rk_secret);
          expect(body.id).not.toBe(victim.personId);
          expect(timeOfId(body.id)).toBeGreaterThanOrEqual(asked - 1_000);
          const [shown] = await listed(theirs.rk_secret);
          answers.push([status, Object.keys(body), Object.keys(shown!)]);
          expect((await asKey('DELETE', `/v1/people/${body.id}`, undefined, theirs.rk_secret)).status).toBe(204);
        }
        expect(answers[0]).toEqual(answers[1]);
      }
      expect((await victim.ask('/v1/me')).status).toBe(200);
    });

    it('an invitation waits until the person accepts it, and ends nothing of theirs', async () => {
      const [mine, theirs] = [await service.newTenant(), await service.newTenant()];
      const email = 'asked@people.example';
      const before = await personOf('owner', mine.tenant_id, email);
      for (let n = 0; n < 2; n += 1) {
        const invited = await invite({ email, role: 'viewer' }, theirs.rk_secret);
        expect((await before.ask<Me>('/v1/me')).body.tenants.map(({ id }) => id)).toEqual([mine.tenant_id]);
        expect((await switchTo(before, theirs.tenant_id)).status).toBe(404);
        if (n === 0) await asKey('DELETE', `/v1/people/${invited.body.id}`, undefined, theirs.rk_secret);
      }
      const after = await signInAgain(service, email);
      const { body: me } = await after.ask<Me>('/v1/me');
      expect([me.tenant.id, me.tenants.map(({ id }) => id)]).toEqual([mine.tenant_id, [mine.tenant_id]]);
      expect(me.invitations).toEqual([{ id: theirs.tenant_id, name: expect.any(String), role: 'viewer' }]);
      const accepted = await switchTo(after, theirs.tenant_id);
      expect(accepted.body).toMatchObject({ tenant: { id: theirs.tenant_id, role: 'viewer' } });
      expect(accepted.body.tenants.map(({ id }) => id).toSorted()).toEqual(
        [mine.tenant_id, theirs.tenant_id].toSorted(),
      );
      expect(accepted.body).not.toHaveProperty('invitations');
      expect((await before.ask('/v1/me')).status).toBe(200);
    });

    it('a person that one account invented, with its own link, has no access to another', async () => {
      const [squatter, honest] = [await service.newTenant(), await service.newTenant()];
      const body = { email: 'wanted@people.example', role: 'viewer' };
      const made = await invite(body, squatter.rk_secret);
      const squat = visit(service);
      await redeem(tokenOf(made.body.sign_in_url!), squat);
      const invited = await invite({ ...body, role: 'owner' }, honest.rk_secret);
      expect(invited.status).toBe(201);
      expect(invited.body.id).not.toBe(made.body.id);
      const me = (await squat.ask<Me>('/v1/me')).body;
      expect(me.tenants.map(tenant => tenant.id)).toEqual([squatter.tenant_id]);
    });
  });
});
