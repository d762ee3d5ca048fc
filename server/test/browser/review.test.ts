import type { Role } from '@firsthand/contract/people/people.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { describe, expect, it } from 'vitest';
import { openCases, review, setSettings } from '../desk/reviews/cases.ts';
import { signedIn } from '../identity/people/visitor.ts';
import { ask, createVerification, submit, untilStatus } from '../support/harness.ts';
import { photoOfScreen } from '../support/pictures.ts';
import { carry, type Desk, openAtDesk, signedInDesk } from './desk.ts';
import { ownService } from './stage.ts';

const service = await ownService();

describe('the review page', () => {
  const arrive = (role: Role, tenantId: string, path = '/review') =>
    signedInDesk(service, role, path, { tenantId, livemode: true });
  const key = (desk: Desk, name: string) => desk.page.keyboard.press(name);
  const caseShown = async (desk: Desk) =>
    (await desk.page.locator('.review .case-title a').getAttribute('href'))!.split('/').at(-1)!;
  const reviewsOf = async (id: string) =>
    (
      await service.deps.db.query<{ decision: string; reasons: string[]; note: string | null; struck_at: Date | null }>(
        'select decision, reasons, note, struck_at from reviews where verification_id = $1 order by created_at',
        [id],
      )
    ).rows;

  it('review: a case is decided with only the keyboard, undone, and decided again; the note is typed without firing keys', async () => {
    const tenant = await service.newTenant('Keyboard');
    const made = await createVerification(service, { metadata: { claim: 'C-1' } }, tenant.pk_live);
    await submit(service, made.id, await photoOfScreen());
    await untilStatus(service, made.id, ['completed'], tenant.pk_live);
    const [second] = await openCases(service, 1, { tenantId: tenant.tenant_id });

    const desk = await arrive('reviewer', tenant.tenant_id);
    await desk.heading('C-1');
    await desk.page.getByRole('img', { name: /^Photo 1 of 1/ }).waitFor();
    await desk.fine('review');
    await key(desk, 'h');
    await desk.page.getByRole('button', { name: 'Hide the heat map' }).waitFor();
    await key(desk, 'z');
    await desk.page.getByRole('button', { name: /^(100|200)%/ }).waitFor();
    await key(desk, 'n');
    await desk.page.keyboard.type('a real report: 1 r 0');
    await key(desk, 'Escape');
    expect(await caseShown(desk)).toBe(made.id);
    expect(await reviewsOf(made.id)).toEqual([]);

    await key(desk, 'r');
    await desk.page.getByRole('group', { name: 'Reject: why?' }).waitFor();
    await desk.fine('review-reasons');
    await key(desk, '1');
    await expect.poll(() => caseShown(desk)).toBe(second);
    await expect.poll(async () => (await reviewsOf(made.id)).length).toBe(1);
    expect((await reviewsOf(made.id))[0]).toMatchObject({
      decision: 'rejected',
      reasons: ['photo_of_display'],
      note: 'a real report: 1 r 0',
    });

    await desk.page.getByText('1 decided').waitFor();
    await desk.page.getByRole('button', { name: 'Undo', disabled: false }).waitFor();
    await key(desk, 'u');
    await expect.poll(() => caseShown(desk)).toBe(made.id);
    await expect.poll(async () => (await reviewsOf(made.id))[0]!.struck_at).not.toBeNull();
    await key(desk, 'a');
    await key(desk, '0');
    await expect.poll(() => caseShown(desk)).toBe(second);
    await key(desk, 'e');
    await key(desk, '1');
    await desk.page.getByRole('heading', { name: 'All clear' }).waitFor();
    await desk.fine('review-clear');
    await expect.poll(async () => (await reviewsOf(second!)).map(({ decision }) => decision)).toEqual(['escalated']);
    expect((await reviewsOf(made.id)).map(({ decision }) => decision)).toEqual(['rejected', 'approved']);
    await desk.close();
  });

  it('home says what waits for a reviewer and what is new, without command lines', async () => {
    const tenant = await service.newTenant('Home');
    await openCases(service, 3, { tenantId: tenant.tenant_id });
    await openCases(service, 1, { tenantId: tenant.tenant_id, label: 'verified', state: 'none' });
    const desk = await arrive('reviewer', tenant.tenant_id, '');
    const today = desk.page.getByRole('region', { name: 'Today' });
    const figure = (name: string) =>
      today.locator('.figures > div').filter({ hasText: name }).locator('dd').innerText();
    await expect.poll(() => figure('Created')).toBe('4');
    expect([await figure('Completed'), await figure('Decided by people')]).toEqual(['4', '0']);
    const waiting = desk.page.getByRole('region', { name: 'Waiting for you' });
    await waiting.getByText('Cases to review: 3').waitFor();
    expect(await desk.page.getByRole('region', { name: 'Health' }).count()).toBe(0);
    await desk.fine('home-reviewer');
    await waiting.getByRole('link', { name: 'Review the cases' }).click();
    await desk.page.getByRole('button', { name: /^Approve/ }).waitFor();
    expect(await desk.page.getByRole('button', { name: 'Copy as curl' }).count()).toBe(0);
    await desk.close();
  });

  it('home says what is new since the last visit and what is broken, and an owner mends it there', async () => {
    const tenant = await service.newTenant('Return');
    const { db } = service.deps;
    const body = { url: 'https://hooks.example/broken', livemode: true };
    const made = await ask<{ id: string }>(service, '/v1/webhook-endpoints', { key: tenant.rk_secret, body });
    expect(made.status).toBe(201);
    await db.query('update webhook_endpoints set disabled_at = now() where id = $1', [made.body.id]);
    await openCases(service, 2, { tenantId: tenant.tenant_id });
    const who = await signedIn(service, { tenantId: tenant.tenant_id, role: 'owner' });
    await db.query(`update sessions set last_visit_at = now() - interval '3 hours' where id = $1`, [who.sessionId]);
    const desk = await openAtDesk();
    await carry(desk, service, who);
    await desk.page.goto(`${service.url}/dashboard`);
    const since = desk.page.getByRole('region', { name: /^New since your last visit, 3 hr\.? ago/ });
    await expect.poll(() => since.locator('.figures dd').first().innerText()).toBe('2');
    const health = desk.page.getByRole('region', { name: 'Health' });
    await health.getByText('https://hooks.example/broken').waitFor();
    await desk.fine('home-owner');
    await health.getByRole('button', { name: 'Enable' }).click();
    await health.getByText('Addresses that get webhooks: 1').waitFor();
    await desk.press(/^Account menu/);
    await desk.page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
    await desk.page.getByRole('region', { name: 'Für Sie zu tun' }).waitFor();
    await desk.fine('home-owner-de');
    await desk.close();
  });

  it('review: two people on one queue never see the same case, and each case is decided once', async () => {
    const tenant = await service.newTenant('Two browsers');
    const ids = await openCases(service, 8, { tenantId: tenant.tenant_id });
    const desks = [await arrive('reviewer', tenant.tenant_id), await arrive('member', tenant.tenant_id)];
    const seen: string[][] = [[], []];
    await Promise.all(
      desks.map(async (desk, index) => {
        const clear = desk.page.getByRole('heading', { name: 'All clear' });
        for (let n = 0; n <= ids.length; n += 1) {
          await clear.or(desk.page.getByRole('button', { name: /^Approve/ })).waitFor();
          if ((await clear.count()) > 0) break;
          const id = await caseShown(desk);
          seen[index]!.push(id);
          await key(desk, 'a');
          await key(desk, '1');
          await expect.poll(async () => (await clear.count()) > 0 || (await caseShown(desk)) !== id).toBe(true);
        }
      }),
    );
    expect([...seen[0]!, ...seen[1]!].sort()).toEqual([...ids].sort());
    // A decision is sent while the next case is shown.
    for (const id of ids) await expect.poll(async () => (await reviewsOf(id)).length).toBe(1);
    for (const desk of desks) await desk.close();
  });

  it('review: with two people, the second does not see what the first decided, and the first gets the case no more', async () => {
    const tenant = await service.newTenant('Two people');
    await setSettings(service, { review_policy: 'two_people' }, tenant.rk_secret);
    const [id] = await openCases(service, 1, { tenantId: tenant.tenant_id, needs: 2 });
    const first = await arrive('owner', tenant.tenant_id);
    await expect.poll(() => caseShown(first)).toBe(id);
    await key(first, 'n');
    await first.page.keyboard.type('I saw a second screen');
    await key(first, 'Escape');
    await key(first, 'r');
    await key(first, '1');
    await first.page.getByRole('heading', { name: 'All clear' }).waitFor();
    await first.press('Look again');
    await first.page.getByRole('heading', { name: 'All clear' }).waitFor();

    const second = await arrive('reviewer', tenant.tenant_id);
    await expect.poll(() => caseShown(second)).toBe(id);
    expect(await second.page.getByText('I saw a second screen').count()).toBe(0);
    expect(await second.page.getByText('Decided so far').count()).toBe(0);
    await key(second, 'r');
    await key(second, '1');
    await second.page.getByRole('heading', { name: 'All clear' }).waitFor();
    await expect
      .poll(async () => (await first.who.ask<Verification>(`/v1/verifications/${id}`)).body.review)
      .toMatchObject({ state: 'decided', decision: 'rejected' });
    await first.close();
    await second.close();
  });

  it('review: what was typed is there after a reload, and a case goes back to the others when its page is left', async () => {
    const tenant = await service.newTenant('Left');
    const [id] = await openCases(service, 1, { tenantId: tenant.tenant_id });
    const desk = await arrive('reviewer', tenant.tenant_id);
    await desk.page.getByLabel(/^Note/).fill('half a thought');
    await desk.page.reload();
    await desk.page.getByLabel(/^Note/).waitFor();
    expect(await desk.page.getByLabel(/^Note/).inputValue()).toBe('half a thought');
    await desk.press('Pages');
    await desk.press('Your account');
    await desk.heading('Your account');
    const other = await arrive('reviewer', tenant.tenant_id);
    await expect
      .poll(async () => {
        if ((await other.page.getByRole('heading', { name: 'All clear' }).count()) > 0) await other.press('Look again');
        return (await other.page.locator('.review .case-title a').count()) > 0;
      })
      .toBe(true);
    expect(await caseShown(other)).toBe(id);
    await desk.close();
    await other.close();
  });

  it('review: a case that somebody decided meanwhile is said to be gone, and the next one is shown', async () => {
    const tenant = await service.newTenant('Meanwhile');
    const ids = await openCases(service, 2, { tenantId: tenant.tenant_id });
    const desk = await arrive('reviewer', tenant.tenant_id);
    await expect.poll(() => caseShown(desk)).toBe(ids[0]);
    const other = await signedIn(service, { tenantId: tenant.tenant_id, role: 'reviewer' });
    // The claim runs out, and somebody else decides. A page that is still fetching ahead may renew it once more.
    await expect
      .poll(async () => {
        await service.deps.db.query(
          `update verifications set review_claimed_until = now() - interval '1 minute' where id = $1`,
          [ids[0]],
        );
        return (await review(other, ids[0]!, { decision: 'rejected' })).status;
      })
      .toBe(201);
    const refused = desk.page.waitForResponse(
      response => response.status() >= 400 && response.url().includes('/reviews'),
    );
    await key(desk, 'a');
    await key(desk, '1');
    expect((await refused).status()).toBe(409);
    await desk.page.getByText('This case is decided already').waitFor();
    await expect.poll(() => caseShown(desk)).toBe(ids[1]);
    await desk.close(/404|409/);
  });

  it('review: a decision that is undone no longer counts on Home', async () => {
    const tenant = await service.newTenant('Undone');
    const [id] = await openCases(service, 1, { tenantId: tenant.tenant_id });
    const desk = await arrive('reviewer', tenant.tenant_id);
    await expect.poll(() => caseShown(desk)).toBe(id);
    await key(desk, 'a');
    await key(desk, '1');
    await desk.page.getByText('Decided by people today: 1.').waitFor();
    await desk.fine('review-today');
    await key(desk, 'u');
    await expect.poll(() => caseShown(desk)).toBe(id);
    await desk.press('Pages');
    await desk.page.getByRole('link', { name: 'Home', exact: true }).click();
    const decided = desk.page.locator('.figures > div').filter({ hasText: 'Decided by people' }).locator('dd');
    await expect.poll(() => decided.innerText()).toBe('0');
    await desk.close();
  });

  it('review: a number of today that cannot be read hides no other', async () => {
    const tenant = await service.newTenant('Half a day');
    await openCases(service, 2, { tenantId: tenant.tenant_id, label: 'verified', state: 'none' });
    const desk = await signedInDesk(service, 'reviewer', '/account', { tenantId: tenant.tenant_id, livemode: true });
    for (const [broken, shown] of [
      ['statistics', 'Decided by people today: 0.'],
      ['reviews/agreement', 'Today: 2 created, 2 completed.'],
    ] as const) {
      const asked = `**/v1/${broken}?*`;
      await desk.page.route(asked, route => route.fulfill({ status: 500, body: '' }));
      await desk.page.goto(`${service.url}/dashboard/review`);
      await desk.page.getByRole('heading', { name: 'All clear' }).waitFor();
      await desk.page.getByText(shown).waitFor();
      await desk.page.unroute(asked);
    }
    await desk.close(/500/);
  });

  it('review: a viewer finds no such page in the menu, and the service refuses the queue', async () => {
    const tenant = await service.newTenant('Viewer');
    await openCases(service, 1, { tenantId: tenant.tenant_id });
    const desk = await arrive('viewer', tenant.tenant_id);
    await desk.page.getByRole('heading', { name: 'Not open to your role' }).waitFor();
    await desk.fine('review-viewer');
    await desk.press('Pages');
    expect(await desk.page.getByRole('navigation').getByRole('link', { name: 'Review', exact: true }).count()).toBe(0);
    await desk.close(/403|404/);
  });

  it('keys: ? lists them, single keys can be switched off, and the palette finds pages by name', async () => {
    const tenant = await service.newTenant('Keys');
    await openCases(service, 1, { tenantId: tenant.tenant_id });
    const desk = await arrive('reviewer', tenant.tenant_id);
    await desk.page.getByRole('button', { name: /^Approve/ }).waitFor();
    await key(desk, '?');
    await desk.page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await desk.fine('keys');
    await desk.page.getByLabel('Single keys do something').uncheck();
    await desk.press('Done');
    await key(desk, 'a');
    // Keys are handled one after the other: once the palette is open, the one before has done what it does.
    await key(desk, 'Control+k');
    await desk.page.getByRole('dialog', { name: 'Find anything' }).waitFor();
    expect(await desk.page.locator('.reasons').count()).toBe(0);
    await desk.fine('palette');
    await desk.page.keyboard.type('your acc');
    await desk.page.getByRole('menuitem', { name: 'Your account' }).waitFor();
    await key(desk, 'Enter');
    await desk.heading('Your account');
    await desk.close();
  });
});
