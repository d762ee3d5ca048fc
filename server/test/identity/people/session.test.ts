import type { InvitedPerson, Me, Role } from '@firsthand/contract/people/people.ts';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../support/failure.ts';
import { ask } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { signedIn, signInAgain, signInAsOwner, tokenOf, visit } from './visitor.ts';

describe('session', () => {
  let skew = 0;
  const service = serviceOfSuite({ worker: false, now: () => new Date(Date.now() + skew) });
  const acme = serviceOfSuite(() => ({ worker: false, beside: service, env: { SESSION_COOKIE_BRAND: 'acme' } }));
  const personOf = (role: Role, email?: string) =>
    signedIn(service, { tenantId: service.tenant.tenant_id, role, ...(email === undefined ? {} : { email }) });

  it('dashboard_url signs the owner in once, with a cookie that scripts, other sites and other hosts cannot read', async () => {
    expect(service.dashboardUrl).toMatch(/^http:\/\/localhost:\d+\/dashboard\/sign-in#first=[\w-]{43}$/);
    const owner = await signInAsOwner(service);
    expect(owner.me).toMatchObject({
      tenant: { id: service.tenant.tenant_id, name: 'First tenant', role: 'owner', livemode: true },
      tenants: [{ id: service.tenant.tenant_id, role: 'owner' }],
      session: { method: 'first_run' },
      passkeys: [],
    });
    expect(owner.set).toHaveLength(1);
    const [pair, ...attributes] = owner.set[0]!.split('; ');
    expect(pair).toMatch(/^firsthand_session=[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=43200', 'Path=/', 'SameSite=Lax']);
    const [header] = pair!.split('=')[1]!.split('.');
    expect(JSON.parse(Buffer.from(header!, 'base64url').toString())).toMatchObject({ alg: 'HS256' });
    const again = await visit(service).ask('/v1/auth/first-run', { body: { token: tokenOf(service.dashboardUrl) } });
    expect([again.status, again.headers.getSetCookie()]).toEqual([401, []]);
    const unknown = await visit(service).ask('/v1/auth/first-run', { body: { token: 'never-made' } });
    expect([unknown.status, unknown.text]).toEqual([401, again.text]);
  });

  it('has a Secure cookie with the brand in its name when PUBLIC_URL is https', async () => {
    const { url } = acme;
    const body = { email: 'secure@people.example', role: 'viewer' };
    const invited = await ask<InvitedPerson>(service, '/v1/people', { key: service.tenant.rk_secret, body });
    acme.deps.origins.public = 'https://photos.example';
    const token = tokenOf(invited.body.sign_in_url!);
    const reply = await visit({ url }).ask('/v1/auth/magic-link/redeem', { body: { token } });
    expect(reply.headers.getSetCookie()[0]).toMatch(/^acme_session=.*; Secure/);
  });

  it('POST /v1/auth/sign-out deletes the cookie and ends the session', async () => {
    const person = await personOf('viewer');
    expect((await person.ask('/v1/me')).status).toBe(200);
    const stolen = person.cookie;
    const reply = await person.ask('/v1/auth/sign-out', { method: 'POST' });
    expect([reply.status, person.cookies.size]).toEqual([204, 0]);
    expect((await ask(service, '/v1/me', { headers: { cookie: stolen } })).status).toBe(401);
  });

  it('ends after 30 idle minutes and lasts while it is used', async () => {
    const used = await personOf('viewer');
    const idle = await personOf('viewer');
    try {
      skew += 29 * 60_000;
      expect((await used.ask('/v1/me')).status).toBe(200);
      skew += 90_000;
      expect((await idle.ask('/v1/me')).status).toBe(401);
      expect((await used.ask('/v1/me')).status).toBe(200);
    } finally {
      skew = 0;
    }
  });

  it('ends after 12 hours even while it is used', async () => {
    const person = await personOf('viewer');
    try {
      for (let minutes = 0; minutes < 719; minutes += 20) {
        expect([minutes, (await person.ask('/v1/me')).status]).toEqual([minutes, 200]);
        skew += 20 * 60_000;
      }
      expect((await person.ask('/v1/me')).status).toBe(401);
    } finally {
      skew = 0;
    }
  });

  it('is new at every sign-in, which ends the browser’s previous one', async () => {
    const person = await personOf('owner');
    const former = person.cookie;
    const invited = await person.ask<{ sign_in_url: string }>('/v1/people', {
      body: { email: 'second@people.example', role: 'viewer' },
    });
    const reply = await person.ask<Me>('/v1/auth/magic-link/redeem', {
      body: { token: tokenOf(invited.body.sign_in_url) },
    });
    expect([reply.status, reply.body.session.method]).toEqual([200, 'invitation']);
    expect(`firsthand_session=${person.cookies.get('firsthand_session')}`).not.toBe(former);
    expect((await ask(service, '/v1/me', { headers: { cookie: former } })).status).toBe(401);
  });

  it('GET /v1/me/sessions lists open sessions, and DELETE ends one or all others', async () => {
    const laptop = await personOf('viewer', 'many@people.example');
    const more = await Promise.all(
      [1, 2].map(async () => {
        const opened = await service.deps.db.query<{ id: string }>(
          `insert into sessions select 'ses_' || upper(lpad(to_hex((random() * 1e9)::bigint), 26, '0')), person_id, tenant_id,
             livemode, method, address, device, created_at, last_seen_at, expires_at from sessions where id = $1 returning id`,
          [laptop.sessionId],
        );
        return opened.rows[0]!.id;
      }),
    );
    const list = async () =>
      (await laptop.ask<{ data: { id: string; current: boolean }[] }>('/v1/me/sessions')).body.data;
    expect((await list()).filter(one => one.current).map(one => one.id)).toEqual([laptop.sessionId]);
    expect((await list()).map(one => one.id).toSorted()).toEqual([laptop.sessionId, ...more].toSorted());
    expect((await laptop.ask(`/v1/me/sessions/${more[0]}`, { method: 'DELETE' })).status).toBe(204);
    expect((await list()).map(one => one.id).toSorted()).toEqual([laptop.sessionId, more[1]].toSorted());
    expect((await laptop.ask('/v1/me/sessions', { method: 'DELETE' })).status).toBe(204);
    expect((await list()).map(one => one.id)).toEqual([laptop.sessionId]);
    const stranger = await personOf('owner');
    expect((await stranger.ask(`/v1/me/sessions/${laptop.sessionId}`, { method: 'DELETE' })).status).toBe(404);
  });

  it('GET /v1/me says when the person was here before this visit', async () => {
    const email = 'back@people.example';
    const person = await personOf('member', email);
    const lastVisit = async (of: typeof person | Awaited<ReturnType<typeof signInAgain>>) =>
      (await of.ask<Me>('/v1/me')).body.last_visit_at;
    expect(await lastVisit(person)).toBeUndefined();
    const began = Date.now() + skew;
    try {
      skew += 10 * 60_000;
      expect(await lastVisit(person)).toBeUndefined();
      skew += 5 * 3_600_000;
      const again = await signInAgain(service, email);
      const left = Date.parse((await lastVisit(again))!) - began;
      expect(left).toBeGreaterThanOrEqual(10 * 60_000 - 1_000);
      expect(left).toBeLessThan(11 * 60_000);
      // Requests, and another mode, are the same visit.
      skew += 5 * 60_000;
      expect(Date.parse((await lastVisit(again))!) - began).toBe(left);
      const { tenant } = (await again.ask<Me>('/v1/me')).body;
      const body = { tenant_id: tenant.id, livemode: !tenant.livemode };
      const switched = await again.ask<Me>('/v1/me/tenant', { body });
      expect(Date.parse(switched.body.last_visit_at!) - began).toBe(left);
    } finally {
      skew = 0;
    }
  });

  it('POST /v1/me/tenant switches account and mode, only to accounts of the person', async () => {
    const other = await service.newTenant();
    const person = await personOf('viewer', 'both@people.example');
    const foreign = await person.ask('/v1/me/tenant', { body: { tenant_id: other.tenant_id, livemode: true } });
    expect(foreign.status).toBe(404);
    const body = { email: 'both@people.example', role: 'owner' };
    expect((await ask(service, '/v1/people', { key: other.rk_secret, body })).status).toBe(201);
    expect((await person.ask('/v1/me')).status).toBe(200);
    const again = await signInAgain(service, 'both@people.example');
    const switched = await again.ask<Me>('/v1/me/tenant', { body: { tenant_id: other.tenant_id, livemode: false } });
    expect(switched.body).toMatchObject({ tenant: { id: other.tenant_id, role: 'owner', livemode: false } });
    expect(switched.body.tenants.map(tenant => tenant.role)).toEqual(['viewer', 'owner']);
    expect((await again.ask<Me>('/v1/me')).body.tenant).toMatchObject({ id: other.tenant_id, livemode: false });
    // The next session begins where the last one was.
    const next = await signInAgain(service, 'both@people.example');
    expect((await next.ask<Me>('/v1/me')).body.tenant).toMatchObject({ id: other.tenant_id, livemode: false });
  });

  it('a change that says another mode in Firsthand-Mode is 409 and changes nothing', async () => {
    const person = await personOf('owner');
    const me = (await person.ask<Me>('/v1/me')).body;
    const create = (mode: string | undefined) =>
      person.ask<{ livemode: boolean }>('/v1/verifications', { body: {}, headers: { 'firsthand-mode': mode } });
    const [before, after] = me.tenant.livemode ? ['live', 'test'] : ['test', 'live'];
    expect([(await create(before)).status, (await create(undefined)).status]).toEqual([201, 201]);
    await person.ask('/v1/me/tenant', { body: { tenant_id: me.tenant.id, livemode: !me.tenant.livemode } });
    const count = async () => (await service.deps.db.query('select count(*) from verifications')).rows[0];
    const made = await count();
    const refused = await create(before);
    expect([...codeOf(refused), refused.text]).toEqual([
      409,
      'mode_changed',
      expect.stringContaining(`This session is in ${after} mode now. Nothing was changed.`),
    ]);
    expect(await count()).toEqual(made);
    expect((await person.ask('/v1/verifications', { headers: { 'firsthand-mode': before } })).status).toBe(200);
    expect((await create(after)).body).toMatchObject({ livemode: !me.tenant.livemode });
  });

  it('counts requests against the person’s own limit, not the account’s', async () => {
    const { db } = service.deps;
    const { tenant_id: tenantId, pk_live: key } = await service.newTenant();
    await db.query('update tenants set rate_limit_per_minute = 1 where id = $1', [tenantId]);
    const person = await signedIn(service, { tenantId, role: 'viewer' });
    for (let n = 0; n < 3; n += 1) {
      const reply = await person.ask('/v1/verifications');
      expect([reply.status, reply.headers.get('ratelimit-limit')]).toEqual([200, '600']);
    }
    const statuses = [];
    for (let n = 0; n < 2; n += 1) statuses.push((await ask(service, '/v1/verifications', { key })).status);
    expect(statuses).toEqual([200, 429]);
  });
});
