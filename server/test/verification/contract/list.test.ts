import type { VerificationSummary } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathsOf } from '../../support/failure.ts';
import { ask, createVerification, startTestService, type TestService } from '../../support/harness.ts';

interface Page {
  data: VerificationSummary[];
  next_cursor?: string;
}

describe('GET /v1/verifications', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
  });
  afterAll(() => service?.stop());

  const list = (query: string, key = service.tenant.pk_test) =>
    ask<Page>(service, `/v1/verifications${query}`, { key });

  it('shows each older verification exactly once while others are created', async () => {
    const older = [];
    for (let n = 0; n < 25; n += 1) older.push((await createVerification(service)).id);
    const seen: string[] = [];
    let query = '?limit=10';
    for (;;) {
      const { body } = await list(query);
      seen.push(...body.data.map(item => item.id));
      expect(body.data.every(item => !('captures' in item))).toBe(true);
      await createVerification(service);
      if (!body.next_cursor) break;
      query = `?limit=10&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual([...older].sort().reverse());
  });

  it('filters by each parameter', async () => {
    const { id } = await createVerification(service, {
      metadata: { claim: 'C 1', other: 'x' },
      expected_info: { subject: { person: { external_ref: 'ref-9' } } },
    });
    const ids = async (query: string) => (await list(query)).body.data.map(item => item.id);
    expect(await ids(`?metadata[claim]=${encodeURIComponent('C 1')}`)).toEqual([id]);
    expect(await ids('?metadata[claim]=C')).toEqual([]);
    expect(await ids('?external_ref=ref-9')).toEqual([id]);
    expect(await ids('?status=completed')).toEqual([]);
    expect(await ids('?status=pending&external_ref=ref-9')).toEqual([id]);
    expect(await ids('?verdict=verified')).toEqual([]);
    const future = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
    expect(await ids(`?created_after=${future}`)).toEqual([]);
    expect(await ids(`?created_before=${future}&external_ref=ref-9`)).toEqual([id]);
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=101', 'limit'],
    ['?limit=x', 'limit'],
    ['?cursor=forged', 'cursor'],
    [`?cursor=${Buffer.from('after:vfy_x').toString('base64url')}`, 'cursor'],
    ['?status=open', 'status'],
    ['?created_after=yesterday', 'created_after'],
    ['?created_after=0000-01-01T00:00:00Z', 'created_after'],
    ['?surprise=1', 'surprise'],
  ])('refuses %s', async (query, path) => {
    const reply = await ask(service, `/v1/verifications${query}`, {
      key: service.tenant.pk_test,
    });
    expect([reply.status, pathsOf(reply)]).toEqual([400, [path]]);
  });

  it("keeps modes and tenants apart; the secret key sees both of its tenant's modes", async () => {
    const live = await createVerification(service, { metadata: { apart: 'live' } }, service.tenant.pk_live);
    const test = await createVerification(service, { metadata: { apart: 'test' } });
    const find = async (key: string) =>
      (await list('?limit=100', key)).body.data.map(item => item.id).filter(id => [live.id, test.id].includes(id));
    expect(await find(service.tenant.pk_live)).toEqual([live.id]);
    expect(await find(service.tenant.pk_test)).toEqual([test.id]);
    expect((await find(service.tenant.rk_secret)).sort()).toEqual([live.id, test.id].sort());
    expect(await find((await service.newTenant()).rk_secret)).toEqual([]);
  });
});
