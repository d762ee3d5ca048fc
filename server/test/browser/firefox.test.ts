import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, createVerification, startTestService, type TestService, until, untilStatus } from '../support/harness.ts';
import { type Firefox, type FirefoxPage, findFirefox, launchFirefox } from './firefox.ts';
import { pageAround, startSite, type Told } from './site-around.ts';

const program = findFirefox();

describe.skipIf(!program)('Firefox (needs firefox or firefox-esr)', () => {
  let service: TestService;
  let firefox: Firefox;
  beforeAll(async () => {
    service = await startTestService();
    firefox = await launchFirefox(program!);
  });
  afterAll(async () => {
    await firefox?.close();
    await service?.stop();
  });

  /** Goes through the capture page as a person does: the shutter, else the button that goes on. */
  async function takePhotos(page: FirefoxPage): Promise<string[]> {
    const screens: string[] = [];
    await expect
      .poll(
        async () => {
          const screen = await page.evaluate(() => {
            const now = document.querySelector<HTMLElement>('[data-screen]')?.dataset.screen;
            const buttons = [...document.querySelectorAll<HTMLButtonElement>('button:not([disabled])')];
            const onward = buttons.find(button => /^(Start|Use photo|Send)$/.test(button.textContent.trim()));
            (document.querySelector<HTMLButtonElement>('.shutter:not([disabled])') ?? onward)?.click();
            return now;
          });
          if (screen && screen !== screens.at(-1)) screens.push(screen);
          return screen;
        },
        { interval: 300, timeout: 60_000 },
      )
      .toBe('success');
    return screens;
  }

  it('takes a photo with its camera and sends it', async () => {
    const { id } = await createVerification(service, { max_captures: 1 });
    const page = await firefox.open(`${service.url}/v/${id}`);
    const screens = await takePhotos(page);
    expect(screens).toEqual(expect.arrayContaining(['landing', 'camera', 'review', 'summary', 'success']));
    expect((await untilStatus(service, id, ['completed'])).captures).toMatchObject([{ source: 'live' }]);
  });

  it('completes a verification inside a page of another origin, and loads on no origin that is not allowed', async () => {
    let token = '';
    const page = () => pageAround({ serviceUrl: service.url, token });
    const [host, stranger] = await Promise.all([startSite(page), startSite(page)]);
    try {
      const body = { allowed_origins: [host.origin] };
      await ask(service, '/v1/settings', { method: 'PATCH', key: service.tenant.rk_secret, body });
      ({ id: token } = await createVerification(service, { max_captures: 1 }));
      const around = await firefox.open(host.origin);
      const frame = await until(() => around.frame(), 'the frame');
      await takePhotos(frame);
      const told = () => around.evaluate(() => (globalThis as unknown as { told: Told[] }).told);
      await expect.poll(async () => (await told()).at(-1)).toEqual({ type: 'completed' });
      expect((await told())[0]).toEqual({ type: 'ready' });
      const origins = await around.evaluate(() =>
        (globalThis as unknown as { messages: { origin: string }[] }).messages.map(({ origin }) => origin),
      );
      expect(new Set(origins)).toEqual(new Set([service.url]));

      ({ id: token } = await createVerification(service));
      const refused = await firefox.open(stranger.origin);
      const shown = async () => (await refused.frame())?.evaluate(() => document.body.innerText);
      await expect.poll(shown).toContain(`${stranger.origin} may not show this page in a frame`);
    } finally {
      host.server.close();
      stranger.server.close();
    }
  });
});
