import type { Role } from '@firsthand/contract/people/people.ts';
import { describe, expect, it } from 'vitest';
import { openCases, setSettings } from '../desk/reviews/cases.ts';
import { createVerification, startTestService, submit, untilStatus } from '../support/harness.ts';
import { firstHand, photoOfScreen } from '../support/pictures.ts';
import { carry, type Desk, signedInDesk } from './desk.ts';
import { ownService } from './stage.ts';

/** A service without a stream of changes answers 404, which the browser logs; a session that ended, 401. */
const EXPECTED = /404|401|403/;

const service = await ownService();

await setSettings(service, { review_sample: 0 });
const { id: doubted } = await createVerification(
  service,
  {
    signals_required: ['screen', 'ai', 'depth'],
    metadata: { claim: 'C-why' },
    expected_location: '52.5163,13.3777',
  },
  service.tenant.pk_live,
);
await submit(service, doubted, await photoOfScreen(), {
  motion_frame_base64: (await firstHand(2)).toString('base64'),
  location: { latitude: 52.5163, longitude: 13.3778, accuracy_m: 12 },
});
await untilStatus(service, doubted, ['completed'], service.tenant.pk_live);

describe('why a case is doubted, in the dashboard', () => {
  const arrive = (role: Role, path: string, tenantId = service.tenant.tenant_id, at = service) =>
    signedInDesk(at, role, path, { tenantId, livemode: true });
  const pictureOf = (desk: Desk) =>
    desk.page
      .getByRole('img', { name: /^Photo 1 of 1/ })
      .evaluate(element => (element as HTMLCanvasElement).toDataURL());
  /** The photo once it is drawn in the size that the page gives it. */
  const pictureAtRest = async (desk: Desk): Promise<string> => {
    let picture = '';
    const unchanged = async (): Promise<boolean> => {
      const before = picture;
      picture = await pictureOf(desk);
      return picture === before;
    };
    await expect.poll(unchanged, { interval: 500 }).toBe(true);
    return picture;
  };

  it('why: the panel says the odds, lights the part of the photo that a pointer or the focus is on, zooms to it, and says what was not evaluated', async () => {
    const desk = await arrive('viewer', `/verifications/${doubted}`);
    await desk.heading('C-why');
    const finding = (name: string) =>
      desk.page.getByRole('listitem').filter({ has: desk.page.getByRole('heading', { name }) });
    await finding('Photo of a display')
      .getByText(/None of 3,091 genuine photos scored this high|About 1 in [\d,]+ genuine photos scores/)
      .waitFor();
    await desk.page
      .getByText(
        'Measured on sources it never saw: 19 of 3,091 genuine flagged (at most 1%). 193 of 250 found, at least 71% over the people who took them.',
      )
      .waitFor();
    await finding('AI-generated')
      .getByText('Measured on sources it never saw: 5 of 860 genuine flagged (at most 1.2%). 97 of 455 found.')
      .waitFor();
    await desk.page.getByText(/^Not checked: .*Found elsewhere/).waitFor();
    await desk.page.getByRole('img', { name: /Suspicious from 0\.94771, which 1 in \d+ reaches/ }).waitFor();
    const part = desk.page.getByRole('button', { name: /^Part 1, strength/ });
    await part.scrollIntoViewIfNeeded();
    let before = '';
    await expect
      .poll(async () => {
        const now = await pictureOf(desk);
        const still = now === before;
        before = now;
        return still;
      })
      .toBe(true);
    await part.hover();
    await expect.poll(() => pictureOf(desk)).not.toBe(before);
    await desk.page.getByRole('heading', { level: 1 }).hover();
    await expect.poll(() => pictureOf(desk)).toBe(before);
    await part.focus();
    await expect.poll(() => pictureOf(desk)).not.toBe(before);
    const zoom = desk.page.locator('.viewer-tools button').nth(1);
    const whole = await zoom.textContent();
    await part.press('Enter');
    await expect.poll(() => zoom.textContent()).not.toBe(whole);
    await desk.fine('why');
    await desk.close(EXPECTED);
  });

  it('review: c blinks with the second frame, m hides the place, and h lays a heat map that is clear beside what was found', async () => {
    const desk = await arrive('reviewer', '/review');
    await desk.heading('C-why');
    await desk.page.getByRole('region', { name: 'Place' }).waitFor();
    await desk.page.keyboard.press('m');
    await desk.page.getByRole('region', { name: 'Place' }).waitFor({ state: 'detached' });
    const first = await pictureAtRest(desk);
    await desk.page.keyboard.press('c');
    await desk.page.getByRole('button', { name: 'Stop blinking' }).waitFor();
    await expect.poll(() => pictureOf(desk)).not.toBe(first);
    await desk.page.keyboard.press('c');
    await desk.page.getByRole('button', { name: 'Blink with the second frame' }).waitFor();
    await expect.poll(() => pictureOf(desk)).toBe(first);
    await desk.page.keyboard.press('h');
    await expect.poll(() => pictureOf(desk)).not.toBe(first);
    await desk.fine('review-why');
    await desk.close(EXPECTED);
  });

  it('replay: an owner moves a threshold and sees which case would flip; other roles find no such page, and the service refuses them', async () => {
    const desk = await arrive('owner', '/review/replay');
    await desk.heading('Replay thresholds');
    await desk.page.getByText('Every verdict stays as it is.').waitFor();
    await desk.page.getByRole('slider', { name: /Suspicious from/ }).focus();
    await desk.page.keyboard.press('End');
    await desk.page.getByRole('heading', { name: '1 of 1 cases would flip' }).waitFor();
    await desk.page.getByRole('link', { name: `…${doubted.slice(-6)}` }).waitFor();
    await desk.fine('replay');
    await desk.press('Back to those in force');
    await desk.page.getByText('Every verdict stays as it is.').waitFor();
    await desk.close(EXPECTED);

    const other = await arrive('reviewer', '/review/replay');
    await other.page.getByRole('heading', { name: 'Not open to your role' }).waitFor();
    expect(await other.page.getByRole('link', { name: 'Replay thresholds' }).count()).toBe(0);
    await other.close(EXPECTED);
  });

  it('review: what was typed survives a session that ends meanwhile', async () => {
    const { tenant_id: tenantId } = await service.newTenant('Ends');
    await openCases(service, 1, { tenantId });
    const desk = await arrive('reviewer', '/review', tenantId);
    const note = desk.page.getByRole('textbox', { name: /^Note/ });
    await note.fill('The frame of the monitor shows in the mirror.');
    await service.deps.db.query('update sessions set ended_at = now() where person_id = $1', [desk.who.personId]);
    await note.press('Escape');
    await desk.page.keyboard.press('r');
    await desk.page.keyboard.press('1');
    await desk.page.waitForURL(/sign-in/);
    // The same person signs in again.
    await service.deps.db.query('update sessions set ended_at = null where person_id = $1', [desk.who.personId]);
    await carry(desk, service, desk.who);
    await desk.page.goto(`${service.url}/dashboard/review`);
    await expect.poll(() => note.inputValue()).toBe('The frame of the monitor shows in the mirror.');
    await desk.close(EXPECTED);
  });

  it('review: on a slow network the next case is there at once, while the decision is still on its way', async () => {
    const { tenant_id: tenantId } = await service.newTenant('Slow');
    const cases = await openCases(service, 3, { tenantId });
    const desk = await arrive('reviewer', '/review', tenantId);
    const shown = async () =>
      (await desk.page.locator('.review .case-title a').getAttribute('href'))!.split('/').at(-1)!;
    await desk.page.getByRole('button', { name: 'Next case' }).click();
    await expect.poll(shown).toBe(cases[1]);
    await desk.page.keyboard.press('k');
    let answered = false;
    let go = () => {};
    const held = new Promise<void>(resolve => {
      go = resolve;
    });
    await desk.page.route('**/reviews', async route => {
      await held;
      answered = true;
      await route.continue();
    });
    await desk.page.keyboard.press('a');
    await desk.page.keyboard.press('1');
    await expect.poll(shown).toBe(cases[1]);
    expect(answered).toBe(false);
    go();
    await expect
      .poll(
        async () =>
          (await service.deps.db.query('select 1 from reviews where verification_id = $1', [cases[0]])).rowCount,
      )
      .toBe(1);
    await desk.close(EXPECTED);
  });

  it('review: a case that comes up on another node is shown by a page that waits', async () => {
    const beside = await startTestService({ beside: service, env: { TRUSTED_PROXIES: '127.0.0.1,::1' } });
    try {
      const { tenant_id: tenantId, pk_live } = await service.newTenant('Two nodes');
      const desk = await arrive('reviewer', '/review', tenantId, beside);
      await desk.page.getByRole('heading', { name: 'All clear' }).waitFor();
      const made = await createVerification(
        service,
        { metadata: { claim: 'C-far' }, signals_required: ['screen'] },
        pk_live,
      );
      await submit(service, made.id, await photoOfScreen());
      await untilStatus(service, made.id, ['completed'], pk_live);
      await desk.heading('C-far');
      await desk.close(EXPECTED);
    } finally {
      await beside.stop();
    }
  });
});
