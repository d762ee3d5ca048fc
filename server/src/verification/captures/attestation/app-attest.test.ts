import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, EXTENSIONS, makeAuthority, makeDevice } from '../../../../test/support/app-attest-device.ts';
import type { Failure } from '../../../../test/support/failure.ts';
import {
  ask,
  createVerification,
  startTestService,
  submit,
  type TestService,
  untilStatus,
} from '../../../../test/support/harness.ts';
import { firstHand, plain } from '../../../../test/support/pictures.ts';

const APP = 'ABCDE12345.com.example.claims';
const CLIP = `${APP}.Clip`;

/** The client data as an app computes it from the documentation: SHA-256 of the id, a dot and the picture's SHA-256 in hex. */
const bindingOf = (id: string, picture: Uint8Array): Buffer =>
  createHash('sha256')
    .update(`${id}.${createHash('sha256').update(picture).digest('hex')}`)
    .digest();

describe('App Attest', () => {
  let service: TestService;
  let second: TestService;
  let authority: Authority;
  let folder: string;
  let picture: Buffer;
  let large: Buffer;
  beforeAll(async () => {
    authority = await makeAuthority();
    picture = await plain();
    large = await firstHand();
    folder = await mkdtemp(join(tmpdir(), 'fh-root-'));
    await writeFile(join(folder, 'root.pem'), authority.root);
    const env = { APP_ATTEST_APP_IDS: `${APP},${CLIP}`, APP_ATTEST_ROOT: join(folder, 'root.pem') };
    service = await startTestService({ env });
    second = await startTestService({ beside: service, worker: false, env: { APP_ATTEST_APP_IDS: APP } });
  });
  afterAll(async () => {
    await second?.stop();
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  type Made = (hash: Buffer, id: string) => string | Promise<string>;
  /** Sends the picture with the token made for it; the attestation as the tenant reads it, and what it made of the AI signal. */
  const sendWith = async (made: Made, at = service) => {
    const { id } = await createVerification(service);
    const attestation_token = await made(bindingOf(id, picture), id);
    const reply = await submit(at, id, picture, { attestation_token, surface: 'ios' });
    expect(reply.status).toBe(201);
    const done = await untilStatus(service, id, ['completed']);
    expect(done.captures).toHaveLength(1);
    const ai = done.verdict!.signals.ai_detection as { label: string };
    return { ...done.captures[0]!.attestation!, label: ai.label };
  };
  const device = (app = APP, by = authority) => makeDevice(by, app);
  const countersOf = async (keyId: string) =>
    (await service.deps.db.query('select counter, app_id from app_attest_keys where key_id = $1', [keyId])).rows;

  it('accepts a key attested by Apple, then assertions with a rising counter; both make a live photo likely_human', async () => {
    const phone = await device();
    const first = await sendWith(hash => phone.attest(hash));
    expect(first).toMatchObject({ verdict: 'ok', provider: 'app_attest', label: 'likely_human' });
    expect(first.detail).toBeUndefined();
    for (const counter of [1, 2, 7]) {
      expect(await sendWith(hash => phone.assert(hash, counter))).toMatchObject({
        verdict: 'ok',
        label: 'likely_human',
      });
    }
    expect(await countersOf(phone.keyId)).toEqual([{ counter: '7', app_id: APP }]);
    // The first key of an App Clip of the same team.
    const clip = await device(CLIP);
    expect(await sendWith(hash => clip.attest(hash))).toMatchObject({ verdict: 'ok' });
  });

  it('accepts the authenticator data of iOS 27, with the flag for extensions or without it', async () => {
    const forms = [{ extensions: EXTENSIONS }, { extensions: EXTENSIONS, flags: 0x80 }, { flags: 0x80 }];
    for (const form of forms) {
      const phone = await device();
      expect(await sendWith(hash => phone.attest(hash, form))).toMatchObject({ verdict: 'ok' });
      for (const [at, asserted] of forms.entries()) {
        expect(await sendWith(hash => phone.assert(hash, at + 1, asserted))).toMatchObject({ verdict: 'ok' });
      }
    }
  });

  it('accepts each counter once and in order, on every node, also after the key is attested again', async () => {
    const phone = await device();
    await sendWith(hash => phone.attest(hash));
    expect(await sendWith(hash => phone.assert(hash, 5), second)).toMatchObject({ verdict: 'ok' });
    const refused = { verdict: 'error', provider: 'app_attest', label: 'unknown', detail: /counter did not rise/ };
    const refusedAs = (got: { detail?: string }) => {
      expect({ ...got, detail: undefined }).toMatchObject({ ...refused, detail: undefined });
      expect(got.detail).toMatch(refused.detail);
    };
    refusedAs(await sendWith(hash => phone.assert(hash, 5)));
    refusedAs(await sendWith(hash => phone.assert(hash, 4)));
    await sendWith(hash => phone.attest(hash));
    refusedAs(await sendWith(hash => phone.assert(hash, 5)));
    expect(await sendWith(hash => phone.assert(hash, 6))).toMatchObject({ verdict: 'ok' });
  });

  it('counts an attestation for one photo, whatever the slot', async () => {
    const phone = await device();
    const { id } = await createVerification(service, { max_captures: 2, signals_required: ['ai'] });
    const token = await phone.attest(bindingOf(id, picture));
    // The same object in the other alphabet of base64.
    const respelled = ` ${token.replaceAll('+', '-').replaceAll('/', '_')}`;
    for (const attestation_token of [token, respelled]) {
      expect((await submit(service, id, picture, { attestation_token })).status).toBe(201);
    }
    const { captures } = await untilStatus(service, id, ['completed']);
    const labels = captures.map(({ attestation, signals }) => [
      attestation?.verdict,
      attestation?.detail,
      (signals!.ai_detection as { label: string }).label,
    ]);
    expect(labels).toEqual([
      ['ok', undefined, 'likely_human'],
      ['error', 'used before: an attestation counts for one photo', 'unknown'],
    ]);
  });

  it('accepts one of two simultaneous captures with the same counter', async () => {
    const phone = await device();
    await sendWith(hash => phone.attest(hash));
    const both = await Promise.all([service, second].map(at => sendWith(hash => phone.assert(hash, 1), at)));
    expect(both.map(({ verdict }) => verdict).toSorted()).toEqual(['error', 'ok']);
  });

  it('does not use up the counter of a capture that is not stored', async () => {
    const phone = await device();
    await sendWith(hash => phone.attest(hash));
    const { id } = await createVerification(service);
    await submit(service, id, picture);
    const late = await submit(service, id, picture, { attestation_token: phone.assert(bindingOf(id, picture), 3) });
    expect(late.body.error?.code).toBe('step_full');
    expect(await countersOf(phone.keyId)).toMatchObject([{ counter: '0' }]);
  });

  it('is valid for one picture of one verification', async () => {
    const phone = await device();
    const detail = 'made for another picture or verification';
    const other = await plain({ colour: '#a33' });
    expect(await sendWith((_, id) => phone.attest(bindingOf(id, other)))).toMatchObject({ verdict: 'error', detail });
    const { id: elsewhere } = await createVerification(service);
    expect(await sendWith(() => phone.attest(bindingOf(elsewhere, picture)))).toMatchObject({
      verdict: 'error',
      detail,
    });
    expect(await countersOf(phone.keyId)).toEqual([]);
    await sendWith(hash => phone.attest(hash));
    const signed = 'not signed by the attested key for this picture and verification';
    expect(await sendWith((_, id) => phone.assert(bindingOf(id, other), 1))).toMatchObject({ detail: signed });
    const stranger = await device();
    const forged: Made = hash => stranger.assert(hash, 1).replace(stranger.keyId, () => phone.keyId);
    expect(await sendWith(forged)).toMatchObject({ verdict: 'error', detail: signed });
    expect(await sendWith(hash => stranger.assert(hash, 1))).toMatchObject({
      verdict: 'error',
      detail: 'the key has not been attested here',
    });
  });

  it('rejects anything but a genuine app on a genuine phone, and keeps the capture', async () => {
    const phone = await device();
    const stranger = await device();
    const strangers = await makeAuthority();
    const yesterday = { from: new Date(Date.now() - 3 * 86_400_000), to: new Date(Date.now() - 86_400_000) };
    const tomorrow = { from: new Date(Date.now() + 86_400_000), to: new Date(Date.now() + 3 * 86_400_000) };
    const root = 'the certificates do not lead to the App Attest root';
    const two = 'not a chain of two certificates';
    const cases: [string, Made][] = [
      ['made by another app', async hash => (await device('ABCDE12345.com.example.other')).attest(hash)],
      ['made by another app', hash => phone.attest(hash, { app: `${APP}x` })],
      [root, async hash => (await device(APP, strangers)).attest(hash)],
      [root, hash => phone.attest(hash, { chain: leaf => [leaf, strangers.intermediate] })],
      [two, hash => phone.attest(hash, { chain: leaf => [leaf] })],
      [two, hash => phone.attest(hash, { chain: leaf => [leaf, authority.intermediate, authority.intermediate] })],
      [
        'a certificate cannot be read',
        hash => phone.attest(hash, { chain: leaf => [leaf.subarray(9), authority.intermediate] }),
      ],
      ['a certificate is not valid at this time', hash => phone.attest(hash, { period: yesterday })],
      ['a certificate is not valid at this time', hash => phone.attest(hash, { period: tomorrow })],
      ['not made in the production environment', hash => phone.attest(hash, { aaguid: 'appattestdevelop' })],
      ['not made by App Attest', hash => phone.attest(hash, { aaguid: 'somebody' })],
      ['the counter of a new key is not 0', hash => phone.attest(hash, { counter: 1 })],
      ['the credential id is not the key id', hash => phone.attest(hash, { credentialId: Buffer.alloc(32) })],
      [
        'the key id is not that of the certified key',
        async hash => (await phone.attest(hash)).replace(phone.keyId, () => stranger.keyId),
      ],
    ];
    for (const [detail, made] of cases) {
      const got = await sendWith(made);
      expect([got.detail, got.verdict, got.label]).toEqual([detail, 'error', 'unknown']);
    }
    expect(await countersOf(phone.keyId)).toEqual([]);
  });

  it('reports a malformed token without repeating it', async () => {
    const envelope = (members: object) => () => JSON.stringify({ provider: 'app_attest', ...members });
    const form = 'the token is an envelope of no known form';
    const cases: [string, Made][] = [
      ['the token begins like an envelope and is no JSON object', () => '{"provider":"app_attest"'],
      [form, envelope({})],
      [form, envelope({ key_id: 'AAAA', attestation: 'AAAA', assertion: 'AAAA' })],
      [form, envelope({ key_id: 'AAAA', attestation: 7 })],
      [form, envelope({ key_id: 'AAAA', attestation: 'AAAA', more: 'x' })],
      [form, () => '{"provider":"__proto__"}'],
      [form, () => '{"provider":["app_attest"],"key_id":"AAAA","assertion":"AAAA"}'],
      ['a member of the token is not base64', envelope({ key_id: 'AAAA', attestation: 'not base64!' })],
      ['not CBOR of the form that App Attest makes', envelope({ key_id: 'AAAA', attestation: 'gYGBgYGB' })],
      ['not an App Attest attestation object', envelope({ key_id: 'AAAA', attestation: 'oA==' })],
      // Fifteen thousand arrays, each in the next.
      ['not CBOR of the form that App Attest makes', envelope({ key_id: 'AAAA', attestation: 'gYGB'.repeat(4_900) })],
    ];
    for (const [detail, made] of cases) expect(await sendWith(made)).toMatchObject({ verdict: 'error', detail });
    const phone = await device();
    await sendWith(hash => phone.attest(hash));
    const assertion = (base64: string) =>
      JSON.stringify({ provider: 'app_attest', key_id: phone.keyId, assertion: base64 });
    expect(await sendWith(() => assertion('oA=='))).toMatchObject({ detail: 'not an App Attest assertion object' });
    expect(service.logged.join('')).not.toContain('gYGBgYGB');
  });

  it('trusts Apple’s root by default, and the development environment only if configured', async () => {
    const phone = await device();
    // The second node has no root of its own: the test's authority is nobody to it.
    expect(await sendWith(hash => phone.attest(hash), second)).toMatchObject({
      verdict: 'error',
      detail: 'the certificates do not lead to the App Attest root',
    });
    const development = await startTestService({
      beside: service,
      worker: false,
      env: {
        APP_ATTEST_APP_IDS: APP,
        APP_ATTEST_ROOT: join(folder, 'root.pem'),
        APP_ATTEST_ENVIRONMENT: 'development',
      },
    });
    expect(await sendWith(hash => phone.attest(hash), development)).toMatchObject({ verdict: 'error' });
    const made: Made = hash => phone.attest(hash, { aaguid: 'appattestdevelop' });
    expect(await sendWith(made, development)).toMatchObject({ verdict: 'ok' });
    expect(await sendWith(hash => phone.assert(hash, 1), development)).toMatchObject({ verdict: 'ok' });
    expect(await sendWith(hash => phone.assert(hash, 2))).toMatchObject({
      verdict: 'error',
      detail: 'not made in the production environment',
    });
    await development.stop();
  });

  it('ignores tokens of verifiers that are not configured', async () => {
    for (const attestation_token of ['0.plain', '{"provider":"play_integrity","token":"x"}']) {
      const { id } = await createVerification(service);
      await submit(service, id, picture, { attestation_token });
      const done = await untilStatus(service, id, ['completed']);
      expect(done.captures[0]!.attestation).toBeUndefined();
    }
  });

  it('decides the verdict under the policy attested', async () => {
    const asked = { signals_required: ['screen', 'ai', 'depth'], depth_policy: 'attested' };
    const verdictOf = async (made?: Made) => {
      const { id } = await createVerification(service, { max_captures: 1, ...asked });
      await submit(service, id, large, made ? { attestation_token: await made(bindingOf(id, large), id) } : {});
      const { verdict } = await untilStatus(service, id, ['completed', 'failed']);
      return [verdict!.label, verdict!.reason_code, (verdict!.signals.depth as { source?: string }).source];
    };
    const phone = await device();
    expect(await verdictOf(hash => phone.attest(hash))).toEqual(['verified', undefined, 'unavailable']);
    expect(await verdictOf(hash => phone.assert(hash, 1))).toEqual(['verified', undefined, 'unavailable']);
    const doubted = ['suspicious', 'depth_anomaly', 'attestation'];
    expect(await verdictOf()).toEqual(doubted);
    expect(await verdictOf(() => phone.assert(Buffer.alloc(32), 2))).toEqual(doubted);
  });

  it('is needed for the policy attested, in a request, in a template and in the settings', async () => {
    const bare = await startTestService();
    try {
      const { rk_secret } = bare.tenant;
      const request = { signals_required: ['depth'], depth_policy: 'attested' };
      const template = { name: 'Attested', request: { max_captures: 1, ...request } };
      const refusals = [
        ['POST', '/v1/verifications', { max_captures: 1, ...request }, 'depth_policy'],
        ['POST', '/v1/link-templates', template, 'request.depth_policy'],
        ['PATCH', '/v1/settings', { depth_policy: 'attested' }, 'depth_policy'],
      ] as const;
      for (const [method, path, body, at] of refusals) {
        const reply = await ask<Partial<Failure>>(bare, path, { method, key: rk_secret, body });
        const message = 'needs a verifier: set APP_ATTEST_APP_IDS or PLAY_INTEGRITY_PACKAGE';
        const settings = ['APP_ATTEST_APP_IDS', 'PLAY_INTEGRITY_PACKAGE'];
        const found = { path: at, message, code: 'not_configured', params: { settings } };
        expect([path, reply.status, reply.body.error?.fields]).toEqual([path, 400, [found]]);
        const taken = await ask(service, path, { method, key: service.tenant.rk_secret, body });
        expect([path, taken.status < 300], taken.text).toEqual([path, true]);
      }
    } finally {
      await bare.stop();
    }
  });

  it('counts nothing as live in audit mode, with any attestation', async () => {
    const phone = await device();
    const { id } = await createVerification(service, { mode: 'audit', signals_required: ['ai'] });
    await submit(service, id, picture, { attestation_token: await phone.attest(bindingOf(id, picture)) });
    const done = await untilStatus(service, id, ['completed']);
    expect(done.captures[0]!.attestation).toMatchObject({ verdict: 'ok' });
    expect(done.verdict!.signals.ai_detection).toMatchObject({ label: 'unknown' });
  });
});
