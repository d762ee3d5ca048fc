import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll } from './accessible.ts';
import { findChromium } from './chromium.ts';
import { PATIENCE_MS, sharedBrowser } from './stage.ts';

export const PHONE = { width: 390, height: 844 };
export const SMALL_PHONE = { width: 320, height: 568 };

export interface Phone {
  page: Page;
  context: BrowserContext;
  /** Another tab of the same phone, with the same storage. */
  secondTab(url: string): Promise<Phone>;
  /** Waits for a screen, by the name it gives itself. */
  screen(name: string): Promise<void>;
  /** Presses a button (or follows a link) by its words. */
  press(name: string | RegExp): Promise<void>;
  /** Takes one photo and accepts it. */
  photo(): Promise<void>;
  /** Sends everything from the summary, and waits until it is sent. */
  send(): Promise<void>;
  /** Presses the shutter and waits for the review. */
  shutter(): Promise<void>;
  /** axe finds nothing, and nothing is wider than the screen. `FIRSTHAND_SCREENSHOTS` keeps a picture under `name`. */
  fine(name: string): Promise<void>;
  /** Closes the page; fails when it logged an error that `expected` does not name. */
  close(expected?: RegExp): Promise<void>;
}

/** A phone (or the size given) that opens a capture link. The camera is allowed unless `camera` says otherwise. `on`: another browser than the shared one. */
export async function openOnPhone(
  url: string,
  o: BrowserContextOptions & { camera?: 'allowed' | 'ask'; on?: Browser } = {},
): Promise<Phone> {
  const { camera = 'allowed', on = await sharedBrowser(), ...options } = o;
  const context = await on.newContext({
    viewport: PHONE,
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
    locale: 'en-US',
    permissions: camera === 'allowed' ? ['camera'] : [],
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  if (camera === 'ask' && (await findChromium()).shell) await context.addInitScript(refuseUnlessGranted);
  return phoneOf(context, url);
}

/** The camera permission, in a headless shell whose camera heeds only its fake prompt. */
function refuseUnlessGranted(): void {
  const devices = navigator.mediaDevices;
  const open = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async constraints => {
    const { state } = await navigator.permissions.query({ name: 'camera' as PermissionName });
    if (state !== 'granted') throw new DOMException('Permission denied', 'NotAllowedError');
    return open(constraints);
  };
}

/** Changes the camera's permission as the browser's own settings would, while the page is open. */
export async function setCameraPermission(phone: Phone, setting: 'granted' | 'denied'): Promise<void> {
  const session = await phone.context.newCDPSession(phone.page);
  const { targetInfo } = await session.send('Target.getTargetInfo');
  const browser = await phone.context.browser()!.newBrowserCDPSession();
  const { browserContextId } = targetInfo;
  await browser.send('Browser.setPermission', {
    permission: { name: 'camera' },
    setting,
    ...(browserContextId ? { browserContextId } : {}),
  });
}

async function phoneOf(context: BrowserContext, url: string): Promise<Phone> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', error => errors.push(String(error)));
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(url);

  const screen = async (name: string) => {
    await page.waitForSelector(`[data-screen="${name}"]`);
  };
  const shutter = async () => {
    await page.locator('.shutter:not([disabled])').click();
    await screen('review');
  };
  return {
    page,
    context,
    secondTab: other => phoneOf(context, other),
    screen,
    press: name => page.getByRole('button', { name }).or(page.getByRole('link', { name })).click(),
    shutter,
    async photo() {
      await shutter();
      await page.locator('.pair .button').last().click();
      await page.waitForSelector('[data-screen]:not([data-screen="review"])');
    },
    async send() {
      await screen('summary');
      await page.getByRole('button', { name: 'Send' }).click();
      await screen('success');
    },
    fine: name => looksFine(page, name),
    async close(expected) {
      await context.close();
      expect(errors.filter(error => !expected?.test(error))).toEqual([]);
    },
  };
}

async function looksFine(page: Page, name: string): Promise<void> {
  // Wait for thumbnails and fonts, so that axe does not judge a half-drawn page.
  await page.evaluate(() => document.fonts.ready);
  await page.waitForFunction(() => [...document.images].every(image => image.complete));
  const folder = process.env.FIRSTHAND_SCREENSHOTS;
  if (folder) {
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.screenshot({ path: join(folder, `${name}-dark.png`) });
  }
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, `${name} (dark)`, 'colours');
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessible(page, `${name} (light)`);
  await expectNoSidewaysScroll(page, name);
}
