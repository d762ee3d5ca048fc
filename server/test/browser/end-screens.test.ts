import type { LinkTemplate } from '@firsthand/contract/account/management.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { describe, expect, it } from 'vitest';
import { review, setSettings } from '../desk/reviews/cases.ts';
import { signedIn } from '../identity/people/visitor.ts';
import { ask, createVerification, submit, untilStatus } from '../support/harness.ts';
import { firstHand } from '../support/pictures.ts';
import { openOnPhone, SMALL_PHONE } from './phone.ts';
import { ownService } from './stage.ts';

const NOBODY = `vfy_${'0'.repeat(26)}`;
const REFUSED = /Failed to load resource/;

let ahead = 0;
const service = await ownService({ now: () => new Date(Date.now() + ahead) });
const picture = await firstHand(3);

describe('capture page, end screens and certificate', () => {
  it('shows an unknown link', async () => {
    const phone = await openOnPhone(`${service.url}/v/${NOBODY}`);
    await phone.screen('end-unknown');
    await phone.fine('end-unknown');
    await phone.close(REFUSED);
  });

  it('shows a revoked template', async () => {
    const key = service.tenant.rk_secret;
    const body = { name: 'Poster', request: {} };
    const { url, id } = (await ask<LinkTemplate>(service, '/v1/link-templates', { key, body })).body;
    await ask(service, `/v1/link-templates/${id}/revoke`, { key, method: 'POST' });
    const phone = await openOnPhone(url);
    await phone.screen('end-revoked');
    await phone.fine('end-revoked');
    await phone.close(REFUSED);
  });

  it('shows a trial as one, without the words of whoever made it', async () => {
    const steps = [{ key: 'photo', description: 'Your claim was refused. Call us.', min: 1, max: 1 }];
    const trial = await ask<Verification>(service, '/v1/trial/verifications', { body: { steps } });
    const phone = await openOnPhone(trial.body.capture_url!);
    await phone.screen('landing');
    await phone.page.getByText('This is a trial. No company asked for these photos').waitFor();
    expect(await phone.page.locator('body').innerText()).not.toContain('refused');
    await phone.fine('trial');
    await phone.press('Start');
    await phone.photo();
    await phone.screen('summary');
    await phone.page.getByText('This is a trial.').waitFor();
    await phone.send();
    await phone.page.getByText('This is a trial.').waitFor();
    await phone.close();
  });

  it('shows a cancelled request', async () => {
    const verification = await createVerification(service);
    await ask(service, `/v1/verifications/${verification.id}/cancel`, {
      method: 'POST',
      key: service.tenant.rk_secret,
    });
    const phone = await openOnPhone(verification.capture_url);
    await phone.screen('end-withdrawn');
    await phone.fine('end-withdrawn');
    await phone.close();
  });

  it('shows a failed analysis', async () => {
    const verification = await createVerification(service, { metadata: { test_outcome: 'failed' } });
    await submit(service, verification.id, picture);
    await untilStatus(service, verification.id, ['failed']);
    const phone = await openOnPhone(verification.capture_url);
    await phone.screen('end-failed');
    await phone.fine('end-failed');
    await phone.close();
  });

  it('shows that it closed while open, when looked at again and when sending', async () => {
    try {
      const [looked, sent] = [await createVerification(service), await createVerification(service)];
      const looking = await openOnPhone(looked.capture_url);
      await looking.screen('landing');
      const sending = await openOnPhone(sent.capture_url);
      await sending.press('Start');
      await sending.photo();
      await sending.screen('summary');
      ahead = 2 * 3_600_000;
      await looking.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      // Closed before the phone's own clock says so: it cannot tell from a withdrawal, and need not.
      await looking.page.waitForSelector('[data-screen^="end-"]');
      await sending.press('Send');
      await sending.page.waitForSelector('[data-screen^="end-"]');
      await looking.close();
      await sending.close(REFUSED);
    } finally {
      ahead = 0;
    }
  });

  it('shows a request that expired before it was opened', async () => {
    // Created an hour and a half ago, for an hour.
    ahead = -5_400_000;
    const verification = await createVerification(service);
    ahead = 0;
    const phone = await openOnPhone(verification.capture_url);
    await phone.screen('end-expired');
    await phone.fine('end-expired');
    await phone.close();
  });

  it('offers to try again when there is no connection, then continues', async () => {
    const verification = await createVerification(service);
    const phone = await openOnPhone('about:blank');
    await phone.context.route('**/v1/verify/**', route => route.abort('internetdisconnected'));
    await phone.page.goto(verification.capture_url);
    await phone.screen('unreachable');
    await phone.fine('unreachable');
    await phone.context.unrouteAll();
    await phone.press('Try again');
    await phone.screen('landing');
    await phone.close(/ERR_INTERNET_DISCONNECTED/);
  });

  it.each([
    ['verified', 'TEST: Verified'],
    ['suspicious', 'TEST: Needs a closer look'],
    ['screen_detected', 'TEST: Did not pass'],
  ])('a certificate of a test that says %s has TEST across it', async (outcome, words) => {
    const verification = await createVerification(service, {
      metadata: { test_outcome: outcome },
      steps: [
        { key: 'front', min: 1, max: 1 },
        { type: 'text', key: 'secret', description: 'Secret' },
      ],
    });
    await submit(service, verification.id, picture);
    await ask(service, `/v1/verifications/${verification.id}/answers`, {
      body: { answers: { secret: 'Rumpelstilzchen' } },
    });
    const done = await untilStatus(service, verification.id, ['completed']);
    const phone = await openOnPhone(`${service.url}/c/${verification.id}`);
    await phone.screen('certificate');
    await phone.page.getByRole('heading', { name: words, exact: true }).waitFor();
    await phone.fine(`certificate-${outcome}`);
    const text = (await phone.page.textContent('body')) ?? '';
    expect(text).toContain(verification.id);
    expect(text).toContain(done.record_seal!.hash);
    expect(text).not.toContain('Rumpelstilzchen');
    expect(await phone.page.locator('img').count()).toBe(0);
    expect(await phone.page.getAttribute('meta[name=robots]', 'content')).toBe('noindex');
    const preview = await ask(
      service,
      new URL((await phone.page.getAttribute('meta[property="og:image"]', 'content'))!, service.url).href,
    );
    expect([preview.status, preview.headers.get('content-type')]).toEqual([200, 'image/png']);
    if (outcome === 'verified') {
      await phone.page.emulateMedia({ media: 'print' });
      expect(await phone.page.locator('.actions').isVisible()).toBe(false);
      expect(await phone.page.locator('.test-mark').isVisible()).toBe(true);
    }
    await phone.close();
  });

  it('a claimant is told that a person looks, with no way to a certificate, until the person has decided', async () => {
    const tenant = await service.newTenant('Doubted');
    const verification = await createVerification(
      service,
      { metadata: { test_outcome: 'screen_detected' } },
      tenant.pk_test,
    );
    const phone = await openOnPhone(verification.capture_url);
    await phone.screen('landing');
    await phone.press('Start');
    await phone.photo();
    await phone.screen('summary');
    await phone.send();
    await phone.page.getByRole('heading', { name: 'A person looks at your photos' }).waitFor();
    expect(await phone.page.getByRole('link', { name: 'See the certificate' }).count()).toBe(0);
    await phone.fine('success-reviewing');
    await phone.page.goto('about:blank');
    await phone.page.goto(verification.capture_url);
    await phone.screen('end-reviewing');
    expect(await phone.page.getByRole('link', { name: 'See the certificate' }).count()).toBe(0);
    await phone.fine('end-reviewing');

    const certificate = `${service.url}/c/${verification.id}`;
    await phone.page.goto(certificate);
    await phone.page.getByRole('heading', { name: 'TEST: Did not pass' }).waitFor();
    await phone.page.getByText('A person looks at the photos').waitFor();
    await setSettings(service, { public_verdict: 'decided' }, tenant.rk_secret);
    await phone.page.reload();
    await phone.page.getByRole('heading', { name: 'TEST: A person looks at the photos' }).waitFor();
    expect(await phone.page.locator('body').innerText()).not.toContain('Did not pass');
    await phone.fine('certificate-reviewing');

    const reviewer = await signedIn(service, { tenantId: tenant.tenant_id, role: 'reviewer', livemode: false });
    expect((await review(reviewer, verification.id, { decision: 'approved' })).status).toBe(201);
    await phone.page.reload();
    await phone.page.getByRole('heading', { name: 'TEST: Approved by a person' }).waitFor();
    await phone.fine('certificate-approved');
    await phone.page.goto(verification.capture_url);
    await phone.screen('end-completed');
    await phone.press('See the certificate');
    await phone.page.getByRole('heading', { name: 'TEST: Approved by a person' }).waitFor();
    await phone.close();
  });

  it.each(['de', 'ar', 'hi'])(
    'says that a person looks at the photos in the language of the phone: %s',
    async locale => {
      const tenant = await service.newTenant('Languages');
      const { id } = await createVerification(service, { metadata: { test_outcome: 'suspicious' } }, tenant.pk_test);
      await submit(service, id, picture);
      await untilStatus(service, id, ['completed'], tenant.pk_test);
      const phone = await openOnPhone(`${service.url}/v/${id}`, { locale, viewport: SMALL_PHONE });
      await phone.screen('end-reviewing');
      await phone.fine(`end-reviewing-${locale}`);
      await phone.close();
    },
  );

  it('shows no certificate for an unfinished and for an unknown verification', async () => {
    const verification = await createVerification(service);
    const phone = await openOnPhone(`${service.url}/c/${verification.id}`);
    await phone.page.getByRole('heading', { name: 'TEST: Not finished' }).waitFor();
    await phone.fine('certificate-pending');
    await phone.page.goto(`${service.url}/c/${NOBODY}`);
    await phone.screen('certificate-unknown');
    await phone.fine('certificate-unknown');
    await phone.close(REFUSED);
  });
});
