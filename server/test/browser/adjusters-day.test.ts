import type { BrowserContextOptions } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { setSettings } from '../desk/reviews/cases.ts';
import { signedIn } from '../identity/people/visitor.ts';
import { createVerification, submit, until, untilStatus } from '../support/harness.ts';
import { openMailbox } from '../support/mailbox.ts';
import { photoOfScreen } from '../support/pictures.ts';
import { carry, type Desk, openAtDesk } from './desk.ts';
import { openOnPhone, PHONE } from './phone.ts';
import { launcher, ownService } from './stage.ts';

const mailbox = await openMailbox();
const service = await ownService({
  env: { SMTP_URL: mailbox.url, MAIL_FROM: 'Firsthand <no-reply@photos.example>' },
});
afterAll(() => mailbox.close());
const launch = launcher();
/** Ten stations, each looked at in five ways. */
const A_DAY_MS = 400_000;

/** A member with a name. */
async function member(name: string, o: { tenantId: string; email: string; livemode?: boolean }) {
  const who = await signedIn(service, { livemode: true, ...o, role: 'member' });
  await service.deps.db.query('update persons set name = $2 where id = $1', [who.personId, name]);
  return who;
}

/** A browser of a person that counts what they press. */
async function deskOf(who: { cookie: string }, path: string, o: BrowserContextOptions = {}) {
  const desk = await openAtDesk(o);
  await carry(desk, service, who);
  const pressed = { clicks: 0, keys: 0, letters: 0 };
  await desk.context.exposeFunction('pressed', (kind: keyof typeof pressed) => {
    pressed[kind] += 1;
  });
  await desk.context.addInitScript(() => {
    const { pressed: count } = window as unknown as { pressed: (kind: string) => void };
    addEventListener('pointerdown', () => count('clicks'), true);
    addEventListener(
      'keydown',
      ({ key, target }) => {
        const isTyping = key.length === 1 && (target as Element).matches('input, textarea');
        count(isTyping ? 'letters' : 'keys');
      },
      true,
    );
  });
  await desk.page.goto(path.startsWith('http') ? path : `${service.url}/dashboard${path}`);
  return Object.assign(desk, { pressed });
}

const mailTo = (to: string) => until(async () => mailbox.mails.find(mail => mail.to.includes(to)), `the mail to ${to}`);
const linkIn = (text: string, pattern: RegExp): string => pattern.exec(text)![0];
const row = ({ page }: Desk) => page.getByRole('row').filter({ hasText: 'The dented door' });

