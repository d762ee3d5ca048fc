import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import { CaseAnalysis, type Verification } from '@firsthand/contract/verification/verification.ts';
import sharp from 'sharp';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, type Failure, pathsOf } from '../../../test/support/failure.ts';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  until,
  untilStatus,
} from '../../../test/support/harness.ts';
import { firstHand, plain } from '../../../test/support/pictures.ts';

type Reply = Verification & Partial<Failure>;

let service: TestService;
let hooks: WebhookReceiver;
beforeAll(async () => {
  service = await startTestService();
  hooks = await receiveWebhooks();
});
afterAll(async () => {
  await hooks?.close();
  await service?.stop();
});

const finalize = (id: string, body: unknown = { narrative: 'It broke.' }, key = service.tenant.pk_test) =>
  ask<Reply>(service, `/v1/verifications/${id}/finalize`, { key, body });

async function completed(pictures: Buffer[], request: object = {}, key = service.tenant.pk_test, more: object[] = []) {
  const { id } = await createVerification(
    service,
    { steps: [{ key: 'photo', min: pictures.length, max: pictures.length }], ...request },
    key,
  );
  for (const [index, picture] of pictures.entries()) {
    const sent = await submit(service, id, picture, { step_key: 'photo', ...more[index] });
    expect(sent.status).toBe(201);
  }
  await untilStatus(service, id, ['completed'], key);
  return id;
}

const withExif = (colour: string, ifd0: Record<string, string>, ifd2: Record<string, string> = {}) =>
  sharp({ create: { width: 80, height: 60, channels: 3, background: colour } })
    .withExif({ IFD0: ifd0, IFD2: ifd2 })
    .jpeg()
    .toBuffer();

describe('finalize refuses', () => {
  it('a body without a narrative, with other members, or over 2,000 characters', async () => {
    const { id } = await createVerification(service);
    const faults = async (body: unknown) => {
      const reply = await finalize(id, body);
      return [...codeOf(reply), pathsOf(reply)];
    };
    expect(await faults({})).toEqual([400, 'invalid_request', ['narrative']]);
    expect(await faults({ narrative: 7, extra: 1 })).toEqual([400, 'invalid_request', ['extra', 'narrative']]);
    expect(await faults({ narrative: '𝒶'.repeat(2_001) })).toEqual([400, 'invalid_request', ['narrative']]);
    const missing = await ask<Reply>(service, `/v1/verifications/${id}/finalize`, {
      key: service.tenant.pk_test,
      method: 'POST',
    });
    expect(codeOf(missing)).toEqual([400, 'invalid_request']);
  });

  it('a verification that is incomplete, expired, failed, already finalized or another tenant’s', async () => {
    const open = await createVerification(service);
    expect(codeOf(await finalize(open.id))).toEqual([409, 'steps_incomplete']);
    const { body } = await ask<Verification>(service, `/v1/verifications/${open.id}`, { key: service.tenant.pk_test });
    expect([body.narrative, body.status]).toEqual([undefined, 'pending']);

    await ask(service, `/v1/verifications/${open.id}/cancel`, { method: 'POST', key: service.tenant.rk_secret });
    const cancelled = await createVerification(service, {}, service.tenant.pk_live);
    await ask(service, `/v1/verifications/${cancelled.id}/cancel`, { method: 'POST', key: service.tenant.rk_secret });
    expect(codeOf(await finalize(cancelled.id, { narrative: '' }, service.tenant.rk_secret))).toEqual([410, 'expired']);

    const failed = await createVerification(service, { metadata: { test_outcome: 'failed' } });
    await submit(service, failed.id, await plain());
    await untilStatus(service, failed.id, ['failed']);
    expect(codeOf(await finalize(failed.id))).toEqual([409, 'verification_closed']);

    const done = await completed([await plain()]);
    const other = await service.newTenant();
    expect(codeOf(await finalize(done, undefined, other.pk_test))).toEqual([404, 'not_found']);
    expect(codeOf(await finalize(done, undefined, 'pk_test_wrong'))).toEqual([401, 'unauthorized']);
    expect((await finalize(done)).status).toBe(200);
    expect(codeOf(await finalize(done))).toEqual([409, 'already_finalized']);
  });

  it('a verification with a missing answer', async () => {
    const { id } = await createVerification(service, {
      steps: [
        { key: 'photo', min: 1, max: 1 },
        { key: 'policy', type: 'text' },
      ],
    });
    await submit(service, id, await plain());
    expect(codeOf(await finalize(id))).toEqual([409, 'steps_incomplete']);
  });
});

