import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

export const PHONE = { width: 390, height: 844 };
export const SMALL_PHONE = { width: 320, height: 568 };

export interface Phone {
  page: Page;
  /** Waits for a screen, by the name it gives itself. */
  screen(name: string): Promise<void>;
  /** Presses a button (or follows a link) by its words. */
  press(name: string | RegExp): Promise<void>;
  /** Takes one photo and accepts it. */
  photo(): Promise<void>;
  /** Presses the shutter and waits for the review. */
  shutter(): Promise<void>;
  /** axe finds nothing, and nothing is wider than the screen. `FIRSTHAND_SCREENSHOTS` keeps a picture under `name`. */
  fine(name: string): Promise<void>;
  /** Closes the page; fails when it logged an error that `expected` does not name. */
  close(expected?: RegExp): Promise<void>;
}

/** A phone (or the size given) that opens a capture link. The camera is allowed unless `camera` says otherwise. */
export async function openOnPhone(
  browser: Browser,
  url: string,
  o: BrowserContextOptions & { camera?: 'allowed' | 'ask' } = {},
): Promise<Phone> {
  const { camera = 'allowed', ...options } = o;
  const context = await browser.newContext({
    viewport: PHONE,
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
    locale: 'en-US',
    permissions: camera === 'allowed' ? ['camera'] : [],
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(20_000);
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
  const press = (name: string | RegExp) =>
    page.getByRole('button', { name }).or(page.getByRole('link', { name })).click();
  const shutter = async () => {
    await page.locator('.shutter:not([disabled])').click();
    await screen('review');
  };
  return {
    page,
    screen,
    press,
    shutter,
    async photo() {
      await shutter();
      await page.locator('.pair .button').last().click();
      await page.waitForSelector('[data-screen]:not([data-screen="review"])');
    },
    async fine(name) {
      await looksFine(page, name);
    },
    async close(expected) {
      await context.close();
      expect(errors.filter(error => !expected?.test(error))).toEqual([]);
    },
  };
}

async function looksFine(page: Page, name: string): Promise<void> {
  // What is being loaded (a thumbnail, the font) would be judged half-drawn.
  await page.evaluate(() => document.fonts.ready);
  await page.waitForFunction(() => [...document.images].every(image => image.complete));
  const folder = process.env.FIRSTHAND_SCREENSHOTS;
  if (folder) {
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.screenshot({ path: join(folder, `${name}-dark.png`) });
  }
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe.source);
    const found = await page.evaluate(async () => {
      const { axe: inPage } = globalThis as unknown as { axe: typeof import('axe-core') };
      const { violations } = await inPage.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      });
      return violations.flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.html.slice(0, 160)}`));
    });
    expect(found, `axe on ${name} (${colorScheme})`).toEqual([]);
  }
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
}
