import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createVerification, untilStatus } from '../support/harness.ts';
import { startReverseProxy } from '../support/reverse-proxy.ts';
import { freePort } from '../support/service-process.ts';
import { openOnPhone } from './phone.ts';
import { ownService, sharedBrowser } from './stage.ts';

describe.each([
  ['/photos', true],
  ['/tools/photos', false],
])('the service below %s of a proxy that strips the path: %s', async (path, strips) => {
  const proxy = await startReverseProxy(path, { strips });
  afterAll(() => proxy.close());
  const port = await freePort();
  const service = await ownService({ env: { PUBLIC_URL: proxy.url, PORT: String(port) } });
  proxy.passTo(`http://localhost:${port}`);
  afterEach(() => expect(proxy.outside).toEqual([]));

  it('takes photos by the capture link, through to the certificate and the page /verify', async () => {
    const verification = await createVerification(service);
    expect(verification.capture_url).toBe(`${proxy.url}/v/${verification.id}`);
    const phone = await openOnPhone(verification.capture_url);
    await phone.press('Start');
    await phone.photo();
    await phone.send();
    await untilStatus(service, verification.id, ['completed', 'failed']);
    await phone.page.goto(`${proxy.url}/c/${verification.id}`);
    await phone.page.getByRole('link', { name: 'Check' }).click();
    await phone.page.waitForURL(`${proxy.url}/verify`);
    await phone.page.locator('#bundle').waitFor({ state: 'attached' });
    await phone.close();
  });

  it('signs the owner in to the dashboard, keeps its pages across a reload, and signs out', async () => {
    expect(service.dashboardUrl).toMatch(new RegExp(`^${proxy.url}/dashboard/sign-in#first=`));
    const context = await (await sharedBrowser()).newContext({ locale: 'en-US' });
    const page = await context.newPage();
    const failed: string[] = [];
    page.on('response', response => {
      if (response.status() >= 400 && response.status() !== 401) failed.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(service.dashboardUrl);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    // Where the browser can keep a passkey, the page offers one first.
    const later = page.getByRole('button', { name: 'Not now' });
    await later
      .or(page.getByRole('link', { name: 'Verifications' }))
      .first()
      .waitFor();
    if (await later.isVisible()) await later.click();
    await page.waitForURL(url => url.pathname.replace(/\/$/, '') === `${path}/dashboard`);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: 'firsthand_session', path });
    await page.getByRole('link', { name: 'Verifications' }).first().click();
    await page.waitForURL(url => url.pathname === `${path}/dashboard/verifications`);
    await page.reload();
    await page.locator('main h1, main table, main').first().waitFor();
    await page.goto(`${proxy.url}/dashboard/issue`);
    await page.frameLocator('iframe').locator('[data-screen]').first().waitFor();
    await page.goto(`${proxy.url}/docs/api`);
    await page.locator('#reference').getByText('Firsthand').first().waitFor();
    expect(failed).toEqual([]);
    await context.close();
  });
});
