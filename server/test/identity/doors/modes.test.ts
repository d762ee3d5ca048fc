import { describe, expect, it } from 'vitest';
import { ask } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { signedIn } from '../people/visitor.ts';
import { delivery, verification } from './fixtures.ts';

const service = serviceOfSuite({ worker: false });

describe.each([
  ['live', true],
  ['test', false],
] as const)('a deployment of MODE=%s', (mode, served) => {
  const narrow = serviceOfSuite(() => ({ worker: false, beside: service, env: { MODE: mode } }));

  it('excludes keys and objects of a mode that is off', async () => {
    const { tenant } = service;
    const [kept, refused] = served ? [tenant.pk_live, tenant.pk_test] : [tenant.pk_test, tenant.pk_live];
    expect((await ask(narrow, '/v1/verifications', { key: refused })).status).toBe(401);
    expect((await ask(narrow, '/v1/verifications', { key: kept })).status).toBe(200);
    const mine = await verification(service, tenant, served);
    const others = await verification(service, tenant, !served);
    for (const path of [(id: string) => `/v1/verify/${id}`, (id: string) => `/v1/verifications/${id}/public`]) {
      expect((await ask(narrow, path(mine))).status).toBe(200);
      const [gone, unknown] = [await ask(narrow, path(others)), await ask(narrow, path(`vfy_${'0'.repeat(26)}`))];
      expect([gone.status, gone.text]).toEqual([404, unknown.text]);
    }
    // Trials are tests, yet the account that owns them is served everywhere.
    const trial = await ask<{ id: string }>(narrow, '/v1/trial/verifications', { body: {} });
    expect((await ask(narrow, `/v1/verify/${trial.body.id}`)).status).toBe(200);
    // A person's session of before the deployment was narrowed shows the mode that is left.
    const person = await signedIn(narrow, { tenantId: tenant.tenant_id, role: 'viewer', livemode: served });
    await service.deps.db.query('update sessions set livemode = $2 where id = $1', [person.sessionId, !served]);
    const asPerson = async (id: string) => (await person.ask(`/v1/verifications/${id}`)).status;
    expect([await asPerson(mine), await asPerson(others)]).toEqual([200, 404]);
    const asSecret = (id: string) => ask(narrow, `/v1/verifications/${id}`, { key: tenant.rk_secret });
    expect([(await asSecret(mine)).status, (await asSecret(others)).status]).toEqual([200, 404]);
    const list = await ask(narrow, '/v1/verifications', { key: tenant.rk_secret });
    expect(list.text).toContain(mine);
    expect(list.text).not.toContain(others);
    const [sent, foreign] = [await delivery(service, tenant, served), await delivery(service, tenant, !served)];
    for (const [path, name] of [
      ['webhook-deliveries', 'delivery'],
      ['webhook-endpoints', 'endpoint'],
    ] as const) {
      const { text } = await ask(narrow, `/v1/${path}?limit=100`, { key: tenant.rk_secret });
      expect([text.includes(sent[name]), text.includes(foreign[name])]).toEqual([true, false]);
    }
    const resend = (id: string) =>
      ask(narrow, `/v1/events/${id}/resend`, { method: 'POST', key: tenant.rk_secret }).then(reply => reply.status);
    expect([await resend(sent.event), await resend(foreign.event)]).toEqual([202, 404]);
    const made = await ask<{ livemode: boolean }>(narrow, '/v1/verifications', { key: tenant.rk_secret, body: {} });
    expect(made.body.livemode).toBe(served);
  });
});
