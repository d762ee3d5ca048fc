import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Challenge, TraceHeader } from '@firsthand/contract/verification/presence.ts';
import type { Browser } from 'playwright-core';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { ask, createVerification, until, untilStatus } from '../support/harness.ts';
import { firstHand } from '../support/pictures.ts';
import { launchChromium } from './chromium.ts';
import { isOnFilm, roundFilm } from './film.ts';
import { openOnPhone, type Phone } from './phone.ts';
import { launcher, ownService, sharedBrowser } from './stage.ts';

const CHALLENGES = '**/challenges';
const DEPTH = { signals_required: ['screen', 'depth'] };
const NETWORK = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to load resource/;

const service = await ownService();

describe('capture page, camera session', () => {
  const launch = launcher();
  /** Its camera films a room from a hand that moves right, down, left and up, again and again. */
  let moving: Browser;
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fh-camera-'));
    moving = await launchChromium(await roundFilm(join(folder, 'round.mjpeg')));
    return async () => {
      await moving.close();
      await rm(folder, { recursive: true });
    };
  });

  const challengeOf = async (id: string) =>
    (await ask<Challenge>(service, `/v1/verifications/${id}/challenges`, { body: { step_key: 'capture_1' } })).body;

  /** A request that needs depth, and a challenge for it whose moves the film makes. */
  async function fitting() {
    for (;;) {
      const verification = await createVerification(service, DEPTH);
      const challenge = await challengeOf(verification.id);
      if (isOnFilm(challenge.moves)) return { verification, challenge };
    }
  }

  /** A phone that has taken a photo. With `on`, another camera than the film's, whatever the service asks for. */
  async function afterShutter(o: { on?: Browser; before?: (phone: Phone) => Promise<unknown> } = {}) {
    const { verification, challenge } = await fitting();
    const phone = await openOnPhone(verification.capture_url, { on: o.on ?? moving });
    if (!o.on) await phone.context.route(CHALLENGES, route => route.fulfill({ status: 201, json: challenge }));
    await o.before?.(phone);
    await phone.press('Start');
    await phone.page.locator('.shutter:not([disabled])').click();
    return { phone, id: verification.id, challenge };
  }

  /** Uploads and submissions of the page from now on. */
  function watch({ page }: Phone) {
    const traces: Buffer[] = [];
    const submissions: Record<string, unknown>[] = [];
    page.on('request', request => {
      const type = request.headers()['content-type'];
      if (type === 'application/vnd.firsthand.trace') traces.push(request.postDataBuffer()!);
      if (request.method() === 'POST' && request.url().endsWith('/captures')) submissions.push(request.postDataJSON());
    });
    return { traces, submissions };
  }

  async function use(phone: Phone): Promise<void> {
    await phone.screen('review');
    await phone.press('Use photo');
    await phone.screen('summary');
  }

  it('films the moves that the service asks for, and a person who makes them gets through with the first try', async () => {
    const { phone, id, challenge } = await afterShutter({ before: clockAhead });
    const { traces, submissions } = watch(phone);
    const announcement = phone.page.waitForRequest('**/films');
    await phone.screen('review');
    // Before the person has accepted the photo.
    const announced = (await announcement).postDataJSON();
    await use(phone);
    await phone.send();
    await phone.close();
    expect(announced.trace_sha256).toBe(submissions[0]!.trace_sha256);
    expect(announced.image_sha256).toBe(submissions[0]!.image_sha256);
    expect(submissions).toMatchObject([{ challenge_id: challenge.challenge_id, trace_key: expect.any(String) }]);
    expect(submissions[0]).toHaveProperty('motion_frame_base64');
    expect(traces).toHaveLength(1);
    const { header, frames, crops } = read(traces[0]!);
    expect(header.guidance).toMatchObject({
      gave_up: false,
      moves: challenge.moves.map(move => ({ move, done: true })),
    });
    expect(header.video).toEqual({ width: 640, height: 480 });
    expect(await sharp(frames[0]).metadata()).toMatchObject({ format: 'jpeg', width: 480, height: 360 });
    expect(await sharp(crops[0]).metadata()).toMatchObject({ format: 'jpeg', width: 256, height: 256 });
    const times = header.frames.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    // The phone's clock is three hours ahead.
    expect(header.began_at).toBeGreaterThanOrEqual(Date.parse(challenge.issued_at));
    expect(header.began_at).toBeLessThan(Date.parse(challenge.expires_at));
    expect(JSON.stringify(header.track)).not.toMatch(/deviceId|groupId/);
    expect(header.track.signs).toEqual([]);
    // A computer has no sensor. Playwright denies it where the browser asks; the one inside the npm package does not.
    expect(header.motion).toEqual([]);
    expect(['refused', 'silent']).toContain(header.track.motion);
    const done = await untilStatus(service, id, ['completed']);
    const { presence } = done.captures[0]!;
    expect(presence?.checks.fresh, presence?.checks.fresh?.words).toMatchObject({ evaluated: true, passed: true });
    expect(presence?.result, JSON.stringify(presence?.checks)).not.toBe('failed');
  });

  it('tells when a canvas stands in the place of the camera, and the photo is suspicious', async () => {
    const { phone, id } = await afterShutter({
      before: ({ page }) =>
        page
          .addInitScript(() => {
            const { mediaDevices } = navigator;
            const real = mediaDevices.getUserMedia.bind(mediaDevices);
            mediaDevices.getUserMedia = async constraints => {
              const video = document.createElement('video');
              video.muted = true;
              video.srcObject = await real(constraints);
              await video.play();
              const canvas = document.createElement('canvas');
              Object.assign(canvas, { width: video.videoWidth, height: video.videoHeight });
              const pen = canvas.getContext('2d')!;
              const draw = () => {
                pen.drawImage(video, 0, 0);
                requestAnimationFrame(draw);
              };
              draw();
              return canvas.captureStream(30);
            };
          })
          .then(() => page.reload()),
    });
    await use(phone);
    await phone.send();
    await phone.close();
    const { captures, verdict } = await untilStatus(service, id, ['completed']);
    const { presence } = captures[0]!;
    expect(presence?.evidence?.camera_signs).toEqual(['drawn_track', 'replaced_function']);
    expect(presence?.checks.sensor).toMatchObject({ evaluated: true, passed: false, evidence: { drawn: true } });
    expect(verdict).toMatchObject({ label: 'suspicious', reason_code: 'depth_anomaly' });
  });

  it('does not fill the bar for a phone that only turns, says so, and shows the way', async () => {
    const { phone, id } = await afterShutter({ before: turningAsAsked });
    await phone.page.getByText('You are turning the phone.').waitFor();
    await phone.fine('turning');
    await phone.press('This is hard for me');
    await use(phone);
    await phone.send();
    await phone.close();
    const { captures } = await untilStatus(service, id, ['completed']);
    expect(captures[0]!.presence?.evidence).toMatchObject({ gave_up: true });
  });

  it('lets people out who find it hard, with a trace that says so', async () => {
    const { phone, id } = await afterShutter({ on: await sharedBrowser() });
    const { traces, submissions } = watch(phone);
    await phone.page.getByRole('heading', { name: /Move the phone a little/ }).waitFor();
    await phone.fine('motion');
    await phone.press('This is hard for me');
    await use(phone);
    await phone.send();
    await phone.close();
    const { header } = read(traces[0]!);
    expect(header.guidance.gave_up).toBe(true);
    expect(header.guidance.moves.every(({ done }) => !done)).toBe(true);
    expect(header.frames.length).toBeGreaterThanOrEqual(16);
    expect(submissions[0]).toHaveProperty('motion_frame_base64');
    await untilStatus(service, id, ['completed']);
  });

  it('keeps photo and trace over a reload, and sends both, with the samples of the motion sensor', async () => {
    const { phone, id } = await afterShutter({ before: turning });
    await use(phone);
    await phone.page.reload();
    await phone.screen('summary');
    const { traces, submissions } = watch(phone);
    let puts = 0;
    // The trace's first upload hangs for ever, as on a dead line; the reload starts it again.
    await phone.context.route('**/blobs/**', route => (++puts === 2 ? undefined : route.continue()));
    await phone.press('Send');
    await until(async () => puts === 2, 'the upload of the trace');
    await phone.page.reload();
    await phone.screen('success');
    await phone.close(NETWORK);
    expect(puts).toBe(3);
    expect(traces).toHaveLength(2);
    const { header } = read(traces[1]!);
    expect(header.frames.length).toBeGreaterThanOrEqual(16);
    expect(header.motion.length).toBeGreaterThan(20);
    expect(header.motion[0]!.slice(1)).toEqual([0.01, 0.02, -0.3]);
    expect(submissions).toMatchObject([{ trace_key: expect.any(String) }]);
    await untilStatus(service, id, ['completed']);
  });

  it('asks for one move and sends the photo without a trace when the service gives no challenge', async () => {
    const unknown = (phone: Phone) =>
      phone.context.route(CHALLENGES, route => route.fulfill({ status: 404, json: {} }));
    const offline = (phone: Phone) => phone.context.route(CHALLENGES, route => route.abort('internetdisconnected'));
    for (const rests of [false, true]) {
      const { phone, id } = await afterShutter(
        rests ? { on: await sharedBrowser(), before: offline } : { before: unknown },
      );
      const { traces, submissions } = watch(phone);
      if (rests) {
        await phone.page.getByRole('heading', { name: 'Move the phone a little to the right' }).waitFor();
        await phone.press('This is hard for me');
      }
      await use(phone);
      await phone.send();
      await phone.close(NETWORK);
      expect(traces).toEqual([]);
      expect(submissions[0]).not.toHaveProperty('challenge_id');
      const second = Buffer.from(String(submissions[0]!.motion_frame_base64), 'base64');
      expect((await sharp(second).metadata()).format).toBe('jpeg');
      await untilStatus(service, id, ['completed']);
    }
  });

  it('ends by itself, without a trace, when the reader cannot be loaded', async () => {
    const { phone } = await afterShutter({
      before: ({ context }) => context.route(/reader-worker/, route => route.abort('internetdisconnected')),
    });
    const { traces } = watch(phone);
    await use(phone);
    await phone.send();
    await phone.close(NETWORK);
    expect(traces).toEqual([]);
  });

  it('says what is wrong: too dark, too little to see, no movement', async () => {
    const picture = await firstHand(3);
    const dark = await sharp(picture).linear(0.07, 0).jpeg().toBuffer();
    const wall = await sharp({ create: { width: 1280, height: 960, channels: 3, background: '#b8b4ac' } })
      .jpeg()
      .toBuffer();
    for (const [camera, words] of [
      [await launch(dark), 'It is dark here. More light would help.'],
      [await launch(wall), 'There is little to see here.'],
      [await sharedBrowser(), 'A little further.'],
    ] as const) {
      const { phone } = await afterShutter({ on: camera });
      await phone.page.getByText(words).waitFor();
      await phone.close();
    }
  });
});

