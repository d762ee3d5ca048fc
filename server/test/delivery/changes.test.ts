import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedIn } from '../identity/people/visitor.ts';
import { ask, createVerification, startTestService, type TestService, until } from '../support/harness.ts';
import { followEvents } from './server-sent.ts';

/** Follows the stream of changes. */
async function listen(service: { url: string }, headers: Record<string, string>, query = '') {
  const path = `/v1/changes/stream${query}`;
  const stream = await followEvents<{ id?: string; livemode?: boolean }>(service, path, headers);
  const ids = () => stream.messages.filter(({ event }) => event === 'changed').map(({ data }) => data.id);
  return { ...stream, ids };
}

describe('GET /v1/changes/stream', () => {
  let service: TestService;
  let other: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
    other = await startTestService({ worker: false, beside: service });
  });
  afterAll(async () => {
    await other?.stop();
    await service?.stop();
  });
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  it('tells of changes on every node, in the modes of the credential, and of nobody else’s', async () => {
    const tenant = await service.newTenant();
    const stranger = await service.newTenant();
    const person = await signedIn(service, { tenantId: tenant.tenant_id, role: 'viewer', livemode: false });
    const both = await listen(service, bearer(tenant.rk_secret));
    const test = await listen(service, { cookie: person.cookie });
    const live = await createVerification(other, {}, tenant.pk_live);
    await createVerification(other, {}, stranger.pk_live);
    const tested = await createVerification(service, {}, tenant.pk_test);
    await until(async () => both.ids().length === 2 && test.ids().length === 1, 'three notes');
    expect(both.messages.slice(1).map(({ data }) => data)).toEqual([
      { id: live.id, livemode: true },
      { id: tested.id, livemode: false },
    ]);
    expect(test.ids()).toEqual([tested.id]);
    // What records no event is told too.
    await ask(other, `/v1/verifications/${tested.id}/progress`, {
      body: { schema_version: 1, step: 'ready', elapsed_ms: 1 },
    });
    await until(async () => test.ids().length === 2, 'the progress');
    expect(test.ids()).toEqual([tested.id, tested.id]);
    await Promise.all([both.close(), test.close()]);
  });

  it('goes on after its last event, and says when it cannot', async () => {
    const tenant = await service.newTenant();
    const headers = bearer(tenant.rk_secret);
    const before = await listen(service, headers);
    const first = await createVerification(service, {}, tenant.pk_live);
    await until(async () => before.ids().length === 1, 'the first');
    await before.close();
    const missed = await createVerification(service, {}, tenant.pk_live);
    const { id: cursor } = before.messages.at(-1)!;
    const after = await listen(other, { ...headers, 'last-event-id': cursor });
    await until(async () => after.ids().includes(missed.id), 'what was missed');
    expect(after.ids()).not.toContain(first.id);
    const next = await createVerification(service, {}, tenant.pk_live);
    await until(async () => after.ids().includes(next.id), 'the next');
    await after.close();
    const [transaction] = Buffer.from(cursor, 'base64url').toString().split(':');
    const old = Buffer.from(`${transaction}:${Date.now() - 3_600_000}`).toString('base64url');
    const late = await listen(service, headers, `?cursor=${old}`);
    await until(async () => late.messages.some(({ event }) => event === 'reset'), 'the reset');
    await late.close();
    expect((await ask(service, '/v1/changes/stream?cursor=forged', { key: tenant.rk_secret })).status).toBe(400);
  });

  it('remembers a bounded number of changes for a reader', async () => {
    const tenant = await service.newTenant();
    const stream = await listen(service, bearer(tenant.rk_secret));
    await service.deps.db.query(
      `insert into verification_changes (scope, verification_id)
       select verification_scope($1, true), 'vfy_' || lpad(n::text, 26, '0') from generate_series(1, 5000) n`,
      [tenant.tenant_id],
    );
    await until(async () => stream.messages.some(({ event }) => event === 'reset'), 'the reset');
    expect(stream.ids().length).toBeLessThanOrEqual(1_000);
    await stream.close();
  });

  it('ends with the session, and a person opens no more than eight', async () => {
    const person = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'viewer' });
    const streams: Awaited<ReturnType<typeof listen>>[] = [];
    for (let n = 0; n < 8; n += 1) streams.push(await listen(service, { cookie: person.cookie }));
    expect((await person.ask('/v1/changes/stream')).status).toBe(429);
    await person.ask('/v1/auth/sign-out', { method: 'POST' });
    await until(async () => streams.every(stream => stream.isOver()), 'the streams to end', 30_000);
  });
});
