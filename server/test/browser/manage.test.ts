import { readFile } from 'node:fs/promises';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { LinkTemplateWithVersions } from '@firsthand/contract/account/management.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { ask, createVerification, submit, untilStatus } from '../support/harness.ts';
import { plain, scene } from '../support/pictures.ts';
import { signedInDesk } from './desk.ts';
import { ownService } from './stage.ts';

const service = await ownService({ expects: [/chat_outcome/] });

describe('the pages that make and manage', () => {
  const open = (role: Role, path: string, heading: string) => signedInDesk(service, role, path, { heading });

  it('issue: a form makes a verification as it says, with the service’s faults beside their fields', async () => {
    const desk = await open('member', '/issue', 'New verification');
    await desk.page.getByLabel('What the person reads').fill('The whole car');
    await desk.page.getByLabel('Another language for step 1').selectOption('de');
    await desk.page.getByLabel('Text (Deutsch)').fill('Das ganze Auto');
    await desk.page.getByLabel('Another language for step 1').selectOption('ar');
    await desk.page.getByLabel('Name in the API').fill('Not A Key');
    await desk.page.getByLabel('Your reference').fill('C-77');
    await desk.fine('issue');
    await desk.press('Make the link');
    await desk.page.getByLabel('Name in the API').and(desk.page.locator('[aria-invalid="true"]')).waitFor();
    await desk.page.getByText('Use lower-case letters, digits, _ and -, such as front_left.').waitFor();
    await desk.fine('issue-fault');
    await desk.page.reload();
    await desk.heading('New verification');
    expect(await desk.page.getByLabel('What the person reads').inputValue()).toBe('The whole car');
    expect(await desk.page.getByLabel('Text (Deutsch)').inputValue()).toBe('Das ganze Auto');
    await desk.press('Remove العربية');
    await desk.page.getByLabel('Name in the API').fill('car');
    await desk.press('Make the link');
    await desk.heading('The link is ready');
    await desk.fine('issue-made');
    const { body } = await ask<{ data: { config: object }[] }>(service, '/v1/verifications?external_ref=C-77', {
      key: service.tenant.pk_test,
    });
    expect(body.data[0]!.config).toMatchObject({
      steps: [{ key: 'car', description: 'The whole car', descriptions: { de: 'Das ganze Auto' }, min: 1, max: 1 }],
    });
    await desk.close(/400|404/);
  });

  it('templates: one is started, published, changed and revoked; the versions say what differs', async () => {
    const desk = await open('member', '/templates', 'Templates');
    await desk.page.getByRole('heading', { name: 'No template yet' }).waitFor();
    await desk.fine('templates-empty');
    await desk.press('Damage to a car');
    await desk.heading('New template');
    await desk.fine('template-new');
    await desk.press('Publish');
    await desk.heading('Damage to a car');
    await desk.page.getByRole('img', { name: 'QR code of the template’s link' }).waitFor();
    await desk.page.getByLabel('What the person reads').first().fill('The car from the front');
    await desk.press('Publish');
    await desk.page.getByRole('cell', { name: 'The car from the front' }).waitFor();
    await desk.fine('template');
    await desk.press('Both on a phone');
    const phones = desk.page.locator('.two-phones iframe');
    await expect.poll(() => phones.count()).toBe(2);
    await phones.last().contentFrame().getByRole('heading', { name: 'The car from the front' }).waitFor();
    expect(await phones.first().contentFrame().getByRole('heading').first().textContent()).not.toBe(
      'The car from the front',
    );
    await desk.fine('template-versions');
    await desk.press('Revoke it');
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Revoke it' }).click();
    await desk.page.getByText('The template Damage to a car was revoked.').waitFor();
    expect(await desk.page.getByRole('button', { name: 'Publish' }).count()).toBe(0);
    await desk.press('Templates');
    await desk.page.locator('.tag', { hasText: 'Revoked' }).waitFor();
    await desk.fine('templates');
    await desk.close();
  });

  it('templates: a step gets an example picture, which the phone shows at once; a version without it keeps the old one’s', async () => {
    const tenant = await service.newTenant('Examples');
    const at = { heading: 'New template', tenantId: tenant.tenant_id };
    const desk = await signedInDesk(service, 'member', '/templates/new', at);
    const { page } = desk;
    await page.getByRole('textbox', { name: 'Name of the template' }).fill('A dented door');
    await page.getByLabel('What the person reads').fill('The door from the side');
    const choose = (buffer: Buffer) =>
      page.getByLabel('Example picture').setInputFiles({ name: 'door.png', mimeType: 'image/png', buffer });
    await choose(Buffer.from('no picture'));
    await page.getByText('This file could not be read as a picture.').waitFor();
    await choose(await scene(3, 900, 600));
    const shown = page.getByRole('img', { name: 'Example picture for step 1' });
    await shown.waitFor();
    const phone = page.locator('.phone iframe').contentFrame();
    await phone.getByRole('img', { name: 'An example of this photo' }).waitFor();
    await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(900);
    await desk.fine('template-example');
    const wide = page.viewportSize()!;
    await page.setViewportSize({ width: 320, height: 640 });
    const kind = page.getByLabel('Kind of step 1');
    expect(await kind.evaluate(select => select.scrollWidth - select.clientWidth)).toBeLessThanOrEqual(1);
    await page.setViewportSize(wide);
    await desk.press('Publish');
    await desk.heading('A dented door');
    await shown.waitFor();
    await desk.press('Remove the picture, step 1');
    await phone.getByRole('img', { name: 'An example of this photo' }).waitFor({ state: 'detached' });
    await page.getByLabel('Example picture').waitFor();
    await desk.press('Publish');
    await page.getByRole('rowheader', { name: 'steps.0.example_picture' }).waitFor();
    await desk.fine('template-example-versions');
    const { body } = await ask<{ versions: LinkTemplateWithVersions['versions'] }>(
      service,
      `/v1/link-templates/${page.url().split('/').at(-1)!.split('?')[0]}`,
      { key: tenant.rk_secret },
    );
    const examples = body.versions.map(({ request }) => request.steps?.map(step => 'example_picture' in step));
    expect(examples).toEqual([[false], [true]]);
    await desk.close(/400/);
  });

  it('templates: the phone shows the capture page itself while one types, and makes nothing', async () => {
    const asked: string[] = [];
    const count = async () => (await service.deps.db.query('select count(*)::int as n from verifications')).rows[0].n;
    const before = await count();
    const desk = await open('member', '/templates/new', 'New template');
    const phone = desk.page.locator('.phone iframe').contentFrame();
    await phone.locator('.viewfinder').waitFor();
    desk.page.on('request', request => request.url().includes('/v1/') && asked.push(request.url()));
    await desk.page.getByLabel('What the person reads').fill('The licence plate');
    await phone.getByRole('heading', { name: 'The licence plate' }).waitFor();
    await phone.locator('button.shutter:enabled').waitFor();
    await desk.page.getByLabel('Kind of step 1').selectOption('text');
    await phone.locator('input, textarea').first().waitFor();
    await desk.press('Step before');
    await phone.locator('[data-screen="landing"]').waitFor();
    await phone.getByText('The licence plate').waitFor();
    await desk.page.getByRole('button', { name: 'Step before' }).waitFor();
    await desk.fine('template-preview');
    expect(asked).toEqual([]);
    expect(await count()).toBe(before);
    const page = await fetch(`${service.url}/capture-preview`);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy).toContain("connect-src 'none'");
    expect(page.headers.get('permissions-policy')).toContain('camera=()');
    await desk.close();
  });

  it('webhooks: a test event is sent and its answer shown; an owner reads and rotates the secret', async () => {
    const receiver = await receiveWebhooks();
    try {
      const desk = await open('owner', '/webhooks', 'Webhooks');
      await desk.page.getByLabel('Address').fill('nowhere');
      await desk.press('Send it');
      await desk.page.getByText('Enter an address that begins with').waitFor();
      await desk.page.getByLabel('Address').fill(receiver.url);
      await desk.press('Send it');
      await expect.poll(() => receiver.received.length).toBe(1);
      await expect
        .poll(async () => {
          await desk.page.reload();
          await desk.heading('Webhooks');
          return desk.page
            .locator('.tag', { hasText: 'Delivered' })
            .first()
            .waitFor({ timeout: 3_000 })
            .then(
              () => true,
              () => false,
            );
        })
        .toBe(true);
      await desk.page.getByText('1 attempt').click();
      await desk.fine('webhooks');
      await desk.press('Show the secret');
      const secret = desk.page.locator('.copyable code');
      const before = await secret.textContent();
      expect(before).toMatch(/^whsec_/);
      await desk.press('Rotate the secret');
      await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Rotate the secret' }).click();
      await expect.poll(() => secret.textContent()).not.toBe(before);
      await desk.close();
    } finally {
      await receiver.close();
    }
  });

  it('webhooks: an owner adds an endpoint of the account, chooses events, tests it, sees its deliveries and removes it', async () => {
    const receiver = await receiveWebhooks();
    try {
      const desk = await open('owner', '/webhooks', 'Webhooks');
      await desk.press('Add an endpoint');
      const dialog = desk.page.getByRole('dialog');
      await dialog.getByLabel('URL of the receiver').fill('nowhere');
      await dialog.getByLabel('Description').fill('Back office');
      await dialog.getByText('All events').click();
      await dialog.getByRole('button', { name: 'Add an endpoint' }).click();
      await dialog.getByText('Enter an address that begins with').waitFor();
      await dialog.getByText('Choose at least one event.').waitFor();
      await dialog.getByLabel('URL of the receiver').fill(receiver.url);
      await dialog.getByText('verification.expired').click();
      await dialog.getByRole('button', { name: 'Add an endpoint' }).click();
      const row = desk.page.locator('.row', { hasText: 'Back office' });
      await row.getByText('verification.expired').waitFor();
      await desk.fine('webhooks-account');
      await row.getByRole('button', { name: 'Test', exact: true }).click();
      await expect.poll(() => receiver.received.map(({ event }) => event.type)).toEqual(['webhook.test']);
      await row.getByRole('link', { name: 'Deliveries' }).click();
      await desk.page.getByText('Deliveries of one endpoint.').waitFor();
      await desk.page.locator('.delivery', { hasText: receiver.url }).waitFor();
      await row.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog.getByText('All events').click();
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
      await row.getByText('All events').waitFor();
      await row.getByRole('button', { name: 'Remove', exact: true }).click();
      await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Remove', exact: true }).click();
      await desk.page.getByText('The endpoint was removed.').waitFor();
      await row.waitFor({ state: 'detached' });
      await desk.close();
    } finally {
      await receiver.close();
    }
  });

  it('settings: an owner makes a key that works, sees it once, and revokes it', async () => {
    const desk = await open('owner', '/settings', 'Settings');
    await desk.page.getByLabel('E-mail for outcomes').fill('claims@acme.example');
    await desk.press('Save');
    await desk.page.getByText('Saved.').waitFor();
    await desk.press('Make a key');
    await desk.page.getByLabel('Name', { exact: true }).fill('Claims backend');
    await desk.page.getByLabel('On a server: also lists and reads verifications').check();
    await desk.fine('settings-key');
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click();
    await desk.page.getByRole('heading', { name: 'Claims backend is ready' }).waitFor();
    const key = (await desk.page.locator('.copyable code').textContent())!;
    expect((await ask(service, '/v1/verifications', { key })).status).toBe(200);
    await desk.press('Done');
    await desk.fine('settings');
    await desk.press('Revoke Claims backend');
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await desk.page.getByText('The key Claims backend was revoked.').waitFor();
    expect((await ask(service, '/v1/verifications', { key })).status).toBe(401);
    await ask(service, '/v1/settings', {
      method: 'PATCH',
      key: service.tenant.rk_secret,
      headers: { 'firsthand-via': 'agent' },
      body: { name: 'Acme' },
    });
    await desk.press('Audit log');
    await desk.heading('Audit log');
    await desk.page.getByText('api_key.revoked').first().waitFor();
    await desk.page.getByRole('row', { name: /settings\.updated.*Secret key.*through an AI agent/s }).waitFor();
    await desk.fine('audit');
    await desk.close();
  });

  it('settings: an owner makes a secret key, sees it once and finds it in the audit log, which downloads as a file', async () => {
    const desk = await open('owner', '/settings', 'Settings');
    await desk.press('Make a key');
    const dialog = desk.page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('SIEM');
    await dialog.getByLabel(/^For management/).check();
    await desk.fine('settings-key-secret');
    await dialog.getByRole('button', { name: 'Make a key' }).click();
    await desk.page.getByRole('heading', { name: 'SIEM is ready' }).waitFor();
    const key = (await desk.page.locator('.copyable code').textContent())!;
    expect((await ask(service, '/v1/audit-log/feed', { key })).status).toBe(200);
    await desk.press('Done');
    await desk.page.reload();
    await desk.page.getByText(/^SIEM/).waitFor();
    expect(await desk.page.content()).not.toContain(key);
    await desk.press('Audit log');
    await desk.heading('Audit log');
    const today = await desk.page.evaluate(() => new Date().toLocaleDateString('sv'));
    await desk.page.getByLabel('From', { exact: true }).fill(today);
    await desk.page.getByLabel('To', { exact: true }).fill(today);
    const download = desk.page.waitForEvent('download');
    await desk.press('As JSON Lines');
    const lines = (await readFile(await (await download).path(), 'utf8')).trimEnd().split('\n');
    const made = lines.map(line => JSON.parse(line)).findLast(entry => entry.detail.name === 'SIEM');
    expect(made).toMatchObject({ action: 'api_key.created', actor: { kind: 'session', id: desk.who.personId } });
    await desk.page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await desk.page.getByLabel('From', { exact: true }).fill('2019-01-01');
    const none = desk.page.waitForEvent('download');
    await desk.press('As CSV');
    expect((await readFile(await (await none).path(), 'utf8')).trimEnd().split('\r\n')).toHaveLength(1);
    await desk.close();
  });

  it('settings: an owner makes a key for an app, which creates verifications from the chosen link template', async () => {
    const desk = await open('owner', '/settings', 'Settings');
    await desk.press('Make a key');
    await desk.page.getByText('There is no link template yet.').waitFor();
    await desk.press('Cancel');
    const request = { signals_required: ['screen', 'ai', 'reverse'] };
    const body = { name: 'Claims app', request };
    const { id } = (await ask<{ id: string }>(service, '/v1/link-templates', { key: service.tenant.rk_secret, body }))
      .body;
    // A secret key makes live templates, and the person works in test mode.
    await service.deps.db.query('update link_templates set livemode = false where id = $1', [id]);
    await desk.page.reload();
    await desk.press('Make a key');
    const dialog = desk.page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('iPhone app');
    await dialog.getByRole('button', { name: 'Make a key' }).click();
    await dialog.getByText('Choose the link template that the key creates verifications from.').waitFor();
    await dialog.getByRole('button', { name: /Link template/ }).click();
    await desk.page.getByRole('option', { name: 'Claims app' }).click();
    await desk.fine('settings-key-app');
    await dialog.getByRole('button', { name: 'Make a key' }).click();
    await desk.page.getByRole('heading', { name: 'iPhone app is ready' }).waitFor();
    const key = (await desk.page.locator('.copyable code').textContent())!;
    const made = await ask<Verification>(service, '/v1/verifications', { key, body: {} });
    expect([made.status, made.body.config.signals_required]).toEqual([201, request.signals_required]);
    await desk.press('Done');
    await desk.close();
  });

  it('brands: a member makes one, sees how it looks, and removes it', async () => {
    const desk = await open('member', '/brands', 'Brands');
    await desk.page.getByRole('heading', { name: 'No brand yet' }).waitFor();
    await desk.fine('brands-empty');
    await desk.press('New brand');
    await desk.press('Save the brand');
    await desk.page.getByText('Enter a name.').waitFor();
    await desk.page.getByLabel('Name', { exact: true }).fill('Acme Claims');
    await desk.page.getByLabel('Buttons and links').fill('#ffb000');
    await desk.page.getByText('Too little contrast').waitFor();
    const logo = await sharp({ create: { width: 120, height: 40, channels: 3, background: '#c02040' } })
      .png()
      .toBuffer();
    await desk.page.getByLabel('Logo').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: logo });
    await desk.page.getByLabel('Return address').fill('https://claims.acme.example/done');
    await desk.press('Save the brand');
    await desk.page.getByText('This address belongs to no allowed origin.').waitFor();
    await desk.page.getByLabel('Sites that may embed this brand’s links').fill('claims.acme.example');
    await desk.fine('brand-form');
    await desk.press('Save the brand');
    await desk.page.getByRole('heading', { name: 'Acme Claims' }).waitFor();
    await desk.fine('brands');
    const { body } = await ask<{ logo_url: string; colors: object }>(service, '/v1/brands/acme-claims', {
      key: service.tenant.rk_secret,
    });
    expect(body.colors).toEqual({ accent: '#ffb000', background: '#f7f9fa' });
    expect(body.logo_url).toContain('/brand-logos/');
    await desk.press('Remove Acme Claims');
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await desk.page.getByRole('heading', { name: 'No brand yet' }).waitFor();
    // One save was refused on purpose.
    await desk.close(/400 \(Bad Request\)/);
  });

  it('compare: two photos zoom together; the files say what differs', async () => {
    const ids: string[] = [];
    for (const [width, height] of [
      [800, 600],
      [640, 480],
    ] as const) {
      const { id } = await createVerification(service);
      await submit(service, id, await plain({ width, height }));
      await untilStatus(service, id, ['completed']);
      ids.push(id);
    }
    const desk = await open('viewer', `/compare?a=${ids[0]}&b=${ids[1]}`, 'Compare');
    await desk.page.getByRole('row', { name: /^Size 800 × 600 640 × 480$/ }).waitFor();
    const painted = () =>
      desk.page
        .locator('.locked-photos canvas')
        .evaluateAll(all =>
          all.map(one => (one as HTMLCanvasElement).getContext('2d')!.getImageData(0, 0, 400, 200).data.join().length),
        );
    await desk.fine('compare');
    const before = await painted();
    await desk.page.getByRole('img', { name: 'First', exact: true }).focus();
    for (let n = 0; n < 4; n += 1) await desk.page.keyboard.press('+');
    await expect
      .poll(async () => (await painted()).map((length, index) => length !== before[index]))
      .toEqual([true, true]);
    await desk.page.getByLabel('Swipe').check();
    await desk.page.getByLabel('Edge').fill('30');
    await desk.fine('compare-swipe');

    // Both could not be read; one press reads both again.
    const reads = /\/v1\/verifications\/vfy_/;
    await desk.context.route(reads, route => route.abort());
    await desk.page.reload();
    await desk.page.getByRole('heading', { name: 'This could not be loaded' }).waitFor();
    await desk.context.unroute(reads);
    await desk.press('Try again');
    await desk.page.getByRole('row', { name: /^Size/ }).waitFor();
    await desk.close(/404|ERR_FAILED/);
  });

  it('settings: an owner sets retention, review and the chat, and tests the chat', async () => {
    const receiver = await receiveWebhooks();
    try {
      const desk = await open('owner', '/settings', 'Settings');
      await desk.page.getByLabel('Keep photos until').uncheck();
      await desk.page.getByLabel('Erase after this many days').fill('90');
      await desk.page.getByText('This cannot be undone.').waitFor();
      await desk.page.getByLabel(/^Two people/).check();
      await desk.page.getByLabel(/^Share of verified/).fill('5');
      await desk.press('Save the rules');
      await desk.page.getByText('Saved.').waitFor();
      await desk.page.getByLabel('Address of the incoming webhook').fill(receiver.url);
      await desk.press('Save the address');
      await desk.page.getByText(`Messages go to ${new URL(receiver.url).host}.`).waitFor();
      await desk.press('Send a test');
      await desk.page.getByText('The chat accepted the message.').waitFor();
      await desk.page.getByLabel('Allowed origins').fill('ftp://claims.example.com');
      await desk.press('Save the sites');
      await desk.page.getByText('This is not an origin').waitFor();
      // An address pasted whole becomes its origin.
      await desk.page
        .getByLabel('Allowed origins')
        .fill('https://claims.example.com/new?case=1\nhttp://localhost:3000');
      await desk.press('Save the sites');
      await expect
        .poll(() => desk.page.getByLabel('Allowed origins').inputValue())
        .toBe('https://claims.example.com\nhttp://localhost:3000');
      await desk.fine('settings-rules');
      const { body } = await ask<object>(service, '/v1/settings', { key: service.tenant.rk_secret });
      expect(body).toMatchObject({ retention_days: 90, review_policy: 'two_people', review_sample: 0.05 });
      expect(body).toMatchObject({ allowed_origins: ['https://claims.example.com', 'http://localhost:3000'] });
      await desk.close();
    } finally {
      await receiver.close();
    }
  });

  it('statistics: shows what became of verifications, with its actions in one line', async () => {
    const { id } = await createVerification(service);
    await submit(service, id, await plain({ width: 400, height: 300 }));
    await untilStatus(service, id, ['completed']);
    const desk = await open('member', '/statistics', 'Statistics');
    await desk.page.locator('.figures').waitFor();
    const middle = async (selector: string) => {
      const box = (await desk.page.locator(selector).first().boundingBox())!;
      return box.y + box.height / 2;
    };
    expect(Math.abs((await middle('.queue select')) - (await middle('.case-actions > button')))).toBeLessThan(8);
    await desk.fine('statistics');
    await desk.close();
  });

  it('system: an owner reads what each missing part costs', async () => {
    const desk = await open('owner', '/system', 'System');
    await desk.page.getByText('Bundles carry none. Set TSA_URL').waitFor();
    const working = desk.page.getByRole('region', { name: 'Working' });
    expect(await working.getByRole('listitem').filter({ hasText: 'Database' }).innerText()).toMatch(
      /Keeps every verification\.\s+PostgreSQL \d+/,
    );
    await desk.fine('system');
    await desk.close();
  });

  it.each([
    ['a template', '/templates/tpl_01AAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a batch', '/batches/bat_01AAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a bulk action', '/bulk-acts/blk_01AAAAAAAAAAAAAAAAAAAAAAAA'],
    ['a verification', '/verifications/vfy_01AAAAAAAAAAAAAAAAAAAAAAAA'],
  ])('%s that does not exist: its page has a heading that says so', async (_what, path) => {
    const desk = await open('owner', path, 'This could not be loaded');
    await desk.page.getByText('It is no longer there.').waitFor();
    await desk.close(/404/);
  });

  it('what a viewer may not do is not there', async () => {
    const desk = await open('viewer', '/webhooks', 'Webhooks');
    const menu = desk.page.getByRole('navigation', { name: 'Pages' });
    for (const page of ['Review', 'New verification', 'Audit log', 'System']) {
      expect([page, await menu.getByRole('link', { name: page, exact: true }).count()]).toEqual([page, 0]);
    }
    expect(await desk.page.getByRole('button', { name: /Send|secret|Rotate/ }).count()).toBe(0);
    await desk.page.goto(`${service.url}/dashboard/settings`);
    await desk.heading('Settings');
    await desk.page.getByText('E-mail for outcomes').waitFor();
    expect(await desk.page.getByRole('button', { name: /Save|Make a key|Revoke/ }).count()).toBe(0);
    await desk.fine('settings-viewer');
    await desk.page.goto(`${service.url}/dashboard/audit`);
    await desk.page.getByRole('heading', { name: 'Not open to your role' }).waitFor();
    await desk.page.goto(`${service.url}/dashboard/system`);
    await desk.page.getByRole('heading', { name: 'Not open to your role' }).waitFor();
    await desk.page.goto(`${service.url}/dashboard/issue`);
    await desk.page.getByRole('heading', { name: 'Not open to your role' }).waitFor();
    expect(await desk.page.getByRole('button', { name: 'Make the link' }).count()).toBe(0);
    await desk.page.goto(`${service.url}/dashboard/templates`);
    await desk.heading('Templates');
    expect(await desk.page.getByRole('link', { name: 'New template' }).count()).toBe(0);
    await desk.close(/403|404/);
  });
});