describe('finalize', () => {
  it('answers with the case analysis, announces it, and leaves the verdict unchanged', async () => {
    const id = await completed([await firstHand(5)], { webhook_url: hooks.url });
    const before = await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
    const reply = await finalize(id, { narrative: 'The pipe burst today.' });
    expect(reply.status).toBe(200);
    expect(reply.body.narrative).toBe('The pipe burst today.');
    expect(Value.Check(CaseAnalysis, reply.body.case_analysis)).toBe(true);
    expect(reply.body.case_analysis).toMatchObject({
      model: 'firsthand-evidence/1',
      review_priority: 'low',
      analysis: [{ capture_id: reply.body.captures[0]!.id, ai: 'low', screen: false }],
    });
    expect(reply.body.verdict).toEqual(before.body.verdict);
    const hook = await until(
      async () => hooks.of(id).find(({ event }) => event.type === 'verification.case_completed') ?? null,
      'the webhook of the case',
    );
    expect(hook.event.data.case_analysis).toEqual(reply.body.case_analysis);
    expect(hook.event.data.narrative).toBe('The pipe burst today.');
  });

  it('runs once for any number of simultaneous calls', async () => {
    const id = await completed([await plain()], { webhook_url: hooks.url });
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => finalize(id, { narrative: `Call ${index}` })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(replies.filter(({ body }) => body.error?.code === 'already_finalized')).toHaveLength(11);
    const { rows } = await service.deps.db.query(
      "select count(*)::int as count from events where verification_id = $1 and type = 'verification.case.completed'",
      [id],
    );
    expect(rows[0].count).toBe(1);
    const won = replies.find(({ status }) => status === 200)!.body.narrative;
    const { body } = await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
    expect(body.narrative).toBe(won);
  });

  it('replays its answer for the same Idempotency-Key', async () => {
    const id = await completed([await plain()]);
    const request = { key: service.tenant.pk_test, body: { narrative: 'Twice' }, headers: { 'idempotency-key': id } };
    const first = await ask<Reply>(service, `/v1/verifications/${id}/finalize`, request);
    const again = await ask<Reply>(service, `/v1/verifications/${id}/finalize`, request);
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true']);
    expect(again.body.case_analysis).toEqual(first.body.case_analysis);
  });

  it('answers 202 while analysis is outstanding and attaches the analysis later', async () => {
    const api = await startTestService({ worker: false });
    try {
      const { id } = await createVerification(api, { webhook_url: hooks.url });
      await submit(api, id, await plain());
      const early = await ask<Reply>(api, `/v1/verifications/${id}/finalize`, {
        key: api.tenant.pk_test,
        body: { narrative: 'Early' },
      });
      expect([early.status, early.body.narrative, early.body.case_analysis]).toEqual([202, 'Early', undefined]);
      const second = await ask<Reply>(api, `/v1/verifications/${id}/finalize`, {
        key: api.tenant.pk_test,
        body: { narrative: 'Again' },
      });
      expect(codeOf(second)).toEqual([409, 'already_finalized']);
      const worker = await startTestService({ beside: api });
      try {
        const done = await until(async () => {
          const { body } = await ask<Verification>(api, `/v1/verifications/${id}`, { key: api.tenant.pk_test });
          return body.case_analysis ? body : null;
        }, 'the case analysis');
        expect([done.status, done.narrative]).toEqual(['completed', 'Early']);
        await until(
          async () => hooks.of(id).some(({ event }) => event.type === 'verification.case_completed'),
          'the webhook of the case',
        );
      } finally {
        await worker.stop();
      }
    } finally {
      await api.stop();
    }
  });
});