/** Lets the phone turn at a constant rate, as its motion sensor reports it: 60 times a second, in degrees. */
const turning = ({ page }: Phone) =>
  page.evaluate(() => {
    const rotationRate = { alpha: 0.57296, beta: 1.14592, gamma: -17.1887 };
    setInterval(() => dispatchEvent(new DeviceMotionEvent('devicemotion', { rotationRate })), 16);
  });

/** Lets the phone turn the way that the page asks it to slide, by more than the picture moves. */
const turningAsAsked = ({ page }: Phone) =>
  page.evaluate(() => {
    const RATES: Record<string, { alpha: number; beta: number }> = {
      right: { alpha: 0, beta: -80 },
      left: { alpha: 0, beta: 80 },
      up: { alpha: 80, beta: 0 },
      down: { alpha: -80, beta: 0 },
    };
    let last = performance.now();
    setInterval(() => {
      const move = document.querySelector<HTMLElement>('[data-move]')?.dataset.move ?? 'right';
      // A page that gets no turn for long counts a tenth of a second: the rate makes up for the rest.
      const late = Math.max(1, (performance.now() - last) / 100);
      last = performance.now();
      const { alpha, beta } = RATES[move]!;
      dispatchEvent(
        new DeviceMotionEvent('devicemotion', { rotationRate: { alpha: alpha * late, beta: beta * late, gamma: 0 } }),
      );
    }, 16);
  });

/** Sets the phone's clock three hours ahead. */
const clockAhead = ({ page }: Phone) =>
  page.evaluate(() => {
    const { now } = Date;
    Date.now = () => now() + 3 * 3_600_000;
  });

interface ReadTrace {
  header: TraceHeader;
  frames: Buffer[];
  crops: Buffer[];
}

function read(file: Buffer): ReadTrace {
  const length = file.readUInt32BE(0);
  const header = JSON.parse(file.subarray(4, 4 + length).toString()) as TraceHeader;
  let at = 4 + length;
  const parts = [...header.frames, ...header.crops].map(({ bytes }) => {
    at += bytes;
    return file.subarray(at - bytes, at);
  });
  return {
    header,
    frames: parts.slice(0, header.frames.length),
    crops: parts.slice(header.frames.length),
  };
}
