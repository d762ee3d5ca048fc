import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompactEncrypt, CompactSign } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GoogleServer, startGoogle } from '../../../../test/support/google-server.ts';
import {
  createVerification,
  startTestService,
  submit,
  type TestService,
  untilStatus,
} from '../../../../test/support/harness.ts';
import { plain } from '../../../../test/support/pictures.ts';

const PACKAGE = 'com.example.claims';
const CERTIFICATE = createHash('sha256').update('signing certificate').digest();

/** The nonce as an app computes it from the documentation and passes it to Play: URL-safe base64 without padding. */
const bindingOf = (id: string, picture: Uint8Array): string =>
  createHash('sha256')
    .update(`${id}.${createHash('sha256').update(picture).digest('hex')}`)
    .digest('base64url');

interface Said {
  requestDetails: Record<string, unknown>;
  appIntegrity: Record<string, unknown>;
  deviceIntegrity: Record<string, unknown>;
  accountDetails: Record<string, unknown>;
}

/** A verdict as Play gives it for a genuine app on a genuine phone. */
const genuine = (requestHash: string): Said => ({
  requestDetails: { requestPackageName: PACKAGE, requestHash, timestampMillis: String(Date.now()) },
  appIntegrity: {
    appRecognitionVerdict: 'PLAY_RECOGNIZED',
    packageName: PACKAGE,
    certificateSha256Digest: [CERTIFICATE.toString('base64url')],
    versionCode: '42',
  },
  deviceIntegrity: { deviceRecognitionVerdict: ['MEETS_DEVICE_INTEGRITY'] },
  accountDetails: { appLicensingVerdict: 'LICENSED' },
});

