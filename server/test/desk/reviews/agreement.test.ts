import type { ReviewAgreement } from '@firsthand/contract/reviews/reviews.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedIn } from '../../identity/people/visitor.ts';
import { ask, startTestService, type TestService } from '../../support/harness.ts';
import { openCases, review, undo } from './cases.ts';

describe('GET /v1/reviews/agreement', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service?.stop());

  it('GET /v1/reviews/agreement counts blind pairs, what stands, and the blind sample, of one account and mode', async () => {
    const { tenant_id: tenantId } = service.tenant;
    const people = await Promise.all([1, 2].map(() => signedIn(service, { tenantId, role: 'reviewer' })));
    const [one, two] = [people[0]!, people[1]!];
    const read = async (query = '') =>
      (await ask<ReviewAgreement>(service, `/v1/reviews/agreement${query}`, { key: service.tenant.rk_secret })).body;
    const empty = await read();
    expect(empty).toEqual({
      since: expect.any(String),
      decisions: 0,
      pairs: 0,
      agreed: 0,
      sample: { decided: 0, approved: 0 },
    });
    const decide = async (id: string, first: string, second: string) => {
      await review(one, id, { decision: first as 'approved', seconds: 10 });
      await review(two, id, { decision: second as 'approved', seconds: 30 });
    };
    const cases = await openCases(service, 4, { needs: 2 });
    await decide(cases[0]!, 'approved', 'approved');
    await decide(cases[1]!, 'rejected', 'rejected');
    await decide(cases[2]!, 'approved', 'rejected');
    // An escalation decides nothing, and a decision taken back no longer stands.
    await review(one, cases[3]!, { decision: 'escalated', seconds: 999 });
    const taken = await review(one, cases[3]!, { decision: 'approved', seconds: 999 });
    await undo(one, cases[3]!, taken.body.id);
    const [sampled] = await openCases(service, 1, { label: 'verified', causes: ['sample'] });
    await review(one, sampled!, { decision: 'approved', seconds: 20 });
    await openCases(service, 1, { label: 'verified', causes: ['sample'] });
    const stranger = await service.newTenant();
    const other = await signedIn(service, { tenantId: stranger.tenant_id, role: 'reviewer' });
    const [foreign] = await openCases(service, 1, { tenantId: stranger.tenant_id });
    await review(other, foreign!, { decision: 'rejected', seconds: 500 });
    const found = await read();
    // Observed 2/3; shares of approved and rejected are 1/2 each, so chance is 1/2: (2/3 - 1/2) / (1/2).
    expect(found).toEqual({
      since: expect.any(String),
      decisions: 7,
      median_seconds: 20,
      pairs: 3,
      agreed: 2,
      kappa: 0.333,
      sample: { decided: 1, approved: 1 },
    });
    const test = await signedIn(service, { tenantId, role: 'viewer', livemode: false });
    expect((await test.ask<ReviewAgreement>('/v1/reviews/agreement')).body.decisions).toBe(0);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await read(`?since=${later}`)).decisions).toBe(0);
  });
});
