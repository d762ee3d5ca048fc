import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openCases, review } from '../desk/reviews/cases.ts';
import { signedIn } from '../identity/people/visitor.ts';
import { ask, createVerification, submit, untilStatus } from '../support/harness.ts';
import { firstHand, photoOfScreen } from '../support/pictures.ts';
import { type Desk, signedInDesk } from './desk.ts';
import { ownService } from './stage.ts';

const service = await ownService();

/** Words of an element that stand on more than one line. */
const brokenWords = (element: Locator): Promise<string[]> =>
  element.evaluate(root => {
    const broken: string[] = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const { 0: word, index } of node.textContent!.matchAll(/\p{L}+/gu)) {
        const range = document.createRange();
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word);
      }
    }
    return broken;
  });

const isInside = (element: Locator): Promise<boolean> =>
  element.evaluate(one => {
    const { left, right } = one.getBoundingClientRect();
    return left >= 0 && right <= innerWidth;
  });

describe('a case says the same on every page', () => {
  const outcome = (desk: Desk) => desk.page.locator('.case-title .tag').first();

  it('a cancelled verification is called cancelled in the list and on its page, and its name leaves the test outcome out', async () => {
    const tenant = await service.newTenant('Cancelled');
    const made = await createVerification(
      service,
      { metadata: { test_outcome: 'verified', idempotency_key: 'k-1', claim: 'C-7', branch: 'North' } },
      tenant.pk_test,
    );
    await ask(service, `/v1/verifications/${made.id}/cancel`, { key: tenant.rk_secret, body: {} });
    const desk = await signedInDesk(service, 'owner', '/verifications', { tenantId: tenant.tenant_id });
    const row = desk.page.getByRole('row').filter({ hasText: 'claim C-7' });
    await row.getByText('Cancelled').waitFor();
    expect(await row.locator('.grid-about').innerText()).toBe('claim C-7 · branch North');
    expect(await desk.page.getByText('Expired', { exact: true }).count()).toBe(0);
    await row.getByRole('link').click();
    await desk.heading('claim C-7');
    expect(await outcome(desk).innerText()).toBe('Cancelled');
    await desk.page.getByText('It was cancelled before a photo arrived.').waitFor();
    expect(await desk.page.locator('.timeline').getByText('Expired').count()).toBe(0);
    await desk.fine('case-cancelled');

    await desk.page.goto(`${service.url}/dashboard/audit`);
    const entry = desk.page.getByRole('row').filter({ hasText: 'verification.cancelled' });
    await entry.getByText('claim C-7').waitFor();
    await desk.fine('audit-names');
    await desk.page.goto(`${service.url}/dashboard/compare?a=${made.id}&b=${made.id}`);
    await desk.page.getByRole('heading', { name: 'One of them has no photo' }).waitFor();
    await desk.close();
  });

  it('the score is rounded alike in the list and on the page, and no tick stands beside a finding that proves nothing', async () => {
    const tenant = await service.newTenant('Numbers');
    const made = await createVerification(service, { metadata: { claim: 'C-8' } }, tenant.pk_test);
    await submit(service, made.id, await firstHand());
    await untilStatus(service, made.id, ['completed'], tenant.pk_test);
    await service.deps.db.query(
      `update verifications set verdict = jsonb_set(verdict, '{score}', '0.98765') where id = $1`,
      [made.id],
    );
    const desk = await signedInDesk(service, 'viewer', '/verifications', { tenantId: tenant.tenant_id });
    const row = desk.page.getByRole('row').filter({ hasText: 'claim C-8' });
    await row.getByText('98.7%', { exact: true }).waitFor();
    await row.getByRole('link').click();
    await desk.page.getByText('98.7% sure').waitFor();
    const ai = desk.page.locator('.finding').filter({ hasText: 'Files without marks stay unknown' });
    expect(await ai.getAttribute('class')).not.toContain('verified');
    expect(await desk.page.getByText('Not checked: Fit with the request').count()).toBe(1);
    await desk.page.goto(`${service.url}/dashboard/compare?a=${made.id}&b=${made.id}`);
    await desk.page.getByRole('link', { name: /^First · claim C-8/ }).waitFor();
    await desk.close();
  });

  it('home and statistics count the cases that people decided alike, by the day of the decision', async () => {
    const tenant = await service.newTenant('Yesterday');
    const ids = await openCases(service, 2, { tenantId: tenant.tenant_id });
    // Made the day before yesterday, decided now.
    await service.deps.db.query(
      `update verifications set created_at = now() - interval '50 hours' where id = any($1)`,
      [ids],
    );
    const desk = await signedInDesk(service, 'reviewer', '/review', { tenantId: tenant.tenant_id, livemode: true });
    for (const [key, digit] of [
      ['e', '1'],
      ['a', '1'],
    ] as const) {
      // Keys between two cases decide nothing.
      await desk.page.getByRole('button', { name: /^Approve/ }).waitFor();
      const shown = await desk.page.getByText(/^…\w{6}$/).innerText();
      await desk.page.keyboard.press(key);
      await desk.page.getByRole('group', { name: /why\?$/ }).waitFor();
      await desk.page.keyboard.press(digit);
      await desk.page.getByText(shown).waitFor({ state: 'detached' });
    }
    await desk.page.getByText('You decided 1 case since you opened this page.').waitFor();
    await desk.page.getByText('Decided by people today: 1.').waitFor();
    await desk.page.goto(`${service.url}/dashboard`);
    const decided = desk.page.locator('.figures > div').filter({ hasText: 'Decided by people' }).locator('dd');
    await expect.poll(() => decided.innerText()).toBe('1');
    await desk.page.goto(`${service.url}/dashboard/statistics`);
    const people = desk.page.getByRole('region', { name: 'How people decide' });
    await people.getByText('Decided by people').waitFor();
    expect(
      await people
        .locator('div')
        .filter({ hasText: /^Decided by people/ })
        .locator('dd')
        .innerText(),
    ).toBe('1');
    await desk.close();
  });
});