/** Presses Tab until the focus stands on what is called so. */
async function tabTo({ page }: Desk, name: RegExp) {
  for (let n = 0; n < 80; n += 1) {
    const focused = await page.evaluate(() => document.activeElement?.textContent ?? '');
    if (name.test(focused)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab leads to nothing called ${name}`);
}

/** Makes the verification and mails its link. */
async function sendLink(desk: Desk): Promise<string> {
  const { page } = desk;
  await desk.heading('New verification');
  await page.getByLabel('What the person reads').click();
  await page.keyboard.type('The dented door');
  await page.getByLabel('E-mail address').click();
  await page.keyboard.type('ada@people.example');
  await desk.press('Make the link');
  await desk.heading('The link is ready');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('The link is on its way to ada@people.example.').waitFor();
  const mail = await mailTo('ada@people.example');
  return linkIn(mail.parts['text/plain']!, /http\S+\/v\/vfy_\w+/);
}

/** Takes a photo of a screen, so that a person has to look at it. */
async function capture(url: string, key: string) {
  const phone = await openOnPhone(url, { on: await launch(await photoOfScreen(3)) });
  await phone.press('Start');
  await phone.photo();
  await phone.send();
  await untilStatus(service, url.split('/').at(-1)!, ['completed'], key);
  // The person comes back to the page.
  await phone.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await phone.page.getByText('A person looks at your photos').waitFor();
  await phone.fine('day-sent');
  await phone.page.reload();
  await phone.page.getByRole('heading', { name: 'A person looks at your photos' }).waitFor();
  await phone.fine('day-reviewing');
  return phone;
}

/** Finds the case on Home, gives it to Bo and tells him so. */
async function assign(desk: Desk) {
  const { page } = desk;
  await page.goto(`${service.url}/dashboard`);
  await page.getByText('Cases to review: 1').waitFor();
  await desk.fine('day-home');
  await desk.press('Review the cases');
  await desk.heading('The dented door');
  await page.locator('.review .case-title a').click();
  await page.getByLabel('Assigned to').selectOption({ label: 'Bo Adjuster' });
  await page.getByText('The case was assigned.').waitFor();
  await page.getByLabel('Your comment').click();
  await page.keyboard.type('You know this garage. Is it a screen?');
  await desk.press('Tell by mail');
  await page.getByRole('menuitemcheckbox', { name: 'Bo Adjuster' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByText('To Bo Adjuster').waitFor();
  await desk.fine('day-assigned');
}

/** Finds the case under what is assigned to him and rejects it, with keys only. */
async function decideByKeys(desk: Desk) {
  const { page } = desk;
  await desk.heading('This link leads to live data');
  await desk.fine('day-other-mode');
  await tabTo(desk, /^Switch to Live$/);
  await page.keyboard.press('Enter');
  await desk.heading('The dented door');
  await page.getByText('You know this garage.').waitFor();
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  await desk.fine('day-opened');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Find anything' }).waitFor();
  await page.keyboard.type('home');
  await page.keyboard.press('Enter');
  await page.getByText('Assigned to you: 1').waitFor();
  await desk.fine('day-mine-home');
  await tabTo(desk, /^See your cases$/);
  await page.keyboard.press('Enter');
  await row(desk).waitFor();
  expect(await page.locator('.view[aria-current]').innerText()).toBe('Assigned to me');
  await desk.fine('day-mine');
  await page.keyboard.press('j');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^The dented door/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^Approve/ }).waitFor();
  await page.keyboard.press('r');
  await page.getByRole('group', { name: 'Reject: why?' }).waitFor();
  await page.keyboard.press('1');
  await page.getByText('Saved: Rejected.').waitFor();
  await page.getByRole('heading', { name: 'Decided so far' }).waitFor();
  await desk.fine('day-decided');
}

/** Home says this, in another tab. */
async function sees({ context }: Desk, text: string) {
  const tab = await context.newPage();
  await tab.goto(`${service.url}/dashboard`);
  await tab.getByText(text).waitFor();
  await tab.close();
}

/** The list, the case and the statistics say the same of the decision. */
async function seeItDecided(desk: Desk) {
  const { page } = desk;
  await page.getByText('Bo Adjuster').first().waitFor();
  await page.getByRole('heading', { name: 'Decided so far' }).waitFor();
  expect(await page.locator('.case-title .tag').first().innerText()).toBe('Failed');
  await page.getByText('Decided: Rejected').waitFor();
  await page.getByText('Bo Adjuster: Rejected · Photo of a display').waitFor();
  await page.goto(`${service.url}/dashboard/verifications`);
  await expect.poll(() => row(desk).locator('.cell-review').innerText()).toBe('Rejected');
  expect(await row(desk).locator('.cell-outcome').innerText()).toBe('Failed');
  await desk.fine('day-list');
  await page.goto(`${service.url}/dashboard/statistics`);
  const fact = (name: string) =>
    page
      .locator('.statistics div:has(> dt)')
      .filter({ hasText: new RegExp(`^${name}`) })
      .locator('dd')
      .innerText();
  await expect.poll(() => fact('Decided by people')).toBe('1');
  expect([await fact('Created'), await fact('Completed')]).toEqual(['1', '100%']);
  await desk.fine('day-statistics');
}

describe("an adjuster's day", () => {
  it(
    'goes from a mailed link by a photo of a screen, a colleague and his keys to a decision that every page tells alike',
    async () => {
      const { tenant_id: tenantId, rk_secret, pk_live } = await service.newTenant('Umbrella');
      await setSettings(service, { public_verdict: 'decided' }, rk_secret);
      const ann = await member('Ann Adjuster', { tenantId, email: 'ann@people.example' });
      const bo = await member('Bo Adjuster', { tenantId, email: 'bo@people.example', livemode: false });

      const a = await deskOf(ann, '/issue');
      const url = await sendLink(a);
      const id = url.split('/').at(-1)!;
      const phone = await capture(url, pk_live);
      const certificate = await a.context.newPage();
      await certificate.goto(`${service.url}/c/${id}`);
      await certificate.getByText('There is no result yet.').waitFor();
      await assign(a);

      await sees(a, 'Nothing waits for you.');
      const mail = await mailTo('bo@people.example');
      const link = linkIn(mail.parts['text/plain']!, /http\S+\/dashboard\/\S+/);
      expect(new URL(link).searchParams.get('mode')).toBe('live');
      const b = await deskOf(bo, link);
      await decideByKeys(b);
      expect(b.pressed.clicks).toBe(0);
      await seeItDecided(a);
      await sees(b, 'Nothing waits for you.');

      await phone.page.reload();
      await phone.press('See the certificate');
      await phone.page.getByRole('heading', { name: 'Did not pass' }).waitFor();
      await phone.fine('day-certificate');
      console.log('from link to decision', { sends: a.pressed, decides: b.pressed });
      for (const one of [a, b, phone]) await one.close();
    },
    A_DAY_MS,
  );

  it('is done on a phone too: the case is found on Home and approved by touch, in German', async () => {
    const tenant = await service.newTenant('Umbrella mobil');
    const steps = [{ key: 'front', description: 'Die verbeulte Tür', min: 1, max: 1 }];
    const { id, capture_url } = await createVerification(service, { steps }, tenant.pk_live);
    await submit(service, id, await photoOfScreen(3), { step_key: 'front' });
    await untilStatus(service, id, ['completed'], tenant.pk_live);
    const cara = await member('Cara Gutachterin', { tenantId: tenant.tenant_id, email: 'cara@people.example' });
    const desk = await deskOf(cara, '', { locale: 'de-DE', viewport: PHONE, hasTouch: true, isMobile: true });
    const { page } = desk;
    await page.getByText('Fälle zum Durchsehen: 1').waitFor();
    await desk.fine('day-phone-home');
    await desk.press('Fälle durchsehen');
    await desk.heading('Die verbeulte Tür');
    await page.getByRole('button', { name: 'Freigeben' }).waitFor();
    await desk.fine('day-phone-review');
    await page.getByRole('button', { name: 'Freigeben' }).tap();
    await page.getByRole('button', { name: 'Sieht nur aus wie ein Display' }).tap();
    await page.getByText('Sie haben auf dieser Seite 1 Fall entschieden').waitFor();
    await desk.fine('day-phone-clear');
    await page.goto(`${service.url}/dashboard/verifications`);
    await page.getByRole('row').filter({ hasText: 'Die verbeulte Tür' }).getByText('Freigegeben').waitFor();
    await desk.fine('day-phone-list');
    await page.getByRole('link', { name: /^Die verbeulte Tür/ }).tap();
    await page.getByText('Entschieden: Freigegeben').waitFor();
    await page.getByText('Freigegeben · ').waitFor();
    await desk.fine('day-phone-case');
    console.log('on the phone', desk.pressed);
    await desk.close();

    const phone = await openOnPhone(capture_url, { locale: 'de-DE' });
    await phone.press('Zertifikat ansehen');
    await phone.page.getByRole('heading', { name: 'Von einem Menschen freigegeben' }).waitFor();
    await phone.fine('day-phone-certificate');
    await phone.close();
  });
});