describe('case evidence', () => {
  const analysisOf = async (id: string, narrative = '', key = service.tenant.pk_test) =>
    (await finalize(id, { narrative }, key)).body.case_analysis!;

  it('compares the cameras that the files name', async () => {
    const same = await completed([
      await withExif('#111', { Make: 'Canon', Model: 'Canon EOS R6' }),
      await withExif('#222', { Make: 'Canon', Model: 'Canon EOS R6' }),
    ]);
    const consistent = (await analysisOf(same)).dimensions.cross_image_consistency;
    expect(consistent).toMatchObject({ score: 0, evidence: expect.stringContaining('same camera, Canon EOS R6') });
    const other = await completed([
      await withExif('#123', { Make: 'Canon', Model: 'Canon EOS R6' }),
      await withExif('#234', { Make: 'Apple', Model: 'iPhone 15', Software: 'Adobe Photoshop 25.1' }),
    ]);
    const { dimensions } = await analysisOf(other);
    expect(dimensions.cross_image_consistency.concerns?.[0]).toMatch(/different cameras: Canon EOS R6 .*iPhone 15/);
    expect(dimensions.physical_plausibility.concerns?.join()).toContain('image editor');
  });

  it('finds pictures only of earlier cases of the same tenant and mode', async () => {
    const picture = await plain({ width: 301, height: 200, colour: '#a53' });
    const first = await completed([picture]);
    expect((await analysisOf(first)).dimensions.cross_image_consistency.score).toBe(0);
    const second = await completed([picture]);
    const repeated = await analysisOf(second);
    expect(repeated.dimensions.cross_image_consistency.concerns?.[0]).toContain(first);
    expect(repeated.review_priority).toBe('high');
    const live = await completed([picture], {}, service.tenant.pk_live);
    expect((await analysisOf(live, '', service.tenant.pk_live)).dimensions.cross_image_consistency.score).toBe(0);
    const other = await service.newTenant();
    const foreign = await completed([picture], {}, other.pk_test);
    expect((await analysisOf(foreign, '', other.pk_test)).dimensions.cross_image_consistency.score).toBe(0);
  });

  it('finds a picture that was saved smaller and coarser, in this and in an earlier case', async () => {
    const picture = await firstHand(11);
    const again = await sharp(picture).resize(800).jpeg({ quality: 40 }).toBuffer();
    const first = await completed([picture]);
    expect((await analysisOf(first)).dimensions.cross_image_consistency.score).toBe(0);
    const second = await completed([again]);
    expect((await analysisOf(second)).dimensions.cross_image_consistency.concerns?.[0]).toMatch(
      new RegExp(`sent before in another form in ${first}`),
    );
    const other = await service.newTenant();
    const twice = await completed([picture, again], {}, other.pk_test);
    expect((await analysisOf(twice, '', other.pk_test)).dimensions.cross_image_consistency.concerns).toEqual([
      'Pictures 1 and 2 show the same view.',
    ]);
  });

  it('distinguishes an earlier case about the same subject from one about another', async () => {
    const picture = await plain({ width: 962, height: 640, colour: '#35a' });
    const subject = { expected_info: { subject: { person: { external_ref: 'customer-1' } } } };
    await completed([picture], subject);
    const again = await analysisOf(await completed([picture], subject));
    expect(again.review_priority).toBe('low');
    expect(again.dimensions.cross_image_consistency.concerns?.[0]).toContain('same subject');
  });

  it('measures distance and speed between positions', async () => {
    const id = await completed(
      [await plain({ colour: '#010' }), await plain({ colour: '#020' })],
      {},
      service.tenant.pk_test,
      [
        { location: { latitude: 48.137, longitude: 11.575, accuracy_m: 10 } },
        { location: { latitude: 52.52, longitude: 13.405, accuracy_m: 10 } },
      ],
    );
    const { dimensions, review_priority } = await analysisOf(id, 'At 48.1370, 11.5750 the car was hit.');
    expect(dimensions.cross_image_consistency.concerns?.[0]).toMatch(/at least 50\d(\.\d)? km apart/);
    expect(dimensions.physical_plausibility.concerns?.[0]).toMatch(/km\/h/);
    expect(dimensions.narrative_image_match?.concerns?.[0]).toContain('48.1370, 11.5750');
    expect(review_priority).toBe('high');
  });

  it('compares the dates of the narrative with the pictures', async () => {
    const id = await completed([await withExif('#345', {}, { DateTimeOriginal: '2019:03:04 10:00:00' })], {
      steps: [{ key: 'photo', type: 'upload', min: 1, max: 1 }],
    });
    const { dimensions, text_analysis } = await analysisOf(id, 'Yesterday a tree fell on the roof.');
    expect(dimensions.narrative_image_match?.concerns?.[0]).toMatch(/taken up to \d+ days before “Yesterday”/);
    expect(text_analysis).toContain('Yesterday');
  });
});