describe('a case is decided where it is read', () => {
  it('with the keys of the queue, undone, assigned, found under "Assigned to me" and commented; a decision on what changed meanwhile is refused', async () => {
    const tenant = await service.newTenant('Decided here');
    const { tenant_id: tenantId } = tenant;
    const made = await createVerification(service, { metadata: { claim: 'C-10' } }, tenant.pk_test);
    await submit(service, made.id, await photoOfScreen());
    await untilStatus(service, made.id, ['completed'], tenant.pk_test);
    const colleague = await signedIn(service, { tenantId, role: 'member', livemode: false });
    await service.deps.db.query(`update persons set name = 'Grace Colleague' where id = $1`, [colleague.personId]);
    const desk = await signedInDesk(service, 'member', `/verifications/${made.id}`, {
      tenantId,
      heading: 'claim C-10',
    });
    const { page } = desk;
    await page.getByRole('button', { name: /^Approve/ }).waitFor();
    await page.getByRole('img', { name: /^Photo 1 of 1/ }).waitFor();
    await desk.fine('case-decide');

    await page.getByLabel('Assigned to').selectOption({ label: 'Me' });
    await page.getByText('The case was assigned.').waitFor();
    await page.goto(`${service.url}/dashboard/verifications`);
    await desk.press('Assigned to me');
    await page.getByRole('row').filter({ hasText: 'claim C-10' }).getByRole('link').click();
    await desk.heading('claim C-10');

    await page.getByRole('button', { name: /^Approve/ }).waitFor();
    await page.getByLabel('Your comment').fill('Is this the same car?');
    await desk.press('Tell by mail');
    await page.getByRole('menuitemcheckbox', { name: 'Grace Colleague' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('To Grace Colleague').waitFor();
    await desk.fine('case-comment');

    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('r');
    await page.getByRole('group', { name: 'Reject: why?' }).waitFor();
    await page.keyboard.press('1');
    await page.getByText('Saved: Rejected.').waitFor();
    await page.getByRole('heading', { name: 'Decided so far' }).waitFor();
    expect(await page.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await desk.fine('case-decided');
    await page.keyboard.press('u');
    await page.getByText('Taken back. The case is open again.').waitFor();
    await page.getByRole('button', { name: /^Approve/ }).waitFor();

    await service.deps.db.query(
      `update verifications set review_claimed_until = now() - interval '1 minute' where id = $1`,
      [made.id],
    );
    expect((await review(colleague, made.id, { decision: 'escalated' })).status).toBe(201);
    await page.keyboard.press('a');
    await page.keyboard.press('1');
    await page.getByText('Somebody else worked on this case meanwhile').waitFor();
    await page.getByText('Grace Colleague').first().waitFor();
    await desk.close(/409/);
  });

  it('a viewer reads what people decided, and finds no decision', async () => {
    const tenant = await service.newTenant('Read only');
    const [id] = await openCases(service, 1, { tenantId: tenant.tenant_id });
    const desk = await signedInDesk(service, 'viewer', `/verifications/${id}`, {
      tenantId: tenant.tenant_id,
      livemode: true,
      heading: 'Unnamed verification',
    });
    await desk.page.getByRole('heading', { name: 'Comments' }).waitFor();
    expect(await desk.page.getByRole('button', { name: /^Approve|^Comment$/ }).count()).toBe(0);
    await desk.close();
  });
});

describe('links between people', () => {
  it('a link to a test case, old or new, opened in Live says so and switches with one press', async () => {
    const tenant = await service.newTenant('Modes');
    const { id } = await createVerification(service, { metadata: { claim: 'C-9' } }, tenant.pk_test);
    const desk = await signedInDesk(service, 'member', '/verifications', {
      tenantId: tenant.tenant_id,
      livemode: true,
      heading: 'Verifications',
    });
    const mode = () => new URL(desk.page.url()).searchParams.get('mode');
    await expect.poll(mode).toBe('live');
    for (const address of [`/verifications/${id}`, `/verifications/${id}?mode=test`]) {
      await desk.page.goto(`${service.url}/dashboard${address}`);
      await desk.heading('This link leads to test data');
      await desk.fine('other-mode');
      await desk.press('Switch to Test');
      await desk.heading('claim C-9');
      await desk.page.locator('.frame[data-mode="test"]').waitFor();
      await expect.poll(mode).toBe('test');
      await desk.page.locator('.mode', { hasText: 'Live' }).click();
      await desk.page.locator('.frame[data-mode="live"]').waitFor();
      await expect.poll(mode).toBe('live');
    }
    await desk.page.goto(`${service.url}/dashboard/verifications/vfy_${'0'.repeat(26)}`);
    await desk.page.getByRole('heading', { name: 'This could not be loaded' }).waitFor();
    await desk.close(/404/);
  });
});

describe('on a phone 320 pixels wide', () => {
  it.each(['en-GB', 'de-DE'])(
    'buttons keep their words whole, nothing leaves the screen, no key is named: %s',
    async locale => {
      const tenant = await service.newTenant('Narrow');
      await openCases(service, 1, { tenantId: tenant.tenant_id });
      const desk = await signedInDesk(service, 'owner', '/review', {
        tenantId: tenant.tenant_id,
        livemode: true,
        locale,
        viewport: { width: 320, height: 640 },
        hasTouch: true,
        isMobile: true,
      });
      const decisions = desk.page.locator('.decisions');
      await decisions.waitFor();
      expect(await brokenWords(decisions)).toEqual([]);
      await decisions.getByRole('button').nth(1).click();
      await desk.page.locator('.reasons').waitFor();
      expect(await brokenWords(desk.page.locator('.decide'))).toEqual([]);
      expect(await isInside(desk.page.locator('.queue select').first())).toBe(true);
      for (const hint of await desk.page.locator('kbd').all()) expect(await hint.isVisible()).toBe(false);
      await desk.fine(`narrow-review-${locale}`);
      await desk.page.goto(`${service.url}/dashboard/verifications`);
      const dates = desk.page.locator('.days input');
      await dates.first().waitFor();
      for (const date of await dates.all()) {
        await date.fill('2026-11-22');
        expect(await date.evaluate(field => field.scrollWidth <= field.clientWidth && field.clientWidth >= 130)).toBe(
          true,
        );
        expect(await isInside(date)).toBe(true);
      }
      for (const button of await desk.page.locator('main .button:visible').all())
        expect(await brokenWords(button)).toEqual([]);
      await desk.fine(`narrow-list-${locale}`);
      await desk.close();
    },
  );
});
