import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { EndUserView } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, makeAuthority, makeDevice } from '../../../../test/support/app-attest-device.ts';
import { type GoogleServer, startGoogle } from '../../../../test/support/google-server.ts';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  untilStatus,
} from '../../../../test/support/harness.ts';
import { plain } from '../../../../test/support/pictures.ts';

const APP = 'ABCDE12345.com.example.claims';

describe('attestation token, with every verifier configured', () => {
  let service: TestService;
  let authority: Authority;
  let google: GoogleServer;
  let folder: string;
  const asked: string[] = [];
  const turnstile = createServer(async (request, response) => {
    const { response: token, secret } = JSON.parse(await text(request)) as Record<string, string>;
    asked.push(token!);
    if (token === 'drop') request.socket.destroy();
    else if (token === 'bad' || secret !== 'turnstile-secret') {
      response.end('{"success":false,"error-codes":["invalid-input-response"]}');
    } else response.end('{"success":true}');
  });
  beforeAll(async () => {
    await new Promise<void>(resolve => turnstile.listen(0, '127.0.0.1', resolve));
    authority = await makeAuthority();
    google = await startGoogle('com.example.claims');
    folder = await mkdtemp(join(tmpdir(), 'fh-all-'));
    await writeFile(join(folder, 'root.pem'), authority.root);
    await writeFile(join(folder, 'account.json'), google.accountFile);
    service = await startTestService({
      env: {
        TURNSTILE_SECRET: 'turnstile-secret',
        TURNSTILE_SITE_KEY: 'site-key',
        TURNSTILE_URL: `http://127.0.0.1:${(turnstile.address() as AddressInfo).port}/siteverify`,
        APP_ATTEST_APP_IDS: APP,
        APP_ATTEST_ROOT: join(folder, 'root.pem'),
        PLAY_INTEGRITY_PACKAGE: 'com.example.claims',
        PLAY_INTEGRITY_SERVICE_ACCOUNT: join(folder, 'account.json'),
        PLAY_INTEGRITY_URL: google.url,
      },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await google?.close();
    turnstile.close();
    await rm(folder, { recursive: true, force: true });
  });

  const outcomeOf = async (attestation_token?: string | ((hash: Buffer) => Promise<string>)) => {
    const picture = await plain();
    const { id } = await createVerification(service);
    const hash = createHash('sha256')
      .update(`${id}.${createHash('sha256').update(picture).digest('hex')}`)
      .digest();
    const token = typeof attestation_token === 'function' ? await attestation_token(hash) : attestation_token;
    expect((await submit(service, id, picture, token ? { attestation_token: token } : {})).status).toBe(201);
    const { captures, verdict } = await untilStatus(service, id, ['completed']);
    return { attestation: captures[0]!.attestation, ai: verdict!.signals.ai_detection as { label: string } };
  };
  const attestationOf = async (...token: Parameters<typeof outcomeOf>) => (await outcomeOf(...token)).attestation;

  it('goes only to the verifier that it names', async () => {
    const phone = await makeDevice(authority, APP);
    expect(await attestationOf(hash => phone.attest(hash))).toMatchObject({ verdict: 'ok', provider: 'app_attest' });
    expect(await attestationOf('{"provider":"play_integrity","token":"opaque"}')).toMatchObject({
      verdict: 'error',
      provider: 'play_integrity',
    });
    expect([asked, google.asked.decodes]).toEqual([[], 1]);
    // With dots, as both Turnstile's and Play's are.
    const plainToken = '0.Zm9v.YmFy.deadbeef.x';
    expect(await attestationOf(plainToken)).toMatchObject({ verdict: 'ok', provider: 'turnstile' });
    expect([asked, google.asked.decodes]).toEqual([[plainToken], 1]);
  });

  it('of an unknown provider is recorded as an error and sent nowhere', async () => {
    const before = asked.length;
    for (const token of ['{"provider":"turnstile","token":"x"}', '{"provider":"acme","token":"x"}', ' {']) {
      expect(await attestationOf(token)).toMatchObject({ verdict: 'error', provider: 'unknown' });
    }
    expect(asked.length).toBe(before);
  });

  describe('for Turnstile', () => {
    it('is recorded, and a passed token says nothing about the photo', async () => {
      const passed = await outcomeOf('good');
      expect(passed.attestation).toMatchObject({ verdict: 'ok', provider: 'turnstile' });
      expect(passed.ai.label).toBe('unknown');
      const none = await outcomeOf();
      expect([none.attestation, none.ai.label]).toEqual([undefined, 'unknown']);
    });

    it('never rejects the capture: a bad token and a failing verifier are recorded as errors', async () => {
      expect(await attestationOf('bad')).toMatchObject({
        verdict: 'error',
        detail: 'invalid-input-response',
      });
      expect(await attestationOf('drop')).toMatchObject({ verdict: 'error' });
    });

    it('gives the page the site key but not the secret', async () => {
      const { id } = await createVerification(service);
      const view = await ask<EndUserView>(service, `/v1/verify/${id}`);
      expect(view.body.turnstile_site_key).toBe('site-key');
      expect(view.text + service.logged.join('')).not.toContain('turnstile-secret');
    });
  });
});
