import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { ask, createVerification, untilStatus } from '../support/harness.ts';
import { expectAccessible, expectNoSidewaysScroll } from './accessible.ts';
import { PHONE } from './phone.ts';
import { pageAround, startSite, type Told } from './site-around.ts';
import { ownService, PATIENCE_MS, sharedBrowser } from './stage.ts';

const service = await ownService();

let token = '';
let attributes = '';
const page = () => pageAround({ serviceUrl: service.url, token, attributes });
const host = await startSite(page);
const stranger = await startSite(page);
afterAll(() => {
  host.server.close();
  stranger.server.close();
});
const body = { allowed_origins: [host.origin] };
await ask(service, '/v1/settings', { method: 'PATCH', key: service.tenant.rk_secret, body });

describe('<firsthand-capture> on another origin', () => {
  interface Visit {
    page: Page;
    frame: Frame;
    context: BrowserContext;
    screen(name: string): Promise<void>;
    press(name: string): Promise<void>;
    shutter(): Promise<void>;
    photo(): Promise<void>;
    /** Presses the browser's Back. */
    back(): Promise<void>;
    told(): Promise<Told[]>;
    /** The height of the frame, and the height of what is in it. */
    heights(): Promise<{ frame: number; content: number; window: number }>;
    picture(name: string): Promise<void>;
  }

  async function visit(options: BrowserContextOptions = {}, request: object = {}): Promise<Visit> {
    ({ id: token } = await createVerification(service, request));
    const context = await (await sharedBrowser()).newContext({
      viewport: PHONE,
      deviceScaleFactor: 2,
      hasTouch: true,
      isMobile: true,
      locale: 'en-US',
      permissions: ['camera'],
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(() => {
      const devices = navigator.mediaDevices;
      if (!devices) return;
      const open = devices.getUserMedia.bind(devices);
      devices.getUserMedia = constraints => {
        const counted = globalThis as unknown as { asked?: number };
        counted.asked = (counted.asked ?? 0) + 1;
        return open(constraints);
      };
    });
    const page = await context.newPage();
    await page.goto(host.origin);
    const handle = await page.waitForSelector('firsthand-capture iframe');
    const frame = (await handle.contentFrame())!;
    const screen = async (name: string) => {
      await frame.waitForSelector(`[data-screen="${name}"]`);
    };
    // Until the frame has its height, a click may land beside what it is meant for.
    const settled = async () => {
      let before = -1;
      await expect
        .poll(async () => {
          const height = await handle.evaluate(element => element.getBoundingClientRect().height);
          const same = height === before;
          before = height;
          return same;
        })
        .toBe(true);
    };
    const shutter = async () => {
      await settled();
      await frame.locator('.shutter:not([disabled])').click();
      await screen('review');
    };
    return {
      page,
      frame,
      context,
      screen,
      async press(name) {
        await settled();
        await frame.getByRole('button', { name }).or(frame.getByRole('link', { name })).click();
      },
      shutter,
      async photo() {
        await shutter();
        await frame.locator('.pair .button').last().click();
        await frame.waitForSelector('[data-screen]:not([data-screen="review"])');
      },
      // The last Back leaves the page while this runs in it.
      back: () => page.evaluate(() => history.back()).catch(() => {}),
      told: () => page.evaluate(() => (globalThis as unknown as { told: Told[] }).told),
      heights: async () => ({
        frame: await handle.evaluate(element => element.getBoundingClientRect().height),
        content: await frame.evaluate(() => document.documentElement.scrollHeight),
        window: await page.evaluate(() => innerHeight),
      }),
      async picture(name) {
        const pictures = process.env.FIRSTHAND_SCREENSHOTS;
        if (pictures) await page.screenshot({ path: join(pictures, `embed-${name}.png`) });
      },
    };
  }

  /** The frame is exactly as high as its content, so nothing scrolls inside it. */
  const grown = async ({ heights }: Visit) => {
    await expect
      .poll(async () => {
        const { frame, content } = await heights();
        return Math.abs(frame - content) <= 1;
      })
      .toBe(true);
  };

  it('completes a verification and says each step to the page around, with nothing personal in it', async () => {
    const visited = await visit(
      {},
      {
        steps: [
          { key: 'front', min: 1, max: 1 },
          { key: 'back', min: 1, max: 1 },
        ],
      },
    );
    const { page, frame, screen, press, photo, told, picture, context } = visited;
    await screen('landing');
    await grown(visited);
    await picture('landing');
    await press('Start');
    await screen('camera');
    await frame.waitForSelector('.shutter:not([disabled])');
    // The whole camera is in view.
    const box = (await page.locator('firsthand-capture').boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(-1);
    expect(box.y + box.height).toBeLessThanOrEqual(PHONE.height + 1);
    await photo();
    await screen('camera');
    await photo();
    await screen('summary');
    await grown(visited);
    await picture('summary');
    await press('Send');
    await screen('success');
    await grown(visited);
    await picture('success');
    // Asked once for two photos: the page keeps the stream between the steps.
    expect(await frame.evaluate(() => (globalThis as unknown as { asked: number }).asked)).toBe(1);

    const events = await told();
    expect(events[0]).toEqual({ type: 'ready' });
    expect(events[1]).toEqual({ type: 'step', step: 'landing', total: 2 });
    expect(events).toContainEqual({ type: 'step', step: 'capturing', index: 0, total: 2 });
    expect(events).toContainEqual({ type: 'step', step: 'capturing', index: 1, total: 2 });
    expect(events.slice(-2)).toEqual([{ type: 'step', step: 'success', total: 2 }, { type: 'completed' }]);
    const messages = await page.evaluate(
      () => (globalThis as unknown as { messages: { origin: string; data: object }[] }).messages,
    );
    expect(new Set(messages.map(message => message.origin))).toEqual(new Set([service.url]));
    expect(JSON.stringify(messages.map(message => message.data))).not.toContain(token.slice(4));
    expect((await untilStatus(service, token, ['completed'])).verdict?.label).toBe('verified');
    await context.close();
  });

  it('is refused on an origin that the account does not allow, and the element says so', async () => {
    ({ id: token } = await createVerification(service));
    const page = await (await sharedBrowser()).newPage();
    await page.clock.install();
    await page.goto(stranger.origin);
    await page.waitForSelector('firsthand-capture iframe');
    await expect
      .poll(() => page.frames().at(-1)!.locator('main').innerText())
      .toContain(`${stranger.origin} may not show this page in a frame. Add it to the allowed origins`);
    expect(await page.frames().at(-1)!.locator('a, button, input, script').count()).toBe(0);
    await page.clock.runFor(20_000);
    const events = () => page.evaluate(() => (globalThis as unknown as { told: Told[] }).told);
    await expect.poll(events).toEqual([{ type: 'error', code: 'not_loaded' }]);
    await page.close();
  });

  it('cannot be laid under another page to steal clicks', async () => {
    const { id } = await createVerification(service);
    const thief = await startSite(
      () =>
        `<!doctype html><title>Win</title><iframe style="opacity:.01;position:absolute" src="${service.url}/v/${id}?embed=${encodeURIComponent(host.origin)}"></iframe><button>Win</button>`,
    );
    const page = await (await sharedBrowser()).newPage();
    await page.goto(thief.origin);
    await expect.poll(() => page.frames().at(-1)!.url()).toMatch(/^chrome-error:/);
    // Nor through an allowed page that lies in the stranger's frame: every page above must be allowed.
    token = id;
    const nested = await startSite(() => `<!doctype html><title>Win</title><iframe src="${host.origin}"></iframe>`);
    await page.goto(nested.origin);
    await expect.poll(() => page.frames().filter(frame => frame.url().startsWith('chrome-error:')).length).toBe(1);
    await page.close();
    thief.server.close();
    nested.server.close();
  });

  it('goes Back inside the frame, and out of the page around once everything is sent', async () => {
    const { page, frame, screen, press, shutter, photo, back, context } = await visit();
    await screen('landing');
    await press('Start');
    await shutter();
    await back();
    await screen('camera');
    await back();
    await screen('landing');
    await press('Start');
    await photo();
    await screen('summary');
    await press('Send');
    await screen('success');
    const left = page.waitForURL('about:blank');
    while (page.url().startsWith(host.origin)) {
      // Going back either moves within the frame's history or leaves the page around it.
      const moved = frame
        .evaluate(() => new Promise(resolve => addEventListener('popstate', () => resolve(null), { once: true })))
        .catch(() => left);
      await back();
      await Promise.race([left, moved]);
      if (page.url().startsWith(host.origin)) await Promise.race([left, screen('success')]);
    }
    await left;
    await context.close();
  });

  it('lets the keyboard through the frame in order, and axe finds nothing on either side', async () => {
    const visited = await visit({ hasTouch: false, isMobile: false, viewport: { width: 1024, height: 768 } });
    const { page, frame, screen, context, picture } = visited;
    await screen('landing');
    await grown(visited);
    await picture('desk');
    const focused = async () => {
      const outside = await page.evaluate(() => document.activeElement?.tagName);
      if (outside !== 'FIRSTHAND-CAPTURE') return page.evaluate(() => document.activeElement?.textContent);
      return frame.evaluate(() => document.activeElement?.tagName);
    };
    const order: (string | null | undefined)[] = [];
    for (let n = 0; n < 4; n += 1) {
      await page.keyboard.press('Tab');
      order.push(await focused());
    }
    expect(order).toEqual(['Help', 'SELECT', 'BUTTON', 'Imprint']);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await screen('camera');
    // The heading of the new screen has the focus, so a screen reader goes on there.
    expect(await frame.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await frame.waitForSelector('.shutter:not([disabled])');
    await picture('desk-camera');
    await frame.locator('.shutter').focus();
    await page.keyboard.press('Enter');
    await screen('review');
    await picture('desk-review');
    // axe goes into frames by itself where both pages hold it; here each is judged by itself.
    await expectAccessible(frame as unknown as Page, 'review in the frame');
    await expectAccessible(page, 'page around');
    await expectNoSidewaysScroll(page, 'page around');
    await context.close();
  });

  it('follows a phone that is turned', async () => {
    const { page, frame, screen, press, heights, shutter, picture, context } = await visit();
    await screen('landing');
    await press('Start');
    await frame.waitForSelector('.shutter:not([disabled])');
    await page.setViewportSize({ width: PHONE.height, height: PHONE.width });
    await expect.poll(async () => (await heights()).frame).toBe(PHONE.width);
    await page.locator('firsthand-capture').evaluate(element => element.scrollIntoView());
    await picture('turned');
    await shutter();
    await page.setViewportSize(PHONE);
    await expect.poll(async () => (await heights()).frame).toBeGreaterThan(PHONE.width);
    await screen('review');
    await context.close();
  });

  it('says abandoned when the page around takes the element away', async () => {
    const { page, screen, press, told, context } = await visit();
    await screen('landing');
    await press('Start');
    await screen('camera');
    await page.evaluate(() => document.querySelector('firsthand-capture')!.remove());
    expect((await told()).at(-1)).toEqual({ type: 'abandoned' });
    await untilStatus(service, token, ['abandoned']);
    await context.close();
  });

  it('speaks the language and names the way back that the page around asks for', async () => {
    attributes = 'language="de" return-url="/done?case=4711"';
    const { page, screen, press, photo, context, picture } = await visit();
    attributes = '';
    await screen('landing');
    await press('Los geht’s');
    await photo();
    await screen('summary');
    await press('Senden');
    await screen('success');
    await picture('return');
    await press(`Zurück zu ${new URL(host.origin).host}`);
    await page.waitForURL(`${host.origin}/done?case=4711`);
    await context.close();
  });

  it('says why there is nothing to do: expired, cancelled', async () => {
    const { page, told, frame, screen, context } = await visit();
    await screen('landing');
    const cancelled = await ask(service, `/v1/verifications/${token}/cancel`, {
      key: service.tenant.rk_secret,
      body: {},
    });
    expect(cancelled.status).toBe(200);
    await page.reload();
    expect(frame.isDetached()).toBe(true);
    await expect.poll(told).toEqual([{ type: 'ready' }, { type: 'error', code: 'cancelled' }]);
    await context.close();
  });
});

describe('capture page inside an app', () => {
  it('tells the app the same events, over each bridge, and no size', async () => {
    const { capture_url } = await createVerification(service);
    const page = await (await sharedBrowser()).newPage({ viewport: PHONE, hasTouch: true, isMobile: true });
    await page.addInitScript(() => {
      const heard: unknown[] = [];
      Object.assign(globalThis, {
        heard,
        ReactNativeWebView: { postMessage: (text: string) => heard.push(['react', JSON.parse(text)]) },
        webkit: {
          messageHandlers: { firsthand: { postMessage: (message: unknown) => heard.push(['webkit', message]) } },
        },
        firsthand: { postMessage: (text: string) => heard.push(['android', JSON.parse(text)]) },
      });
    });
    await page.goto(capture_url);
    await page.waitForSelector('[data-screen="landing"]');
    const heard = await page.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard);
    const ready = { source: 'firsthand', version: 1, type: 'ready' };
    const step = { source: 'firsthand', version: 1, type: 'step', step: 'landing', total: 1 };
    expect(heard).toEqual([ready, step].flatMap(message => ['react', 'webkit', 'android'].map(app => [app, message])));
    await page.close();
  });

  it('without a camera says at once how to open the page outside', async () => {
    const { capture_url } = await createVerification(service);
    const context = await (await sharedBrowser()).newContext({
      viewport: PHONE,
      userAgent:
        'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0 Mobile Safari/537.36 Instagram 330.0',
    });
    const page = await context.newPage();
    await page.addInitScript(() => Object.defineProperty(navigator, 'mediaDevices', { value: undefined }));
    await page.goto(`${capture_url}?lang=en`);
    await page.waitForSelector('[data-screen="in-app"]');
    const outside = await page.getByRole('link', { name: 'Open in the browser' }).getAttribute('href');
    expect(outside).toBe(
      `intent://${capture_url.replace(/^http:\/\//, '')}#Intent;scheme=http;action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE;end`,
    );
    expect(await page.locator('.address').textContent()).toBe(capture_url);
    await expectAccessible(page, 'in an app');
    const pictures = process.env.FIRSTHAND_SCREENSHOTS;
    if (pictures) await page.screenshot({ path: join(pictures, 'embed-in-app.png') });
    await page.getByRole('button', { name: 'Go on here' }).click();
    await page.waitForSelector('[data-screen="in-app"] input[type=file]', { state: 'attached' });
    await context.close();
  });
});
