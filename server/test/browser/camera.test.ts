import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { ask, createVerification, startTestService, until, untilStatus } from '../support/harness.ts';
import { firstHand } from '../support/pictures.ts';
import { openOnPhone, setCameraPermission } from './phone.ts';
import { launcher, ownService } from './stage.ts';

const IN_APP =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 330.0';

const service = await ownService();

describe('capture page, camera', () => {
  let picture: Buffer;
  const launch = launcher();
  beforeAll(async () => {
    picture = await firstHand(3);
  });
  const progressOf = (id: string) =>
    ask<{ progress?: { step: string; camera_permission?: string } }>(service, `/v1/verifications/${id}`, {
      key: service.tenant.pk_test,
    }).then(({ body }) => body.progress);

  it('denied: says how to allow it in this browser, and continues by itself once it is allowed', async () => {
    const on = await launch(picture, { asks: true });
    const verification = await createVerification(service);
    const phone = await openOnPhone(verification.capture_url, { camera: 'ask', on });
    await setCameraPermission(phone, 'denied');
    await phone.screen('landing');
    await phone.page.touchscreen.tap(5, 5);
    await until(async () => (await progressOf(verification.id))?.step === 'landing', 'the first report');
    const reports: string[] = [];
    let answers = 0;
    await phone.page.route('**/progress', async route => {
      reports.push(route.request().postDataJSON().step);
      // Holds the first report back until the camera is found blocked: the report of that must still arrive last.
      if (reports.length === 1) await phone.screen('blocked');
      await route.fulfill({ response: await route.fetch() });
      answers += 1;
    });
    await phone.press('Start');
    await phone.screen('blocked');
    await phone.page.getByRole('heading', { name: 'The camera is blocked' }).waitFor();
    await phone.fine('blocked');
    await until(async () => reports.at(-1) === 'camera_blocked' && answers === reports.length, 'the reports');
    expect(await progressOf(verification.id)).toMatchObject({ step: 'camera_blocked', camera_permission: 'denied' });
    await phone.page.unrouteAll({ behavior: 'wait' });
    await setCameraPermission(phone, 'granted');
    await phone.photo();
    await phone.send();
    await phone.close();
  });

  it('denied for good: accepts a picture from the phone’s camera app, as web_file', async () => {
    const on = await launch(picture, { asks: true });
    const verification = await createVerification(service);
    const phone = await openOnPhone(verification.capture_url, { camera: 'ask', on });
    await setCameraPermission(phone, 'denied');
    await phone.press('Start');
    await phone.screen('blocked');
    await phone.page.setInputFiles('input[type=file]', [
      { name: 'notes.txt', mimeType: 'image/jpeg', buffer: Buffer.from('hello') },
    ]);
    await phone.page.getByText('You cannot use this file here').waitFor();
    await phone.page.setInputFiles('input[type=file]', [{ name: 'a.jpg', mimeType: 'image/jpeg', buffer: picture }]);
    await phone.screen('review');
    await phone.press('Use photo');
    await phone.send();
    await phone.close();
    const done = await untilStatus(service, verification.id, ['completed']);
    expect(done.captures[0]).toMatchObject({ source: 'live', surface: 'web_file' });
  });

  it('no camera: says so and accepts a file', async () => {
    const on = await launch();
    const verification = await createVerification(service);
    const phone = await openOnPhone(verification.capture_url, { on });
    await phone.press('Start');
    await phone.screen('blocked');
    await phone.page.getByRole('heading', { name: 'No camera found' }).waitFor();
    await phone.fine('no-camera');
    await phone.page.setInputFiles('input[type=file]', [{ name: 'a.jpg', mimeType: 'image/jpeg', buffer: picture }]);
    await phone.screen('review');
    await phone.press('Use photo');
    await phone.send();
    await phone.close();
  });

  it('browser inside an app: shows how to leave it, with the address to copy', async () => {
    const verification = await createVerification(service);
    const phone = await openOnPhone(verification.capture_url, {
      on: await launch(),
      userAgent: IN_APP,
      permissions: ['clipboard-write', 'clipboard-read'],
    });
    await phone.press('Start');
    await phone.screen('in-app');
    await phone.fine('in-app');
    await phone.press('Copy the link');
    await phone.page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await phone.page.evaluate(() => navigator.clipboard.readText())).toBe(verification.capture_url);
    await phone.close();
  });

  it('survives a stream that ends (a call, a withdrawn permission)', async () => {
    const verification = await createVerification(service, { max_captures: 2 });
    const phone = await openOnPhone(verification.capture_url);
    await phone.press('Start');
    await phone.photo();
    await phone.page.waitForSelector('.shutter:not([disabled])');
    await phone.page.evaluate(() => {
      const track = (document.querySelector('video')!.srcObject as MediaStream).getTracks()[0]!;
      track.stop();
      track.dispatchEvent(new Event('ended'));
    });
    await phone.screen('lost');
    await phone.fine('camera-lost');
    await phone.press('Try again');
    await phone.photo();
    await phone.send();
    await phone.close();
    expect((await untilStatus(service, verification.id, ['completed'])).captures).toHaveLength(2);
  });

  it('hints at a dark picture and still accepts it', async () => {
    const dark = await sharp(picture).linear(0.07, 0).jpeg().toBuffer();
    const on = await launch(dark);
    const verification = await createVerification(service);
    const phone = await openOnPhone(verification.capture_url, { on });
    await phone.press('Start');
    await phone.shutter();
    await phone.page.getByText('The photo looks dark').waitFor();
    await phone.fine('hint-dark');
    await phone.press('Use photo');
    await phone.send();
    await phone.close();
  });

  it('asks for the location at the shutter only if one is expected; a yes sends it, a no continues', async () => {
    const place = { latitude: 52.52, longitude: 13.405, accuracy: 12 };
    for (const allows of [true, false]) {
      const verification = await createVerification(service, { expected_location: '52.5200,13.4050' });
      const phone = await openOnPhone(verification.capture_url, {
        permissions: ['camera', 'geolocation'],
        geolocation: place,
      });
      await phone.press('Start');
      await phone.page.locator('.shutter:not([disabled])').click();
      await phone.page.getByRole('heading', { name: 'Where are you?' }).waitFor();
      if (allows) await phone.fine('location');
      await phone.press(allows ? 'Share my location' : 'Go on without it');
      await phone.screen('review');
      await phone.press('Use photo');
      await phone.send();
      await phone.close();
      const done = await untilStatus(service, verification.id, ['completed']);
      expect(done.captures[0]?.location).toEqual(
        allows ? { latitude: 52.52, longitude: 13.405, accuracy_m: 12 } : undefined,
      );
    }
    const plainOne = await createVerification(service);
    const phone = await openOnPhone(plainOne.capture_url);
    await phone.press('Start');
    await phone.shutter();
    expect(await phone.page.locator('dialog').count()).toBe(0);
    await phone.close();
  });

  it('sends the Turnstile token with the capture, and the capture without it if there is none', async () => {
    const guarded = await startTestService({
      env: { TURNSTILE_SECRET: 'secret', TURNSTILE_SITE_KEY: '1x00', TURNSTILE_URL: 'http://127.0.0.1:9/siteverify' },
    });
    try {
      for (const works of [true, false]) {
        const verification = await createVerification(guarded);
        const phone = await openOnPhone(verification.capture_url);
        await phone.context.route('https://challenges.cloudflare.com/**', route =>
          works ? route.fulfill({ contentType: 'text/javascript', body: TURNSTILE }) : route.abort(),
        );
        await phone.press('Start');
        await phone.photo();
        await phone.screen('summary');
        const submitted = phone.page.waitForRequest(
          request => request.url().endsWith('/captures') && request.method() === 'POST',
        );
        await phone.press('Send');
        expect((await submitted).postDataJSON().attestation_token).toBe(works ? 'token-1x00' : undefined);
        await phone.screen('success');
        await phone.close(/challenges\.cloudflare\.com|ERR_FAILED/);
      }
    } finally {
      await guarded.stop();
    }
  });
});

/** The part of Turnstile's script that the page calls. */
const TURNSTILE = `globalThis.turnstile = {
  render(element, options) { this.options = options; return 'w'; },
  execute() { queueMicrotask(() => this.options.callback('token-' + this.options.sitekey)); },
  reset() {},
};`;
