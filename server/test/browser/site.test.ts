import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { distOf } from '../../src/pages/assets.ts';
import type { Failure } from '../support/failure.ts';
import { startReverseProxy } from '../support/reverse-proxy.ts';
import { freePort } from '../support/service-process.ts';
import { expectAccessible, expectNoSidewaysScroll } from './accessible.ts';
import { ownService, sharedBrowser } from './stage.ts';

const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  version: string;
};
const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Every page of the built site, by its address below /docs/. */
const addresses = (await readdir(distOf('site'), { recursive: true }))
  .filter(name => name.endsWith('.html') && name !== '404.html')
  .map(name => name.slice(0, -'.html'.length));

const browser = await sharedBrowser();
const service = await ownService({ worker: false });
const proxy = await startReverseProxy('/photos', { strips: true });
const port = await freePort();
await ownService({ worker: false, env: { PUBLIC_URL: proxy.url, PORT: String(port) } });
proxy.passTo(`http://localhost:${port}`);
afterAll(() => proxy.close());

describe('the guides at /docs', () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${service.url}${path}`, { headers, redirect: 'manual' });

  it('serves a page, its Markdown and llms.txt, and names the OpenAPI document on each', async () => {
    for (const path of ['/docs', '/docs/', '/docs/webhooks', `/docs/v${version}/webhooks`, '/docs/sdk']) {
      const answer = await get(path);
      const html = await answer.text();
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ]);
      expect(answer.headers.get('content-security-policy')).not.toContain('unsafe-inline');
      expect(html).toContain('href="/v1/openapi.json"');
      expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style="| on\w+="/);
    }
    const markdown = await get('/docs/webhooks.md');
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await markdown.text()).toMatch(/^# Receive webhooks\n/);
    const drawing = await get('/docs/images/photo-time.svg');
    expect(drawing.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    const list = await (await get('/llms.txt')).text();
    expect(list).toMatch(/^# .+\n\n> /);
    for (const [, address] of list.matchAll(/\]\((.+?)\)/g)) {
      expect(address).toMatch(new RegExp(`^${service.deps.origins.public}/docs/`));
      expect([address, (await get(new URL(address!).pathname)).status]).toEqual([address, 200]);
    }
  });

  it('serves every listed page in one file at llms-full.txt, whose links lead somewhere', async () => {
    const list = await (await get('/llms.txt')).text();
    const whole = await (await get('/llms-full.txt')).text();
    const pages = [...list.matchAll(/^- \[.+?\]\((.+?)\): /gm)].map(([, address]) => address!);
    expect(pages.length).toBeGreaterThan(40);
    const headings = [...whole.matchAll(/^\[[\w/.-]+\]\((.+?)\)\n\n# /gm)].map(([, address]) => address);
    expect(headings).toEqual(pages);
    const text = whole.replaceAll(/^ *(?:```|~~~)[\s\S]*?^ *(?:```|~~~) *$|`[^`\n]*`/gm, '');
    const links = new Set([...text.matchAll(/\]\(([^)\s#]+)/g)].map(([, address]) => address!));
    const own = [...links].filter(address => !/^https?:|^mailto:/.test(address) || address.startsWith(service.url));
    for (const address of own) {
      expect([address, address.startsWith(`${service.url}/docs/`)]).toEqual([address, true]);
      expect([address, (await get(new URL(address).pathname)).status]).toEqual([address, 200]);
    }
  });

  it('names its version in an address that shows no other version', async () => {
    const answer = await get(`/docs/v${version}/webhooks`);
    expect(answer.headers.get('link')).toBe(`<${service.deps.origins.public}/docs/webhooks>; rel="canonical"`);
    expect((await get(`/docs/v${version}/api`)).status).toBe(200);
    expect((await get('/docs/v99.0.0/webhooks')).status).toBe(404);
  });

  it('explains each error at the address that its `doc_url` names', async () => {
    const answer = await get('/v1/nowhere');
    const { error } = (await answer.json()) as Failure;
    const [page, row] = error.doc_url.split('#');
    expect(page).toBe(`${service.url}/docs/errors`);
    expect(await (await fetch(page!)).text()).toContain(`<tr id="${row}">`);
  });

  it('refuses what is not part of the site: a page to a browser, a problem to a program', async () => {
    for (const path of [
      '/docs/nowhere',
      '/docs/..%2fpackage.json',
      '/docs/%2e%2e/%2e%2e/package.json',
      '/docs/.sources',
    ]) {
      const answer = await get(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get('content-type')).toContain('application/json');
    }
    const page = await get('/docs/some/where', { accept: 'text/html' });
    expect(page.status).toBe(404);
    expect(await page.text()).toMatch(/There is no such page[\s\S]+href="\/docs\/webhooks"/);
    expect((await get('/docs/webhooks/')).headers.get('location')).toBe('../webhooks');
  });

  it('sends a file once: a later visit gets 304, and hashed names are kept for a year', async () => {
    const first = await get('/docs/webhooks');
    expect((await get('/docs/webhooks', { 'if-none-match': first.headers.get('etag')! })).status).toBe(304);
    const style = /href="\.\/(assets\/.+?\.css)"/.exec(await first.text())![1];
    expect((await get(`/docs/${style}`)).headers.get('cache-control')).toContain('immutable');
  });

  it('links only to pages, headings and files that are there', async () => {
    expect(addresses.length).toBeGreaterThan(60);
    const texts = new Map<string, string>();
    const read = async (url: URL) => {
      const key = url.pathname;
      if (!texts.has(key)) {
        const answer = await fetch(url);
        texts.set(key, answer.ok ? await answer.text() : `missing ${answer.status}`);
      }
      return texts.get(key)!;
    };
    const broken: string[] = [];
    for (const address of addresses) {
      const at = new URL(`/docs/${address}`, service.url);
      const html = await read(at);
      for (const [, , link] of html.matchAll(/\b(href|src)="([^"]+)"/g)) {
        const url = new URL(link!.replaceAll('&amp;', '&'), at);
        if (url.origin !== new URL(service.url).origin) continue;
        const text = await read(url);
        const anchor = decodeURIComponent(url.hash.slice(1));
        if (text.startsWith('missing') || (anchor && !text.includes(`id="${anchor}"`)))
          broken.push(`${address}: ${link}`);
      }
    }
    for (const address of addresses) {
      const at = new URL(`/docs/${address}.md`, service.url);
      const markdown = await read(at);
      for (const [, link] of markdown.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)\)/g)) {
        const url = new URL(link!, at);
        if (url.origin === at.origin && (await read(url)).startsWith('missing')) broken.push(`${address}.md: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  const visit = async (url: string, viewport: typeof DESKTOP, colorScheme: 'light' | 'dark') => {
    const context = await browser.newContext({ viewport, colorScheme });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', error => complaints.push(error.message));
    page.on('request', request => {
      if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(request.url());
    });
    await page.goto(url);
    return { page, complaints, close: () => context.close() };
  };
  const picture = async (page: Page, name: string) => {
    const folder = process.env.FIRSTHAND_SCREENSHOTS;
    if (folder) await page.screenshot({ path: join(folder, `site-${name}.png`) });
  };

  it.each([
    [DESKTOP, 'light'],
    [PHONE, 'dark'],
  ] as const)('axe finds nothing, nothing scrolls sideways, no other origin is asked: %o %s', async (size, scheme) => {
    const pages = ['', 'first-verification', 'operate', 'capture-protocol', 'examples/webhooks/express.ts'];
    for (const address of pages) {
      const { page, complaints, close } = await visit(`${service.url}/docs/${address}`, size, scheme);
      const name = `${address.replaceAll('/', '-') || 'home'}-${size.width}-${scheme}`;
      await picture(page, name);
      await expectAccessible(page, name);
      await expectNoSidewaysScroll(page, name);
      expect(complaints).toEqual([]);
      await close();
    }
  });

  it('search finds a word of a guide and an operation of the API, with only the keyboard', async () => {
    const { page, complaints, close } = await visit(`${service.url}/docs/install`, DESKTOP, 'light');
    await page.keyboard.press('/');
    await page.keyboard.type('idempotency');
    const dialog = page.getByRole('dialog', { name: 'Search' });
    await dialog.getByRole('link', { name: 'Idempotency API conventions' }).waitFor();
    await picture(page, 'search');
    await expectAccessible(page, 'search');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(url => url.pathname === '/docs/api-conventions' && url.hash === '#idempotency');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('finalize verification');
    await dialog.getByRole('link', { name: /POST \/v1\/verifications\/\{id\}\/finalize/ }).click();
    await page.waitForURL(url => url.pathname === '/docs/api');
    const operation = page.locator('[id$="/POST/v1/verifications/{id}/finalize"]');
    const place = async () => (await operation.boundingBox())?.y;
    await expect.poll(place).toBeLessThan(DESKTOP.height / 2);
    // As when parts above it load late.
    await page.evaluate(() => document.getElementById('reference')!.style.setProperty('padding-top', '5000px'));
    await page.evaluate(() => scrollTo(0, 0));
    await expect.poll(place).toBeLessThan(DESKTOP.height / 2);
    await page.mouse.wheel(0, -3000);
    await expect.poll(place).toBeGreaterThan(DESKTOP.height);
    expect(complaints).toEqual([]);
    await close();
  });

  it('shows code in the language that the reader chose, on every page', async () => {
    const { page, close } = await visit(`${service.url}/docs/first-verification`, DESKTOP, 'dark');
    const tabs = page.getByRole('tablist', { name: 'Language' }).first();
    await tabs.getByRole('tab', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('tabpanel', { name: 'TypeScript' }).first().waitFor();
    await tabs.getByRole('tab', { name: 'Python' }).click();
    await page.getByRole('tabpanel', { name: 'Python' }).first().waitFor();
    await picture(page, 'tabs');
    await page.goto(`${service.url}/docs/webhooks`);
    await page.getByRole('tabpanel', { name: 'Python' }).first().waitFor();
    await close();
  });

  it('has the colours that the reader chose, on every page', async () => {
    const { page, close } = await visit(`${service.url}/docs/install`, DESKTOP, 'light');
    // Chromium says lab(lightness a b), with 100 for white.
    const lightness = () =>
      page.evaluate(() => Number(/[\d.]+/.exec(getComputedStyle(document.documentElement).backgroundColor)![0]));
    expect(await lightness()).toBeGreaterThan(80);
    await page.getByLabel('Colours').selectOption('Dark');
    expect(await lightness()).toBeLessThan(40);
    await page.goto(`${service.url}/docs/webhooks`);
    await expect.poll(lightness).toBeLessThan(40);
    await page.getByLabel('Colours').scrollIntoViewIfNeeded();
    await picture(page, 'dark-by-choice');
    await expectAccessible(page, 'guides in dark by choice');
    await page.getByLabel('Colours').selectOption('As the system');
    await expect.poll(lightness).toBeGreaterThan(80);
    await close();
  });

  it('opens the list of guides on a phone', async () => {
    const { page, close } = await visit(`${service.url}/docs/install`, PHONE, 'light');
    const guides = page.getByRole('navigation', { name: 'Guides' });
    expect(await guides.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Guides' }).click();
    await picture(page, 'guides');
    await expectAccessible(page, 'guides on a phone');
    await guides.getByRole('link', { name: 'Receive webhooks' }).click();
    await page.waitForURL(`${service.url}/docs/webhooks`);
    await close();
  });

  it('works below a path of another host', async () => {
    for (const start of ['/docs', '/docs/some/where']) {
      const { page, close } = await visit(`${proxy.url}${start}`, DESKTOP, 'light');
      await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Receive webhooks' }).click();
      await page.waitForURL(`${proxy.url}/docs/webhooks`);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.keyboard.type('idempotency');
      await page.getByRole('dialog').getByRole('link').first().waitFor();
      await page.keyboard.press('Escape');
      for (const name of ['openapi.json', 'llms.txt', `Version ${version}`]) {
        const href = await page.getByRole('contentinfo').getByRole('link', { name }).getAttribute('href');
        expect([name, (await fetch(new URL(href!, page.url()))).status]).toEqual([name, 200]);
      }
      await close();
    }
    expect(proxy.outside).toEqual([]);
  });
});
