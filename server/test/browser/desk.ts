import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Role } from '@firsthand/contract/people/people.ts';
import type { BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { signedIn } from '../identity/people/visitor.ts';
import type { TestService } from '../support/harness.ts';
import { expectAccessible, expectNoSidewaysScroll } from './accessible.ts';
import { PATIENCE_MS, sharedBrowser } from './stage.ts';

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROW = { width: 320, height: 640 };

/** A device of the person's that makes passkeys and uses them, as Chromium emulates one. */
export interface Authenticator {
  /** Whether it answers what it is asked from now on, as a person would who confirms each time; else it never does. */
  answers(yes: boolean): Promise<void>;
  count(): Promise<number>;
}

export interface Desk {
  page: Page;
  context: BrowserContext;
  /** The page shows this heading. */
  heading(name: string | RegExp): Promise<void>;
  press(name: string | RegExp): Promise<void>;
  /** axe finds nothing and nothing scrolls sideways: light, dark, forced colours, 200% zoom, 320 px wide. */
  fine(name: string): Promise<void>;
  authenticator(): Promise<Authenticator>;
  /** Closes the browser; fails when a page logged an error that `expected` does not name, or asked another origin. */
  close(expected?: RegExp): Promise<void>;
}

type DeskOptions = BrowserContextOptions & { allowed?: readonly string[] };

let addresses = 0;

/** A browser at a desk. It comes from an address of its own, as a trusted proxy says: the limits are another test's. */
export async function openAtDesk(o: DeskOptions = {}): Promise<Desk> {
  const { allowed = [], ...options } = o;
  addresses += 1;
  const context = await (await sharedBrowser()).newContext({
    viewport: WIDE,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'x-forwarded-for': `10.9.${addresses >> 8}.${addresses & 255}` },
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const errors: string[] = [];
  const origins = new Set<string>();
  const watch = (page: Page) => {
    page.on('pageerror', error => errors.push(String(error)));
    page.on('console', message => {
      // A service without a stream of changes answers 404.
      if (message.type() === 'error' && !message.location().url.endsWith('/v1/changes/stream'))
        errors.push(message.text());
    });
  };
  context.on('page', watch);
  context.on('request', request => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http')) origins.add(origin);
  });
  const page = await context.newPage();
  return {
    page,
    context,
    heading: name => page.getByRole('heading', { name, level: 1 }).waitFor(),
    press: name => page.getByRole('button', { name }).or(page.getByRole('link', { name })).first().click(),
    fine: name => fine(page, name),
    authenticator: () => addAuthenticator(context, page),
    async close(expected) {
      const own = new URL(page.url()).origin;
      await context.close();
      expect(errors.filter(error => !expected?.test(error))).toEqual([]);
      expect([...origins].filter(origin => origin !== own && !allowed.includes(origin))).toEqual([]);
    },
  };
}

interface Arrival {
  /** The account; the service's own unless said. */
  tenantId?: string;
  livemode?: boolean;
  /** The page shows this heading. */
  heading?: string | RegExp;
}

/** A desk of somebody with this role, in test mode unless said, who opens a page of the dashboard. */
export async function signedInDesk(
  service: TestService,
  role: Role,
  path: string,
  { tenantId = service.tenant.tenant_id, livemode = false, heading, ...o }: Arrival & DeskOptions = {},
) {
  const who = await signedIn(service, { tenantId, role, livemode });
  const desk = await openAtDesk(o);
  await carry(desk, service, who);
  await desk.page.goto(`${service.url}/dashboard${path}`);
  if (heading !== undefined) await desk.heading(heading);
  return Object.assign(desk, { who });
}

/** Gives a desk the session of a person. */
export const carry = (desk: Desk, service: TestService, { cookie }: { cookie: string }): Promise<void> =>
  desk.context.addCookies([
    { name: service.deps.config.sessionCookie, value: cookie.slice(cookie.indexOf('=') + 1), url: service.url },
  ]);

export async function addAuthenticator(context: BrowserContext, page: Page): Promise<Authenticator> {
  const session: CDPSession = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    answers: async enabled => {
      await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    },
    count: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
  };
}

async function fine(page: Page, name: string): Promise<void> {
  // Wait for what still loads, so that axe does not judge a half-drawn page.
  await page.waitForFunction(
    () =>
      !document.querySelector('.loading') &&
      [...document.images].every(image => image.complete || image.loading === 'lazy'),
  );
  await page.evaluate(() => document.fonts.ready);
  const viewport = page.viewportSize()!;
  const folder = process.env.FIRSTHAND_SCREENSHOTS;
  if (folder) {
    mkdirSync(folder, { recursive: true });
    for (const [width, size] of Object.entries({ 1440: WIDE, 390: PHONE, 320: NARROW })) {
      await page.setViewportSize(size);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
      }
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(viewport);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessible(page, `${name} (light)`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, `${name} (dark)`, 'colours');
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
  await expectAccessible(page, `${name} (forced colours)`, 'colours');
  await page.emulateMedia({ forcedColors: 'none' });
  // A page of 1280 pixels at 200% has 640; the narrowest phone has 320. Both have the narrow layout: axe judges it once, where it is tightest.
  for (const width of [640, 320]) {
    await page.setViewportSize({ width, height: 640 });
    await expectNoSidewaysScroll(page, `${name} (${width} px)`);
  }
  await expectAccessible(page, `${name} (320 px)`, 'all but colours');
  await page.setViewportSize(viewport);
}
