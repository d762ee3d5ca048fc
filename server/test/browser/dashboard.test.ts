import type { Me } from '@firsthand/contract/people/people.ts';
import { describe, expect, it } from 'vitest';
import { signedIn, signInAgain, signInAsOwner } from '../identity/people/visitor.ts';
import { ask } from '../support/harness.ts';
import { carry, openAtDesk } from './desk.ts';
import { startSite } from './site-around.ts';
import { ownService } from './stage.ts';

/** Ended sessions and stale sign-ins are answers that the browser logs. */
const REFUSED = /401|403|409/;

/** Offset of the service's clock from the real one. */
let aheadMs = 0;
const service = await ownService({
  worker: false,
  now: () => new Date(Date.now() + aheadMs),
});

describe('dashboard', () => {
  const tenantId = () => service.tenant.tenant_id;
  const person = (role: 'viewer' | 'reviewer' | 'member' | 'owner', o: { tenantId?: string; email?: string } = {}) =>
    signedIn(service, { tenantId: tenantId(), role, ...o });
  const open = async (who: { cookie: string }, path: string, heading: string | RegExp) => {
    const desk = await openAtDesk();
    await carry(desk, service, who);
    await desk.page.goto(`${service.url}/dashboard${path}`);
    await desk.heading(heading);
    return desk;
  };

  it('GET /dashboard/* answers one HTML file that no other site may frame and no cache keeps', async () => {
    for (const path of ['/dashboard', '/dashboard/sign-in', '/dashboard/any/where']) {
      const { status, headers, text } = await ask(service, path);
      expect(status).toBe(200);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
      const policy = headers.get('content-security-policy')!;
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      const nonce = /'nonce-([^']{22,})'/.exec(policy)![1]!;
      expect(text).toContain(`nonce="${nonce}"`);
    }
    const asset = /\/_dashboard\/assets\/[\w-]+\.js/.exec((await ask(service, '/dashboard')).text)![0];
    const { headers } = await ask(service, asset);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  it('shows nothing inside a frame of another site', async () => {
    const other = await startSite(() => `<iframe src="${service.url}/dashboard/sign-in"></iframe>`);
    const desk = await openAtDesk({ allowed: [service.url] });
    // The browser says that it refused: nothing more is to come.
    const refused = desk.page.waitForEvent('console', message =>
      /frame-ancestors|x-frame-options/i.test(message.text()),
    );
    await desk.page.goto(other.origin);
    await refused;
    const inside = desk.page.frames().find(frame => frame !== desk.page.mainFrame());
    expect(await inside?.locator('#app').count()).toBe(0);
    await desk.close(/frame|favicon|404/i);
    other.server.close();
  });

  it('home names the person and what the role allows; every link works', async () => {
    const desk = await open(await person('member'), '', /^Hello/);
    await desk.page.getByText('Your role: Member').waitFor();
    expect(await desk.page.locator('[data-may="true"]').count()).toBe(3);
    expect(await desk.page.locator('[data-may="false"]').count()).toBe(1);
    await desk.fine('home-member');
    const links = await desk.page
      .locator('main a, nav a')
      .evaluateAll(all => all.map(a => (a as HTMLAnchorElement).href));
    for (const href of new Set(links)) {
      expect((await ask(service, href)).status).toBe(200);
      if (!href.includes('/dashboard')) continue;
      await desk.page.goto(href);
      const heading = desk.page.getByRole('heading', { level: 1 });
      await heading.waitFor();
      expect(await heading.textContent()).not.toBe('No such page');
    }
    await desk.close();
  });

  it('the focus follows the person to each page: one Tab leads to what is there, and a switch keeps the focus', async () => {
    const desk = await open(await person('owner'), '', /^Hello/);
    const { page } = desk;
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
    const isInPage = () => page.evaluate(() => document.getElementById('page')!.contains(document.activeElement));
    const keys: Record<string, number> = {};
    for (const name of ['Verifications', 'Templates', 'Webhooks', 'Settings', 'Home']) {
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
      const heading = page.getByRole('heading', { level: 1, name: name === 'Home' ? /^Hello/ : name });
      await expect.poll(() => heading.evaluate(title => title === document.activeElement)).toBe(true);
      keys[name] = 0;
      do {
        await page.keyboard.press('Tab');
        keys[name] += 1;
      } while (!(await isInPage()));
    }
    expect(new Set(Object.values(keys))).toEqual(new Set([1]));
    await page.getByRole('link', { name: 'Templates', exact: true }).click();
    await desk.heading('Templates');
    expect(await focused()).toBe('Templates');
    expect(await page.locator('h1').evaluate(title => getComputedStyle(title).outlineStyle)).toBe('none');
    await page.getByRole('radio', { name: 'Test' }).focus();
    await page.keyboard.press('Space');
    await page.locator('.frame[data-mode="test"]').waitFor();
    await desk.heading('Templates');
    expect(await page.getByRole('radio', { name: 'Test' }).evaluate(radio => radio === document.activeElement)).toBe(
      true,
    );
    await page.goto(`${service.url}/dashboard/templates?mode=live`);
    await desk.heading('This link leads to live data');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Switch to Live');
    await desk.close();
  });

  it('an unknown address shows a message', async () => {
    const desk = await open(await person('viewer'), '/nowhere', 'No such page');
    await desk.fine('no-page');
    await desk.close();
  });

  it('the switch between live and test has a colour and words, and lasts for the session', async () => {
    const desk = await open(await person('owner'), '', /^Hello/);
    await desk.page.locator('.frame[data-mode="live"]').waitFor();
    await desk.page.getByRole('radio', { name: 'Test' }).click();
    await desk.page.locator('.frame[data-mode="test"]').waitFor();
    await desk.fine('home-test-mode');
    await desk.page.reload();
    await desk.page.locator('.frame[data-mode="test"]').waitFor();
    expect(await desk.page.getByRole('radio', { name: 'Test' }).isChecked()).toBe(true);
    await desk.close();
  });

  it('a tab that missed the switch to the other mode changes nothing there, and says so', async () => {
    const someone = await person('owner');
    const desk = await open(someone, '/webhooks', 'Webhooks');
    await desk.page.getByRole('button', { name: 'Add an endpoint' }).click();
    const dialog = desk.page.getByRole('dialog');
    await dialog.getByLabel('URL of the receiver').fill('https://hooks.example/stale');
    const { tenant } = (await someone.ask<Me>('/v1/me')).body;
    await someone.ask('/v1/me/tenant', { body: { tenant_id: tenant.id, livemode: !tenant.livemode } });
    await dialog.getByRole('button', { name: 'Add an endpoint' }).click();
    await dialog.getByText('You switched between live and test in another tab').waitFor();
    const { rows } = await service.deps.db.query("select 1 from webhook_endpoints where url like '%/stale'");
    expect(rows).toEqual([]);
    await desk.close(/409/);
  });

  it('the header calls a person without a name by their address, or “You”', async () => {
    const known = await open(await person('viewer', { email: 'known@people.example' }), '', /^Hello/);
    await known.page.locator('.who-name', { hasText: 'known@people.example' }).waitFor();
    await known.close();
    const owner = await signInAsOwner(service);
    const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const desk = await open({ cookie }, '/settings/people', 'People');
    await desk.page.locator('.who-name', { hasText: 'You' }).waitFor();
    expect(await desk.page.locator('.row-name', { hasText: 'Nameless' }).count()).toBe(0);
    await desk.close();
  });

  it('an invitation of another account waits on the account page until the person accepts', async () => {
    const other = await service.newTenant('Beta Motors');
    const email = 'invited-twice@people.example';
    await person('viewer', { email });
    await ask(service, '/v1/people', { key: other.rk_secret, body: { email, role: 'member' } });
    const desk = await open(await signInAgain(service, email), '/account', 'Your account');
    await desk.fine('invitation');
    await desk.press('Accept the invitation of Beta Motors');
    await desk.page.locator('.who-name', { hasText: 'Beta Motors' }).waitFor();
    await desk.close();
  });

  it('the account menu switches language and colours, and both last', async () => {
    const desk = await open(await person('viewer'), '', /^Hello/);
    const ground = () => desk.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    await desk.press(/^Account menu/);
    await desk.fine('menu');
    await desk.page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await expect.poll(ground).not.toBe(light);
    await desk.press(/^Account menu/);
    await desk.page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
    await desk.heading(/^Hallo/);
    const dark = await ground();
    await desk.page.reload();
    await desk.heading(/^Hallo/);
    expect(await ground()).toBe(dark);
    expect(await desk.page.evaluate(() => document.documentElement.lang)).toBe('de');
    await desk.press(/^Kontomenü/);
    await desk.page.getByRole('menuitemradio', { name: 'Wie das Gerät' }).click();
    await expect.poll(ground).toBe(light);
    await desk.fine('home-german');
    await desk.close();
  });

  it('account lists my sessions and ends one; its open page leads to sign-in and back', async () => {
    const ada = await person('reviewer', { email: 'ada-two-browsers@people.example' });
    const here = await open(ada, '/account', 'Your account');
    await here.fine('account');
    const again = await service.deps.db.query<{ id: string }>('select id from sessions where person_id = $1', [
      ada.personId,
    ]);
    expect(again.rows).toHaveLength(1);

    // Somebody ends the session elsewhere; the page notices when the person comes back to it.
    await ada.ask('/v1/auth/sign-out', { body: {} });
    await here.page.evaluate(() => window.dispatchEvent(new Event('focus')));
    await here.heading('Sign in');
    await here.page.getByText('You were signed out').waitFor();
    expect(new URL(here.page.url()).searchParams.get('return_to')).toBe('/dashboard/account?mode=live');
    await here.fine('sign-in-ended');
    await here.close(REFUSED);
  });

  it('ends an idle session on the page by itself', async () => {
    const desk = await open(await person('reviewer'), '', /^Hello/);
    await desk.page.clock.install();
    await desk.page.reload();
    await desk.heading(/^Hello/);
    aheadMs = 31 * 60_000;
    await desk.page.clock.fastForward(31 * 60_000);
    await desk.heading('Sign in');
    aheadMs = 0;
    await desk.close(REFUSED);
  });

  it('sign out everywhere ends every session of mine', async () => {
    const ada = await person('reviewer');
    const desk = await open(ada, '/account', 'Your account');
    await desk.press('Sign out everywhere');
    await desk.page.getByRole('alertdialog').waitFor();
    await desk.fine('account-everywhere');
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await desk.heading('Sign in');
    const left = await service.deps.db.query('select 1 from sessions where person_id = $1 and ended_at is null', [
      ada.personId,
    ]);
    expect(left.rowCount).toBe(0);
    await desk.close(REFUSED);
  });

  it('removing a passkey after 15 minutes asks for a sign-in first, then removes it', async () => {
    const desk = await openAtDesk();
    await desk.authenticator();
    await carry(desk, service, await person('member'));
    await desk.page.goto(`${service.url}/dashboard/account`);
    await desk.heading('Your account');
    await desk.press('Add a passkey');
    await desk.fine('account-add-passkey');
    await desk.page.getByLabel('Name of the passkey').fill('Work laptop');
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click();
    await desk.page.getByText('The passkey Work laptop was added.').waitFor();
    await desk.fine('account-passkey');

    aheadMs = 16 * 60_000;
    await desk.press('Remove the passkey Work laptop');
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Remove the passkey' }).click();
    await desk.page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    await desk.fine('sign-in-again');
    await desk.press('Use a passkey');
    await desk.page.getByText('The passkey Work laptop was removed.').waitFor();
    expect((await service.deps.db.query('select 1 from passkeys')).rowCount).toBe(0);
    aheadMs = 0;
    await desk.close(REFUSED);
  });

  it('people: an owner invites, changes a role and removes; typed text survives the end of the session', async () => {
    const owner = await person('owner', { email: 'owner@people.example' });
    const desk = await openAtDesk();
    await desk.authenticator();
    await carry(desk, service, owner);
    await desk.page.goto(`${service.url}/dashboard/account`);
    await desk.press('Add a passkey');
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click();
    await desk.page.getByText(/The passkey .* was added/).waitFor();
    await desk.page.goto(`${service.url}/dashboard/settings/people`);
    await desk.heading('People');
    await desk.press('Invite a person');
    await desk.page.getByLabel('Name', { exact: true }).fill('Mary Jackson');
    await owner.ask('/v1/auth/sign-out', { body: {} });
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Invite a person' }).click();
    await desk.page.getByText('Enter an e-mail address or a phone number.').waitFor();
    await desk.page.getByLabel('E-mail address').fill('mary@people.example');
    await desk.fine('people-invite');
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Invite a person' }).click();
    await desk.heading('Sign in');
    await desk.press('Use a passkey');
    await desk.heading('People');
    await desk.press('Invite a person');
    expect(await desk.page.getByLabel('E-mail address').inputValue()).toBe('mary@people.example');
    expect(await desk.page.getByLabel('Name', { exact: true }).inputValue()).toBe('Mary Jackson');
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Invite a person' }).click();
    await desk.page.getByRole('heading', { name: 'Mary Jackson was invited' }).waitFor();
    expect(await desk.page.locator('code').textContent()).toMatch(/#token=mlk_/);
    await desk.fine('people-invited');
    await desk.press('Done');
    await desk.page.getByText('mary@people.example').waitFor();
    await desk.fine('people');

    await desk.press(/Role of Mary Jackson/);
    await desk.fine('people-role');
    await desk.page.getByRole('option', { name: /^Member/ }).click();
    await desk.page.getByText('Mary Jackson is now: Member.').waitFor();
    await desk.press('Remove Mary Jackson');
    await desk.page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await desk.page.getByText('Mary Jackson was removed.').waitFor();
    expect(await desk.page.getByText('mary@people.example').count()).toBe(0);
    await desk.close(REFUSED);
  });

  it('people: other roles read names and roles', async () => {
    const desk = await open(await person('viewer'), '/settings/people', 'People');
    await desk.page.getByText('Owner', { exact: true }).first().waitFor();
    expect(await desk.page.getByRole('button', { name: /Invite|Remove|Role of/ }).count()).toBe(0);
    expect(await desk.page.getByText('owner@people.example').count()).toBe(0);
    await desk.fine('people-viewer');
    await desk.close();
  });

  it('says when the service cannot be reached, and retries', async () => {
    const desk = await openAtDesk();
    await carry(desk, service, await person('viewer'));
    await desk.context.route('**/v1/me', route => route.abort());
    await desk.page.goto(`${service.url}/dashboard`);
    await desk.page.getByText('The service could not be reached. Nothing is lost.').waitFor();
    await desk.fine('unreachable');
    await desk.context.unroute('**/v1/me');
    await desk.press('Try again');
    await desk.heading(/^Hello/);
    await desk.close(/ERR_FAILED/);
  });
});
