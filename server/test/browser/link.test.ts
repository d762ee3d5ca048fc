import type { LinkTemplate } from '@firsthand/contract/account/management.ts';
import { describe, expect, it } from 'vitest';
import { ask } from '../support/harness.ts';
import { openOnPhone } from './phone.ts';
import { ownService, sharedBrowser } from './stage.ts';

const service = await ownService({ worker: false });
const body = { name: 'Poster', request: { max_captures: 1 } };
const template = await ask<LinkTemplate>(service, '/v1/link-templates', { key: service.tenant.rk_secret, body });
const { url } = template.body;

describe('GET /t/:id, page of a link template', () => {
  const issued = async () =>
    Number((await service.deps.db.query<{ n: string }>('select count(*) as n from verifications')).rows[0]!.n);

  it('leads to the capture page by itself, once, and Back leaves the site', async () => {
    const before = await issued();
    const phone = await openOnPhone(`${service.url}/docs`);
    await phone.page.goto(url);
    await phone.screen('landing');
    expect(phone.page.url()).toMatch(/\/v\/vfy_\w{26}$/);
    await phone.page.goBack();
    expect(phone.page.url()).toBe(`${service.url}/docs`);
    expect(await issued()).toBe(before + 1);
    await phone.context.close();
  });

  it('leads on from the previewer page in a browser that is taken for a previewer', async () => {
    const before = await issued();
    const context = await (await sharedBrowser()).newContext({ userAgent: 'Mozilla/5.0 WhatsApp/2.25' });
    const page = await context.newPage();
    await page.goto(url);
    await page.waitForURL(/\/v\/vfy_\w{26}$/);
    expect(await issued()).toBe(before + 1);
    await context.close();
  });

  it('has a large, legible button on the previewer page for a browser without script', async () => {
    const reader = { userAgent: 'WhatsApp/2.25', javaScriptEnabled: false, hasTouch: true, isMobile: true };
    const context = await (await sharedBrowser()).newContext(reader);
    const page = await context.newPage();
    const before = await issued();
    await page.goto(url);
    expect(await issued()).toBe(before);
    const button = page.getByRole('button', { name: 'Start' });
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await button.click();
    await page.waitForURL(/\/v\/vfy_\w{26}$/);
    expect(await issued()).toBe(before + 1);
    await context.close();
  });
});
