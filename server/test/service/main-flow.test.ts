import { createHash } from 'node:crypto';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import type { UploadUrlResponse } from '@firsthand/contract/capture/capture-flow.ts';
import type { EndUserView, Verification } from '@firsthand/contract/verification/verification.ts';
import { VerificationEvent } from '@firsthand/contract/webhooks/webhooks.ts';
import { Webhook } from 'standardwebhooks';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  until,
  untilStatus,
} from '../support/harness.ts';
import { firstHand, photoOfScreen, plain } from '../support/pictures.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

describe('main flow, from capture link to signed verdict', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    service = await startTestService();
    receiver = await receiveWebhooks();
  });
  afterAll(async () => {
    await receiver?.close();
    await service?.stop();
  });

  it('takes a genuine picture by presigned upload to verified, with signed webhooks', async () => {
    const picture = await firstHand(3);
    const verification = await createVerification(service, { webhook_url: receiver.url, metadata: { ref: 'claim-7' } });
    expect(verification).toMatchObject({ status: 'pending', captures_count: 0, livemode: false });
    expect(verification.id).toMatch(/^vfy_[0-9A-HJKMNP-TV-Z]{26}$/);

    const upload = await ask<UploadUrlResponse>(service, `/v1/verifications/${verification.id}/captures/upload-url`, {
      body: { contentType: 'image/jpeg' },
    });
    expect(upload.status).toBe(201);
    expect(upload.body.image_key.endsWith(`/${verification.id}/${upload.body.capture_id}`)).toBe(true);
    const put = () =>
      fetch(upload.body.upload_url, { method: 'PUT', headers: upload.body.headers, body: new Uint8Array(picture) });
    expect((await put()).status).toBe(200);
    expect((await put()).status).toBe(412);

    const key = { image_key: upload.body.image_key, image_sha256: sha256(picture), surface: 'web' };
    const first = await ask<EndUserView>(service, `/v1/verifications/${verification.id}/captures`, { body: key });
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({
      captures_count: 1,
      step_states: [{ key: 'capture_1', type: 'image', captured: 1, remaining: 0 }],
    });
    const again = await ask<EndUserView>(service, `/v1/verifications/${verification.id}/captures`, { body: key });
    expect([again.status, again.body.captures_count]).toEqual([201, 1]);

    const done = await untilStatus(service, verification.id, ['completed']);
    expect(done.verdict?.label).toBe('verified');
    expect(Object.keys(done.verdict?.signals ?? {}).sort()).toEqual(['ai_detection', 'screen_detection']);
    const capture = done.captures[0]!;
    expect(capture).toMatchObject({ step_key: 'capture_1', source: 'live', surface: 'web', sha256: sha256(picture) });
    const original = await fetch(capture.image_url!);
    expect(Buffer.from(await original.arrayBuffer()).equals(picture)).toBe(true);
    expect((await fetch(capture.preview_url!)).headers.get('content-type')).toBe('image/jpeg');

    const events = () => receiver.of(verification.id);
    await until(async () => events().length === 3, 'three webhooks');
    const webhook = new Webhook(service.tenant.webhook_secret);
    for (const { raw, headers } of events())
      expect(() => webhook.verify(raw, headers as Record<string, string>)).not.toThrow();
    const inOrder = events().toSorted((a, b) => a.event.data.sequence - b.event.data.sequence);
    expect(inOrder.map(({ event }) => [event.type, event.data.sequence, event.data.metadata])).toEqual([
      ['verification.created', 1, { ref: 'claim-7' }],
      ['verification.capture_received', 2, { ref: 'claim-7' }],
      ['verification.completed', 3, { ref: 'claim-7' }],
    ]);
    for (const { event } of inOrder) expect([...Value.Errors(VerificationEvent, event)]).toEqual([]);
    expect(inOrder.some(({ raw }) => raw.includes('image_url'))).toBe(false);
  });

  it('detects a photo of a screen', async () => {
    const { id } = await createVerification(service);
    expect((await submit(service, id, await photoOfScreen(4))).status).toBe(201);
    const done = await untilStatus(service, id, ['completed']);
    expect(done.verdict).toMatchObject({ label: 'failed', reason_code: 'screen_detected' });
    const shown = done.captures[0]!.signals!.screen_detection as Record<string, string>;
    const heatmap = await fetch(shown.heatmap_url!);
    expect([heatmap.status, heatmap.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(JSON.stringify(done)).not.toContain('heatmap_blob');
  });

  it('separates tenants and modes, with the body of an unknown id', async () => {
    const { id } = await createVerification(service);
    const other = await service.newTenant();
    const unknown = await ask(service, `/v1/verifications/vfy_${'0'.repeat(26)}`, { key: service.tenant.pk_test });
    for (const key of [other.pk_test, other.pk_live, other.rk_secret, service.tenant.pk_live]) {
      const reply = await ask(service, `/v1/verifications/${id}`, { key });
      expect([reply.status, reply.text]).toEqual([404, unknown.text]);
    }
    expect((await ask(service, `/v1/verifications/${id}`, { key: service.tenant.rk_secret })).status).toBe(200);
    expect((await ask(service, `/v1/verifications/${id}`)).status).toBe(401);
  });

  it('refuses bytes that are not a picture and stores nothing', async () => {
    const { id } = await createVerification(service);
    const picture = await plain({ width: 600, height: 400 });
    const bad: Record<string, Buffer> = {
      text: Buffer.from('hello'),
      svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'),
      html: Buffer.from('<!doctype html><img src=x>'),
      truncated: picture.subarray(0, picture.length - 200),
    };
    for (const [name, bytes] of Object.entries(bad)) {
      const reply = await submit(service, id, bytes);
      expect([name, reply.status, reply.body.error?.fields?.[0]?.path]).toEqual([name, 400, 'image_base64']);
    }
    const { body } = await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
    expect([body.status, body.captures_count, body.captures]).toEqual(['pending', 0, []]);
  });
});
