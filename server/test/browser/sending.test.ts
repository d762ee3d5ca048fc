import { fault } from '@firsthand/contract/base/fault.ts';
import { describe, expect, it } from 'vitest';
import { ask, createVerification, until, untilStatus } from '../support/harness.ts';
import { openOnPhone, type Phone } from './phone.ts';
import { ownService } from './stage.ts';

const PUTS = '**/blobs/**';
const SUBMISSIONS = /\/captures$/;
const NETWORK = /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to load resource/;

const service = await ownService();

describe('capture page, sending', () => {
  /** A phone at the summary, with every photo of a request for `max_captures` on it. */
  async function ready(max_captures = 1) {
    const verification = await createVerification(service, { max_captures });
    const phone = await openOnPhone(verification.capture_url);
    await phone.press('Start');
    for (let i = 0; i < max_captures; i++) await phone.photo();
    await phone.screen('summary');
    return { id: verification.id, phone };
  }
  const arrived = async (id: string) => (await untilStatus(service, id, ['completed'])).captures.length;
  const heldOnPhone = (phone: Phone) =>
    phone.page.evaluate(
      () =>
        new Promise<number>(resolve => {
          const open = indexedDB.open('firsthand-capture');
          open.onsuccess = () => {
            const count = open.result.transaction('captures').objectStore('captures').count();
            count.onsuccess = () => resolve(count.result);
          };
        }),
    );

  it('offline during an upload: says so, keeps the photos, resumes by itself', async () => {
    const { id, phone } = await ready(2);
    let puts = 0;
    await phone.context.route(PUTS, async route => {
      puts++;
      if (puts !== 2) return route.continue();
      await phone.context.setOffline(true);
      return route.abort('internetdisconnected');
    });
    await phone.press('Send');
    await phone.page.getByRole('heading', { name: 'Waiting for the connection' }).waitFor();
    await phone.fine('sending-waiting');
    expect(await heldOnPhone(phone)).toBe(2);
    await phone.context.setOffline(false);
    await phone.screen('success');
    expect(await heldOnPhone(phone)).toBe(0);
    await phone.close(NETWORK);
    expect(await arrived(id)).toBe(2);
  });

  it('reloaded during an upload: resumes without a touch, and counts nothing twice', async () => {
    const { id, phone } = await ready(2);
    let puts = 0;
    // The second upload hangs for ever, as on a dead line.
    await phone.context.route(PUTS, route => (++puts === 2 ? undefined : route.continue()));
    await phone.press('Send');
    await until(async () => puts === 2, 'the second upload');
    await phone.fine('sending');
    await phone.page.reload();
    await phone.screen('success');
    await phone.close(NETWORK);
    // The first photo's bytes were there already: three uploads for two photos.
    expect(puts).toBe(3);
    expect(await arrived(id)).toBe(2);
  });

  it('lost answer to a submission: repeats it under the same key, and one capture is stored', async () => {
    const { id, phone } = await ready();
    const keys: (string | undefined)[] = [];
    await phone.context.route(SUBMISSIONS, async route => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort('connectionreset');
    });
    await phone.send();
    await phone.close(NETWORK);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    expect(await arrived(id)).toBe(1);
  });

  it('stale upload URL (the phone slept): asks for another', async () => {
    const { id, phone } = await ready();
    let puts = 0;
    await phone.context.route(PUTS, route =>
      ++puts === 1
        ? route.fulfill({ status: 410, json: { error: { code: 'expired', message: 'too late' } } })
        : route.continue(),
    );
    await phone.send();
    await phone.close(NETWORK);
    expect(await arrived(id)).toBe(1);
  });

  it('overloaded service: waits for Retry-After, then continues', async () => {
    const { id, phone } = await ready();
    let refusals = 0;
    await phone.context.route('**/upload-url', route =>
      ++refusals <= 2
        ? route.fulfill({
            status: 503,
            headers: { 'retry-after': '1' },
            json: { error: { code: 'storage_unavailable', message: 'later' } },
          })
        : route.continue(),
    );
    await phone.send();
    await phone.close(NETWORK);
    expect(await arrived(id)).toBe(1);
  });

  it('page closed before sending: finds its photos again, and has reported that the person left', async () => {
    const { id, phone } = await ready(2);
    const url = phone.page.url();
    await phone.page.close();
    const status = () =>
      ask<{ status: string }>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test }).then(
        ({ body }) => body.status,
      );
    await until(async () => (await status()) === 'abandoned', 'abandoned');
    const later = await phone.secondTab(url);
    await later.screen('landing');
    await later.page.getByText('Welcome back. 2 photos are saved on this device.').waitFor();
    await later.fine('landing-resumed');
    await later.press('Continue');
    await later.send();
    await later.close();
    expect(await arrived(id)).toBe(2);
  });

  it('two tabs at once: every photo arrives once, and both say so', async () => {
    const { id, phone } = await ready(2);
    const other = await phone.secondTab(phone.page.url());
    await other.press('Continue');
    await other.screen('summary');
    await Promise.all([phone.press('Send'), other.press('Send')]);
    await Promise.all([phone.screen('success'), other.screen('success')]);
    await phone.close();
    expect(await arrived(id)).toBe(2);
  });

  it('two phones with one link: the second is told that its photo was not needed', async () => {
    const { id, phone } = await ready();
    const second = await openOnPhone(phone.page.url());
    await second.press('Start');
    await second.photo();
    await second.screen('summary');
    await phone.send();
    expect(await phone.page.getByText('was not sent').count()).toBe(0);
    await phone.close();
    await second.press('Send');
    await second.screen('success');
    await second.page.getByText('1 photo was not sent: enough photos had already arrived').waitFor();
    await second.fine('success-unneeded');
    await second.close(/409|Failed to load resource/);
    expect(await arrived(id)).toBe(1);
  });

  it('second tab, looked at again: knows that everything was sent', async () => {
    const { phone } = await ready();
    const other = await phone.secondTab(phone.page.url());
    await other.screen('landing');
    await phone.send();
    await other.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await other.screen('end-completed');
    await phone.close();
  });

  it('Back returns from the review to the camera, and from the camera to the landing, and loses nothing', async () => {
    const { phone } = await ready(1);
    const { page } = phone;
    await page.goBack();
    await phone.screen('step-more');
    await page.goBack();
    await phone.screen('landing');
    await phone.press('Continue');
    await phone.screen('summary');
    await phone.press('Retake: Photo');
    await phone.shutter();
    await page.goBack();
    await phone.screen('camera');
    await page.goBack();
    await phone.screen('summary');
    expect(await page.locator('.thumb').count()).toBe(1);
    await phone.send();
    await page.goBack();
    await phone.screen('success');
    await phone.close();
  });

  it('unreadable picture: is named and can be retaken', async () => {
    const { id, phone } = await ready();
    let refused = false;
    await phone.context.route(SUBMISSIONS, async route => {
      if (refused) return route.continue();
      refused = true;
      return route.fulfill({
        status: 400,
        json: {
          error: {
            code: 'invalid_request',
            message: 'no',
            fields: [fault('image', 'unsupported_type', 'no', { accepted: ['image/jpeg'] })],
          },
        },
      });
    });
    await phone.press('Send');
    await phone.page.getByText('One photo could not be used. You cannot use this file here.').waitFor();
    await phone.fine('summary-refused');
    await phone.press('Add: Photo');
    await phone.photo();
    await phone.send();
    await phone.close(NETWORK);
    expect(await arrived(id)).toBe(1);
  });
});