describe('Play Integrity', () => {
  let google: GoogleServer;
  let folder: string;
  let picture: Buffer;
  /** Asks Google; decrypts with the app's keys; has both and names certificates. */
  let asking: TestService;
  let local: TestService;
  let both: TestService;
  const decryption = randomBytes(32);
  const signer = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  beforeAll(async () => {
    picture = await plain();
    google = await startGoogle(PACKAGE);
    folder = await mkdtemp(join(tmpdir(), 'fh-account-'));
    await writeFile(join(folder, 'account.json'), google.accountFile);
    const account = {
      PLAY_INTEGRITY_PACKAGE: PACKAGE,
      PLAY_INTEGRITY_SERVICE_ACCOUNT: join(folder, 'account.json'),
      PLAY_INTEGRITY_URL: google.url,
    };
    const keys = {
      PLAY_INTEGRITY_PACKAGE: PACKAGE,
      PLAY_INTEGRITY_DECRYPTION_KEY: decryption.toString('base64'),
      PLAY_INTEGRITY_VERIFICATION_KEY: signer.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    };
    const fingerprint = CERTIFICATE.toString('hex')
      .toUpperCase()
      .replace(/..(?!$)/g, '$&:');
    asking = await startTestService({ env: account });
    local = await startTestService({ beside: asking, worker: false, env: keys });
    both = await startTestService({
      beside: asking,
      worker: false,
      env: { ...account, ...keys, PLAY_INTEGRITY_CERTIFICATES: fingerprint },
    });
  });
  afterAll(async () => {
    for (const service of [both, local, asking]) await service?.stop();
    await google?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** A classic token: the verdict signed (ES256), then encrypted (A256KW, A256GCM). */
  const seal = async (verdict: object, key: Buffer = decryption, by: KeyObject = signer.privateKey) =>
    new CompactEncrypt(
      Buffer.from(
        await new CompactSign(Buffer.from(JSON.stringify(verdict))).setProtectedHeader({ alg: 'ES256' }).sign(by),
      ),
    )
      .setProtectedHeader({ alg: 'A256KW', enc: 'A256GCM' })
      .encrypt(key);
  /** An opaque token that Google knows the verdict of. */
  const opaque = async (verdict: object) => {
    const token = randomBytes(40).toString('base64url');
    google.verdicts.set(token, verdict);
    return token;
  };
  /** Sends the picture with the token made for it; the attestation as the tenant reads it, and the label of the AI signal. */
  const sendWith = async (at: TestService, made: (hash: string, id: string) => Promise<string>) => {
    const { id } = await createVerification(asking);
    const token = await made(bindingOf(id, picture), id);
    const attestation_token = JSON.stringify({ provider: 'play_integrity', token });
    const reply = await submit(at, id, picture, { attestation_token, surface: 'android' });
    expect(reply.status).toBe(201);
    const { captures, verdict } = await untilStatus(asking, id, ['completed']);
    const { label } = verdict!.signals.ai_detection as { label: string };
    return { ...captures[0]!.attestation!, label };
  };
  const ok = { verdict: 'ok', provider: 'play_integrity', label: 'likely_human' };

  it('asks Google for the verdict with a service account token, and reuses it until it expires', async () => {
    expect(await sendWith(asking, hash => opaque(genuine(hash)))).toMatchObject(ok);
    expect(await sendWith(asking, hash => opaque(genuine(hash)))).toMatchObject(ok);
    expect(google.asked).toEqual({ tokens: 1, decodes: 2 });
    google.forgetTokens();
    expect(await sendWith(asking, hash => opaque(genuine(hash)))).toMatchObject(ok);
    expect(google.asked).toEqual({ tokens: 2, decodes: 3 });
  });

  it('accepts a verdict as old as a link may be: the app asked for it when it took the photo', async () => {
    const made = String(Date.now() - 23 * 3_600_000);
    const early = (hash: string) => {
      const verdict = genuine(hash);
      return opaque({ ...verdict, requestDetails: { ...verdict.requestDetails, timestampMillis: made } });
    };
    expect(await sendWith(asking, early)).toMatchObject(ok);
  });

  it('decrypts a classic token with the app’s keys, without Google', async () => {
    const classic = (hash: string) => {
      const { requestHash, ...details } = genuine(hash).requestDetails;
      // Google gives the nonce back with padding.
      return { ...genuine(hash), requestDetails: { ...details, nonce: `${requestHash}=` } };
    };
    const before = google.asked.decodes;
    expect(await sendWith(local, hash => seal(classic(hash)))).toMatchObject(ok);
    expect(await sendWith(both, hash => seal(classic(hash)))).toMatchObject(ok);
    expect(google.asked.decodes).toBe(before);
  });

  it('asks Google about tokens that its keys do not decrypt, or rejects them without a service account', async () => {
    expect(await sendWith(both, hash => opaque(genuine(hash)))).toMatchObject(ok);
    const detail = 'the token cannot be decrypted with the configured keys';
    expect(await sendWith(local, hash => opaque(genuine(hash)))).toMatchObject({ verdict: 'error', detail });
    expect(await sendWith(local, hash => seal(genuine(hash), randomBytes(32)))).toMatchObject({
      verdict: 'error',
      detail,
    });
  });

  it('rejects a token with a foreign signature or none', async () => {
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const unsigned = (hash: string) =>
      new CompactEncrypt(Buffer.from(JSON.stringify(genuine(hash))))
        .setProtectedHeader({ alg: 'A256KW', enc: 'A256GCM' })
        .encrypt(decryption);
    for (const made of [(hash: string) => seal(genuine(hash), decryption, stranger), unsigned]) {
      expect(await sendWith(local, made)).toMatchObject({
        verdict: 'error',
        label: 'unknown',
        detail: 'the token is not signed by Google for this app',
      });
    }
  });

  it('rejects every verdict that does not match this capture, app and phone', async () => {
    const other = await plain({ colour: '#a33' });
    const bound = 'made for another picture or verification';
    const details = (more: object) => (hash: string) => ({
      ...genuine(hash),
      requestDetails: { ...genuine(hash).requestDetails, ...more },
    });
    const app = (more: object) => (hash: string) => ({
      ...genuine(hash),
      appIntegrity: { ...genuine(hash).appIntegrity, ...more },
    });
    const phone = (more: object) => (hash: string) => ({ ...genuine(hash), deviceIntegrity: more });
    const { id: elsewhere } = await createVerification(asking);
    const cases: [string, (hash: string, id: string) => object][] = [
      ['made by another app', details({ requestPackageName: 'com.example.other' })],
      ['made by another app', app({ packageName: 'com.example.other' })],
      [bound, (_, id) => genuine(bindingOf(id, other))],
      [bound, () => genuine(bindingOf(elsewhere, picture))],
      [bound, details({ requestHash: undefined })],
      [bound, details({ requestHash: 7 })],
      ['the verdict is too old', details({ timestampMillis: String(Date.now() - 25 * 3_600_000) })],
      ['the verdict is too old', details({ timestampMillis: String(Date.now() + 2 * 60_000) })],
      ['the verdict is too old', details({ timestampMillis: 'soon' })],
      ['the verdict is too old', details({ timestampMillis: undefined })],
      ['the app is UNRECOGNIZED_VERSION, not PLAY_RECOGNIZED', app({ appRecognitionVerdict: 'UNRECOGNIZED_VERSION' })],
      ['the app is not evaluated, not PLAY_RECOGNIZED', app({ appRecognitionVerdict: undefined })],
      ['the app is signed with another certificate', app({ certificateSha256Digest: ['AAAA'] })],
      ['the app is signed with another certificate', app({ certificateSha256Digest: undefined })],
      ['the device does not meet device integrity', phone({})],
      [
        'the device does not meet device integrity (MEETS_BASIC_INTEGRITY)',
        phone({ deviceRecognitionVerdict: ['MEETS_BASIC_INTEGRITY'] }),
      ],
      ['made by another app', () => ({})],
    ];
    for (const [detail, verdict] of cases) {
      const got = await sendWith(both, async (hash, id) => opaque(verdict(hash, id)));
      expect([got.detail, got.verdict, got.label]).toEqual([detail, 'error', 'unknown']);
    }
  });

  it('keeps the capture and reports it when Google refuses the token, is down, or answers nonsense', async () => {
    const away = {
      verdict: 'error',
      provider: 'play_integrity',
      label: 'unknown',
      detail: 'the verifier did not answer',
    };
    const good = (hash: string) => opaque(genuine(hash));
    expect(await sendWith(asking, async () => 'unknown to Google')).toMatchObject({
      verdict: 'error',
      detail: 'Google does not take the token',
    });
    const faults: GoogleServer['fault'][] = [
      response => response.writeHead(500).end('{"error":{"message":"Internal error."}}'),
      response => response.writeHead(429).end('{"error":{"message":"Quota exceeded."}}'),
      response => response.writeHead(401).end('{"error":{"message":"Invalid credentials."}}'),
      response => response.end('<!doctype html>'),
      response => response.end('[]'),
      response => response.end('{}'),
      response => response.end(`{"tokenPayloadExternal":"${'x'.repeat(300_000)}"}`),
      response => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      response => response.socket?.destroy(),
    ];
    for (google.fault of faults) expect(await sendWith(asking, good)).toMatchObject(away);
    google.fault = null;
    google.forgetTokens();
    const refuse: GoogleServer['tokenFault'] = response => response.writeHead(400).end('{"error":"invalid_grant"}');
    for (google.tokenFault of [refuse, faults[3]!, faults[8]!]) {
      expect(await sendWith(asking, good)).toMatchObject(away);
    }
    google.tokenFault = null;
    expect(await sendWith(asking, good)).toMatchObject(ok);
    expect(asking.logged.join('')).not.toMatch(/PRIVATE KEY|ya29\./);
  });

  it('waits at most six seconds for Google', async () => {
    google.fault = () => {};
    const began = Date.now();
    const got = await sendWith(asking, hash => opaque(genuine(hash)));
    google.fault = null;
    expect(got).toMatchObject({ verdict: 'error', detail: 'the verifier did not answer' });
    expect(Date.now() - began).toBeGreaterThan(5_500);
    expect(Date.now() - began).toBeLessThan(30_000);
  });
});
