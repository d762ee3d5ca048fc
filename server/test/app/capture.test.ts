import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jpegOf } from '@firsthand/forensics/pixels/image.ts';
import type { Picture } from '@firsthand/forensics/pixels/picture.ts';
import { random } from '@firsthand/forensics/pixels/random.ts';
import { drawFilm, drawSensor, drawStage, type Film, handWay } from '@firsthand/forensics/simulate/film.ts';
import { heldLinks, openCapture, type PhotoStep } from '@firsthand/react-native/capture.ts';
import { type CaptureController, captureController } from '@firsthand/react-native/keeper.ts';
import type { AppAttest, Integrity } from '@firsthand/react-native/phone.ts';
import { ApiError, NetworkError } from '@firsthand/sdk/capture';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Authority, makeAuthority } from '../support/app-attest-device.ts';
import { type GoogleServer, startGoogle } from '../support/google-server.ts';
import { createVerification, startTestService, type TestService, untilStatus } from '../support/harness.ts';
import { firstHand, plain } from '../support/pictures.ts';
import { enclaveOf } from './enclave.ts';
import { type NodePhoneOptions, nodePhone } from './node-phone.ts';

const APP = 'ABCDE12345.com.example.claims';
const PACKAGE = 'com.example.claims';
const PHOTO: PhotoStep = { type: 'image', key: 'photo', min: 1, max: 1, description: 'Photo' };
const ATTESTED = { signals_required: ['screen', 'ai', 'depth'], depth_policy: 'attested' };

const untilReady = (controller: CaptureController) =>
  new Promise<void>((resolve, reject) => {
    const look = () => {
      const { phase, error } = controller.state();
      if (phase === 'ready') resolve();
      else if (phase !== 'loading') reject(error ?? new Error(phase));
    };
    controller.subscribe(look);
    look();
  });

