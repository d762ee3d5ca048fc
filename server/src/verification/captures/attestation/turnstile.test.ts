import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EndUserView } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  untilStatus,
} from '../../../../test/support/harness.ts';
import { plain } from '../../../../test/support/pictures.ts';

describe('Turnstile', () => {
  let service: TestService;
  const asked: Record<string, string>[] = [];
  const verifier = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', () => {
      const question = JSON.parse(body) as Record<string, string>;
      asked.push(question);
      if (question.response === 'drop') {
        request.socket.destroy();
        return;
      }
      const good = question.response === 'good' && question.secret === 'turnstile-secret';
      response.end(
        JSON.stringify(good ? { success: true } : { success: false, 'error-codes': ['invalid-input-response'] }),
      );
    });
  });
  beforeAll(async () => {
    await new Promise<void>(resolve => verifier.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(verifier.address() as AddressInfo).port}/siteverify`;
    service = await startTestService({
      env: { TURNSTILE_SECRET: 'turnstile-secret', TURNSTILE_SITE_KEY: 'site-key', TURNSTILE_URL: url },
    });
  });
  afterAll(async () => {
    await service?.stop();
    verifier.close();
  });

  const attestationOf = async (token?: string) => {
    const { id } = await createVerification(service);
    const reply = await submit(service, id, await plain(), token ? { attestation_token: token } : {});
    expect(reply.status).toBe(201);
    const { captures, verdict } = await untilStatus(service, id, ['completed']);
    return { attestation: captures[0]!.attestation, ai: verdict!.signals.ai_detection as { label: string } };
  };

  it('is recorded, and a passed token says nothing about the photo', async () => {
    const passed = await attestationOf('good');
    expect(passed.attestation).toMatchObject({ verdict: 'ok', provider: 'turnstile' });
    expect(passed.ai.label).toBe('unknown');
    const none = await attestationOf();
    expect([none.attestation, none.ai.label]).toEqual([undefined, 'unknown']);
  });

  it('never rejects the capture: a bad token and a failing verifier are recorded as errors', async () => {
    expect((await attestationOf('bad')).attestation).toMatchObject({
      verdict: 'error',
      detail: 'invalid-input-response',
    });
    expect((await attestationOf('drop')).attestation).toMatchObject({ verdict: 'error' });
  });

  it('gives the page the site key but not the secret', async () => {
    const { id } = await createVerification(service);
    const view = await ask<EndUserView>(service, `/v1/verify/${id}`);
    expect(view.body.turnstile_site_key).toBe('site-key');
    expect(view.text + service.logged.join('')).not.toContain('turnstile-secret');
  });
});
