import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { imageOf } from '@firsthand/forensics/pixels/image.ts';
import { ripples } from '@firsthand/forensics/simulate/ripples.ts';
import { describe, expect, it } from 'vitest';
import { read } from '../desk/reviews/cases.ts';
import { signedIn } from '../identity/people/visitor.ts';
import { completedVerification } from '../support/completed.ts';
import { firstHand } from '../support/pictures.ts';
import { serviceOfSuite } from '../support/suite.ts';

const looksGenerated = () => imageOf(ripples()).jpeg({ quality: 95 }).toBuffer();

describe('AI_MODEL=built-in, the default', () => {
  const service = serviceOfSuite();
  const judged = (photo: Buffer): Promise<Verification> =>
    completedVerification(service, { request: { signals_required: ['ai'] }, photo, key: service.tenant.pk_live });

  it('a picture without a mark that looks generated is suspicious, never failed, and a person sees the odds', async () => {
    const done = await judged(await looksGenerated());
    expect(done.verdict).toMatchObject({ label: 'suspicious', reason_code: 'ai_generated' });
    expect(done.captures[0]!.signals!.ai_detection).toMatchObject({
      label: 'likely_ai',
      band: 'doubtful',
      found_by: 'model',
    });
    const viewer = await signedIn(service, { tenantId: service.tenant.tenant_id, role: 'viewer', livemode: true });
    const { ai } = (await read(viewer, done.id)).captures[0]!.explanation!;
    expect(ai).toMatchObject({ model: 'generated-1', odds: { pictures: 860 } });
    expect(ai!.odds!.one_in).toBeGreaterThan(100);
  });

  it('a photo that does not is verified, and stays unknown', async () => {
    const done = await judged(await firstHand());
    expect(done.verdict?.label).toBe('verified');
    expect(done.verdict!.signals.ai_detection).toEqual({ label: 'unknown', confidence: 0 });
  });
});

describe('AI_MODEL=off', () => {
  const service = serviceOfSuite({ env: { AI_MODEL: 'off' } });

  it('leaves a picture without a mark unknown', async () => {
    const request = { signals_required: ['ai'] };
    const done = await completedVerification(service, { request, photo: await looksGenerated() });
    expect(done.verdict?.label).toBe('verified');
  });
});
