import type { EndUserView, PublicView } from '@firsthand/contract/verification/verification.ts';
import { describe, expect, it } from 'vitest';
import { signedIn } from '../../identity/people/visitor.ts';
import { ask } from '../../support/harness.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { openCases, review, setSettings, undo } from './cases.ts';

describe('the public view and reviews', () => {
  const service = serviceOfSuite({ worker: false });
  const publicView = async (id: string) => (await ask<PublicView>(service, `/v1/verifications/${id}/public`)).body;
  const endUserView = async (id: string) => (await ask<EndUserView>(service, `/v1/verify/${id}`)).body;

  it('GET /v1/verifications/:id/public says the verdict while a review is open only if the account says always', async () => {
    const { tenant_id: tenantId, rk_secret: key } = await service.newTenant();
    const [id, second] = await openCases(service, 2, { tenantId, label: 'failed' });
    expect(await publicView(id!)).toMatchObject({ verdict: { label: 'failed' }, review: { state: 'open' } });
    expect((await endUserView(id!)).under_review).toBe(true);
    await setSettings(service, { public_verdict: 'decided' }, key);
    expect(await publicView(id!)).not.toHaveProperty('verdict');

    const person = await signedIn(service, { tenantId, role: 'reviewer', livemode: true });
    const { body } = await review(person, id!, { decision: 'approved' });
    const shown = await publicView(id!);
    expect(shown.verdict).toEqual({ label: 'failed' });
    expect(shown.review).toEqual({ state: 'approved', decided_at: expect.any(String) });
    expect(await endUserView(id!)).not.toHaveProperty('under_review');
    await undo(person, id!, body.id);
    expect(await publicView(id!)).not.toHaveProperty('verdict');

    await review(person, second!, { decision: 'rejected', note: 'a screen' });
    const rejected = await publicView(second!);
    expect(rejected.verdict).toEqual({ label: 'failed' });
    expect(rejected).not.toHaveProperty('review');
  });

  it('GET /v1/verifications/:id/public waits for two people who disagree, and no longer once the case is erased', async () => {
    const { tenant_id: tenantId, rk_secret: key } = await service.newTenant();
    await setSettings(service, { public_verdict: 'decided' }, key);
    const [id] = await openCases(service, 1, { tenantId, needs: 2 });
    for (const decision of ['approved', 'rejected'] as const)
      await review(await signedIn(service, { tenantId, role: 'reviewer', livemode: true }), id!, { decision });
    expect(await publicView(id!)).toMatchObject({ review: { state: 'open' } });
    expect(await publicView(id!)).not.toHaveProperty('verdict');
    expect((await ask(service, `/v1/verifications/${id}/redact`, { key, body: {} })).status).toBe(200);
    const erased = await publicView(id!);
    expect(erased.verdict).toEqual({ label: 'suspicious' });
    expect(erased).not.toHaveProperty('review');
  });
});