describe('@firsthand/react-native on a phone of Node.js', () => {
  let folder: string;
  let authority: Authority;
  let google: GoogleServer;
  let service: TestService;
  let photos: Buffer[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-app-'));
    authority = await makeAuthority();
    google = await startGoogle(PACKAGE);
    photos = await Promise.all([1, 2, 3].map(seed => firstHand(seed)));
    await writeFile(join(folder, 'root.pem'), authority.root);
    await writeFile(join(folder, 'google.json'), google.accountFile);
    service = await startTestService({
      env: {
        APP_ATTEST_APP_IDS: APP,
        APP_ATTEST_ROOT: join(folder, 'root.pem'),
        PLAY_INTEGRITY_PACKAGE: PACKAGE,
        PLAY_INTEGRITY_SERVICE_ACCOUNT: join(folder, 'google.json'),
        PLAY_INTEGRITY_URL: google.url,
      },
    });
  });
  afterAll(async () => {
    await service?.stop();
    await google?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const phoneWith = async (o: NodePhoneOptions = {}) => nodePhone(await mkdtemp(join(folder, 'phone-')), o);
  type TestPhone = Awaited<ReturnType<typeof phoneWith>>;
  const open = async (phone: TestPhone, body: object = { max_captures: 1 }) => {
    const { id } = await createVerification(service, body);
    const capture = await openCapture(phone, { token: id, baseUrl: service.url });
    const view = await capture.view();
    const stepOf = (key: string) => {
      const step = view.config.steps.find(one => one.key === key) ?? view.config.steps[0];
      if (!step || step.type === 'text') throw new Error(`no photo step ${key}`);
      return step;
    };
    const take = async (picture: Uint8Array, key = '') => capture.add(stepOf(key), await phone.shoot(picture));
    return { id, capture, take, stepOf };
  };
  const verdictOf = async (id: string) => {
    const { verdict, captures } = await untilStatus(service, id, ['completed', 'failed']);
    return { label: verdict?.label, reason: verdict?.reason_code, attestations: captures.map(one => one.attestation) };
  };
  /** Opens a link as `<FirsthandCapture>` does, up to the moment when it shows the steps. */
  const shown = async (phone: TestPhone, token: string, onDone?: () => void) => {
    const controller = captureController(phone, { token, baseUrl: service.url }, onDone);
    const stop = controller.start();
    await untilReady(controller);
    return { controller, stop, steps: controller.state().view!.config.steps };
  };
  /** The verdict on one photo that the phone attests in this way, driven by the screen's controller. */
  const judged = async (integrity: Integrity | null, picture = photos[0]!) => {
    const { id } = await createVerification(service, { max_captures: 1, ...ATTESTED });
    const phone = await phoneWith({ integrity: async () => integrity });
    const { controller, stop, steps } = await shown(phone, id);
    await controller.addPhoto(steps[0] as PhotoStep, await phone.shoot(picture));
    await controller.send();
    expect(controller.state()).toMatchObject({ phase: 'done', photos: [], error: null });
    stop();
    return verdictOf(id);
  };
  const doubted = { label: 'suspicious', reason: 'depth_anomaly' };

  it('reaches verified under the policy attested on an iPhone, in whatever order the photos are sent', async () => {
    const enclave = enclaveOf(authority, APP);
    const phone = await phoneWith({ integrity: async () => enclave });
    const image = (key: string, min: number) => ({ type: 'image', key, min, max: 1 });
    const steps = [image('front', 1), image('more', 0), image('back', 1)];
    const { id, capture, take } = await open(phone, { steps, ...ATTESTED });
    await take(photos[0]!, 'front');
    await take(photos[1]!, 'back');
    // Optional, so it is sent before the others.
    await take(photos[2]!, 'more');
    await capture.attested();
    expect((await capture.photos()).map(({ attestation }) => attestation)).toEqual(['made', 'made', 'made']);
    expect((await capture.send()).outcome).toBe('done');
    const { label, attestations } = await verdictOf(id);
    expect(label).toBe('verified');
    expect(attestations.map(one => [one?.provider, one?.verdict, one?.detail])).toEqual(
      Array(3).fill(['app_attest', 'ok', undefined]),
    );
    // The optional photo overtook the one with the key's attestation: a second key attested it.
    expect(enclave.made).toBe(2);
    expect(await readdir(phone.documents)).toEqual([]);
  });

  it('uses one App Attest key for the photos of a link that are sent as they were taken', async () => {
    const enclave = enclaveOf(authority, APP);
    const { id, capture, take } = await open(await phoneWith({ integrity: async () => enclave }), {
      max_captures: 3,
      ...ATTESTED,
    });
    for (const photo of photos) await take(photo);
    expect((await capture.send()).outcome).toBe('done');
    expect(await verdictOf(id)).toMatchObject({ label: 'verified' });
    expect(enclave.made).toBe(1);
  });

  it('makes one new key where the key is dead, and keeps it where Apple is away', async () => {
    const enclave = enclaveOf(authority, APP);
    const { id, capture, take } = await open(await phoneWith({ integrity: async () => enclave }), {
      max_captures: 2,
      ...ATTESTED,
    });
    enclave.failures = ['UNKNOWN'];
    await take(photos[0]!);
    await capture.attested();
    expect(await capture.photos()).toMatchObject([{ attestation: 'none', reason: 'ERR_APP_INTEGRITY_UNKNOWN' }]);
    expect(enclave.made).toBe(1);
    await take(photos[1]!);
    await capture.attested();
    // The second photo attested the first key. Now the app is installed anew.
    expect(enclave.made).toBe(1);
    enclave.reinstall();
    expect((await capture.send()).outcome).toBe('done');
    const { label, attestations } = await verdictOf(id);
    expect([label, attestations.map(one => one?.verdict)]).toEqual(['verified', ['ok', 'ok']]);
    expect(enclave.made).toBe(2);
  });

  it('reaches verified under the policy attested on an Android phone, also when the prepared provider went stale', async () => {
    let prepared = 0;
    const play: Integrity = {
      provider: 'play_integrity',
      prepare: async () => {
        prepared += 1;
      },
      async request(requestHash) {
        if (prepared < 2) throw Object.assign(new Error(), { code: 'ERR_APP_INTEGRITY_PROVIDER_INVALID' });
        const token = `token for ${requestHash}`;
        google.verdicts.set(token, {
          requestDetails: { requestPackageName: PACKAGE, requestHash, timestampMillis: String(Date.now()) },
          appIntegrity: { appRecognitionVerdict: 'PLAY_RECOGNIZED', packageName: PACKAGE },
          deviceIntegrity: { deviceRecognitionVerdict: ['MEETS_DEVICE_INTEGRITY'] },
        });
        return token;
      },
    };
    expect(await judged(play)).toMatchObject({ label: 'verified', attestations: [{ verdict: 'ok' }] });
    expect(prepared).toBe(2);
  });

  it('is suspicious under the policy attested without an attestation, and with one of another photo, link or app', async () => {
    expect(await judged(null)).toMatchObject(doubted);
    const enclave = enclaveOf(authority, APP);
    const keyId = await enclave.generateKey();
    const other = 'made for another picture or verification';
    // Of another link, with the same photo; then of another photo.
    const elsewhere = await createVerification(service, { max_captures: 1 });
    const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
    const replayed = await enclave.attestKey(keyId, `${elsewhere.id}.${digest(photos[0]!)}`);
    const forging = (attestKey: AppAttest['attestKey']): AppAttest => ({
      ...enclave,
      generateKey: async () => keyId,
      attestKey,
    });
    expect(await judged(forging(async () => replayed))).toMatchObject({
      ...doubted,
      attestations: [{ verdict: 'error', detail: other }],
    });
    const swapped = enclaveOf(authority, APP);
    const attestOther: AppAttest = {
      ...swapped,
      attestKey: (key, text) =>
        swapped.attestKey(
          key,
          text.replace(/\w{64}$/, () => digest(photos[1]!)),
        ),
    };
    expect(await judged(attestOther)).toMatchObject({
      ...doubted,
      attestations: [{ verdict: 'error', detail: other }],
    });
    expect(await judged(enclaveOf(authority, 'ABCDE12345.com.example.other'))).toMatchObject({
      ...doubted,
      attestations: [{ verdict: 'error', detail: 'made by another app' }],
    });
    expect(await judged(enclaveOf(await makeAuthority(), APP))).toMatchObject(doubted);
  });

  it('ends once in the screen’s controller, with a photo taken again, after the app was killed before sending', async () => {
    const enclave = enclaveOf(authority, APP);
    const phone = await phoneWith({ integrity: async () => enclave });
    const { id } = await createVerification(service, {
      steps: [
        { type: 'image', key: 'front', min: 1, max: 1 },
        { type: 'text', key: 'policy', required: true },
      ],
      ...ATTESTED,
    });
    const first = await shown(phone, id);
    const [front] = first.steps as [PhotoStep];
    await first.controller.addPhoto(front, await phone.shoot(photos[0]!));
    const [{ id: replaces }] = first.controller.state().photos as [{ id: string }];
    await first.controller.addPhoto(front, await phone.shoot(photos[1]!), { replaces });
    expect(first.controller.state().missing.map(({ key }) => key)).toEqual(['policy']);
    await first.controller.setAnswer('policy', 'A-77');
    first.stop();

    let ends = 0;
    const restarted = nodePhone(join(phone.documents, '..'), { integrity: async () => enclave });
    const { controller, stop } = await shown(restarted, id, () => {
      ends += 1;
    });
    const digest = createHash('sha256').update(photos[1]!).digest('hex');
    expect(controller.state()).toMatchObject({
      photos: [{ sha256: digest }],
      answers: { policy: 'A-77' },
      missing: [],
    });
    await Promise.all([controller.send(), controller.send()]);
    expect([controller.state().phase, ends]).toEqual(['done', 1]);
    stop();
    const { label, attestations } = await verdictOf(id);
    expect([label, attestations.map(one => one?.verdict)]).toEqual(['verified', ['ok']]);
  });

  it('keeps photos and answers in a new run of the app, and the link’s secret out of the files', async () => {
    const phone = await phoneWith();
    const steps = [
      { type: 'image', key: 'front', min: 1, max: 2 },
      { type: 'text', key: 'policy' },
    ];
    const { id, capture, take, stepOf } = await open(phone, { steps });
    const { uri, sha256 } = await take(photos[0]!, 'front');
    await capture.setAnswer('policy', 'A-77');
    expect(await readFile(new URL(uri))).toEqual(photos[0]);
    await expect(capture.add(stepOf('front'), await phone.shoot(Buffer.from('GIF89a')))).rejects.toMatchObject({
      fault: 'file.type',
    });
    const entries = await readdir(phone.documents, { recursive: true, withFileTypes: true });
    const kept = entries.filter(entry => entry.isFile());
    expect(kept).toHaveLength(4);
    for (const { parentPath, name } of kept) {
      expect(`${parentPath}/${name} ${await readFile(join(parentPath, name), 'latin1')}`).not.toContain(id);
    }

    const restarted = nodePhone(join(phone.documents, '..'));
    expect(await heldLinks(restarted)).toEqual([{ token: id, baseUrl: service.url }]);
    const again = await openCapture(restarted, { token: id, baseUrl: service.url });
    expect(await again.photos()).toMatchObject([{ stepKey: 'front', sha256 }]);
    expect((await again.send()).outcome).toBe('done');
    const { captures, answers } = await untilStatus(service, id, ['completed']);
    expect(captures).toHaveLength(1);
    expect(answers).toMatchObject({ policy: { value: 'A-77' } });
    expect(await heldLinks(restarted)).toEqual([]);
  });

  it('waits without a network, goes on when the app comes back, and stops when it is told to', async () => {
    let offline = true;
    const phone = await phoneWith({
      fetch: async (...request) => {
        if (offline) throw new TypeError('Network request failed');
        return fetch(...request);
      },
    });
    const { id } = await createVerification(service, { steps: [PHOTO] });
    const capture = await openCapture(phone, { token: id, baseUrl: service.url });
    await expect(capture.view()).rejects.toBeInstanceOf(NetworkError);
    await capture.add(PHOTO, await phone.shoot(await plain()));
    const ending = new AbortController();
    const states: string[] = [];
    const stopped = capture.send({
      signal: ending.signal,
      onProgress: ({ state }) => {
        states.push(state);
        ending.abort();
      },
    });
    await expect(stopped).rejects.toBeInstanceOf(NetworkError);
    expect(states[0]).toBe('waiting');
    expect(await capture.photos()).toHaveLength(1);

    const sent = capture.send({
      onProgress: ({ state }) => {
        if (state !== 'waiting') return;
        offline = false;
        phone.comeBack();
      },
    });
    expect((await sent).outcome).toBe('done');
  });

  it('is verified under the policy strict with the film of a camera that the app brings, also after it was killed', async () => {
    const moves = ['right', 'up'] as const;
    const rendered = await drawFilm({
      stage: drawStage(3),
      way: handWay(moves, random(3)),
      sensor: drawSensor(3),
      gyroscope: true,
    });
    const jpeg = async (picture: Picture, quality: number) => {
      const { buffer, byteOffset, length } = await jpegOf(picture, quality);
      return buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;
    };
    const { trace, still } = rendered;
    const [{ picture }] = trace.frames as [Film['trace']['frames'][number]];
    const body = {
      max_captures: 1,
      signals_required: ['ai', 'depth'],
      depth_policy: 'strict',
      expires_in_seconds: 86_400,
    };
    const filmed = async () => {
      const phone = await phoneWith();
      const opened = await open(phone, body);
      const challenge = await opened.capture.challenge(opened.stepOf(''));
      return { ...opened, phone, challenge: challenge! };
    };
    let asked = await filmed();
    // One challenge in eight asks for these moves.
    while (asked.challenge.moves.join() !== moves.join()) asked = await filmed();
    const { id, phone, capture, stepOf, challenge } = asked;
    const began = challenge.arrivedAt + 300;
    const film = {
      challenge,
      frames: await Promise.all(
        trace.frames.map(async ({ at, picture }) => ({ at: began + at, jpeg: await jpeg(picture, 80) })),
      ),
      crops: await Promise.all(
        trace.crops.map(async ({ picture, ...place }) => ({ ...place, jpeg: await jpeg(picture, 95) })),
      ),
      video: { width: trace.videoWidth, height: Math.round((trace.videoWidth * picture.height) / picture.width) },
      motion: trace.motion.map(({ at, rate: [x, y, z] }) => [began + at, x, y, z] as const),
      done: [true, true],
    };
    await capture.add(stepOf(''), await phone.shoot(Buffer.from(await jpeg(still, 92))), { film });
    const restarted = nodePhone(join(phone.documents, '..'));
    const again = await openCapture(restarted, { token: id, baseUrl: service.url });
    expect((await again.send()).outcome).toBe('done');
    expect(await readdir(phone.documents)).toEqual([]);
    const { verdict, captures } = await untilStatus(service, id, ['completed', 'failed']);
    expect(captures[0]?.presence?.result, JSON.stringify(captures[0]?.presence)).toBe('passed');
    expect(verdict?.label).toBe('verified');
  });

  it('asks for no film where the link or the step wants none', async () => {
    const plainLink = await open(await phoneWith());
    expect(await plainLink.capture.challenge(plainLink.stepOf(''))).toBeUndefined();
    const { capture, stepOf } = await open(await phoneWith(), {
      steps: [{ type: 'image', key: 'paper', min: 1, max: 1 }],
      signals_required: ['ai', 'depth'],
      context: { kind: 'insurance', summary: 'A letter', attributes: { 'three_dimensional.paper': false } },
    });
    expect(await capture.challenge(stepOf('paper'))).toBeUndefined();
  });

  it('opens without a network, after the app was killed, a link of which it holds a photo', async () => {
    const phone = await phoneWith();
    const { id, take } = await open(phone, { steps: [{ type: 'image', key: 'front', min: 2, max: 2 }] });
    await take(photos[0]!, 'front');
    let offline = true;
    const restarted = nodePhone(join(phone.documents, '..'), {
      fetch: async (...request) => {
        if (offline) throw new TypeError('Network request failed');
        return fetch(...request);
      },
    });
    const { controller, stop, steps } = await shown(restarted, id);
    expect(controller.state()).toMatchObject({ view: { id }, held: { front: 1 }, missing: [{ key: 'front' }] });
    await controller.addPhoto(steps[0] as PhotoStep, await restarted.shoot(photos[1]!));
    expect(controller.state().missing).toEqual([]);
    offline = false;
    await controller.send();
    expect(controller.state()).toMatchObject({ phase: 'done', photos: [] });
    stop();
    expect((await untilStatus(service, id, ['completed'])).captures).toHaveLength(2);
    offline = true;
    await expect((await openCapture(restarted, { token: id, baseUrl: service.url })).view()).rejects.toBeInstanceOf(
      NetworkError,
    );
  });

  it('ends closed at an expired link, and rejects at an unknown one with everything still held', async () => {
    const phone = await phoneWith();
    const { id, capture, take } = await open(phone);
    await take(await plain());
    await service.deps.db.query("update verifications set expires_at = now() - interval '1 minute' where id = $1", [
      id,
    ]);
    expect((await capture.send()).outcome).toBe('closed');
    expect(await capture.photos()).toHaveLength(1);

    const unknown = await openCapture(phone, { token: `${id.slice(0, -2)}ZZ`, baseUrl: service.url });
    await unknown.add(PHOTO, await phone.shoot(await plain()));
    await expect(unknown.send()).rejects.toBeInstanceOf(ApiError);
    expect(await unknown.photos()).toHaveLength(1);
  });
});
