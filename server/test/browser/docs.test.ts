import { describe, expect, it } from 'vitest';
import { ownService, sharedBrowser } from './stage.ts';

const service = await ownService({ worker: false });

describe('/docs/api', () => {
  it.each([
    { colorScheme: 'light', width: 1440 },
    { colorScheme: 'dark', width: 390 },
  ] as const)(
    'shows the reference in our look, asks no other origin, breaks no policy: $colorScheme, $width',
    async o => {
      const page = await (await sharedBrowser()).newPage({
        colorScheme: o.colorScheme,
        viewport: { width: o.width, height: 900 },
      });
      const [foreign, complaints]: [string[], string[]] = [[], []];
      page.on('request', request => {
        if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== service.url)
          foreign.push(request.url());
      });
      page.on('console', message => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', error => complaints.push(error.message));
      const answer = await page.goto(`${service.url}/docs/api`);
      const policy = answer?.headers()['content-security-policy'] ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toMatch(/script-src 'self';/);
      expect(policy).toMatch(/style-src 'self' 'nonce-[\w+/=]{22,}';/);
      // The page draws what comes into view: the introduction stands before it.
      await page.getByRole('heading', { name: 'Verifications', exact: true }).first().scrollIntoViewIfNeeded();
      await page.getByRole('heading', { name: 'Create a verification' }).first().waitFor();
      const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const lightness = Number(/oklch\(([\d.]+)/.exec(ground)?.[1]);
      expect(lightness > 0.5, ground).toBe(o.colorScheme === 'light');
      expect(await page.evaluate(() => getComputedStyle(document.querySelector('h1')!).fontFamily)).toMatch(/^"?Inter/);
      expect(await page.getByText('Powered by').filter({ visible: true }).count()).toBe(0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(o.width);
      expect(foreign).toEqual([]);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  it('sends each file of the page once: a later visit gets 304', async () => {
    const first = await fetch(`${service.url}/docs/reference.js`);
    expect([first.status, first.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    expect(await first.text()).not.toContain('sourceMappingURL');
    const again = await fetch(`${service.url}/docs/reference.js`, {
      headers: { 'if-none-match': first.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
  });
});
