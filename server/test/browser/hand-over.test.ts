import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { qrOf } from '@firsthand/look/qr.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { ask, createVerification, submit, until } from '../support/harness.ts';
import { openMailbox } from '../support/mailbox.ts';
import { plain } from '../support/pictures.ts';
import { type Desk, openAtDesk, signedInDesk } from './desk.ts';
import { openOnPhone } from './phone.ts';
import { ownService } from './stage.ts';

const mailbox = await openMailbox();
const service = await ownService({
  env: { SMTP_URL: mailbox.url, MAIL_FROM: 'Firsthand <no-reply@photos.example>' },
});
afterAll(() => mailbox.close());

const read = async (id: string) =>
  (await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.rk_secret })).body;
const screen = ({ page }: Desk, name: string) => page.waitForSelector(`[data-screen="${name}"]`);
/** A computer that opens a capture link. */
async function computer(url: string, o: Parameters<typeof openAtDesk>[0] = {}) {
  const desk = await openAtDesk(o);
  await desk.page.goto(url);
  return desk;
}

describe('the way of a link', () => {
  it('goes from the dashboard by mail to a computer, by its QR code to the phone, and the computer sees it done', async () => {
    const desk = await signedInDesk(service, 'member', '/issue', { heading: 'New verification' });
    await desk.press('Make the link');
    await desk.page.getByText('Say what the person should photograph or answer.').waitFor();
    await desk.fine('issue-empty');
    expect((await service.deps.db.query('select from verifications')).rowCount).toBe(0);
    expect(await desk.page.getByLabel('The link works for').inputValue()).toBe('86400');
    await desk.page.getByLabel('What the person reads').fill('The whole car');
    await desk.page.getByLabel('E-mail address').fill('ada@people.example');
    await desk.press('Make the link');
    await desk.heading('The link is ready');
    await desk.fine('issue-made');
    await desk.page.getByText('Works until').locator('time').waitFor();
    expect(await desk.page.getByLabel('E-mail address').inputValue()).toBe('ada@people.example');
    await desk.page.getByLabel('Language of the message').selectOption('de');
    await desk.page.getByLabel('Remind once').check();
    await desk.page.getByRole('button', { name: 'Send', exact: true }).click();
    await desk.page.getByText('The link is on its way to ada@people.example.').waitFor();
    await desk.close();

    const mail = await until(async () => mailbox.mails.find(({ to }) => to.includes('ada@people.example')), 'the mail');
    expect(mail.parts['text/plain']).toContain('bittet Sie um Fotos');
    const url = /http\S+\/v\/(vfy_\S+)/.exec(mail.parts['text/plain']!)!;
    const id = url[1]!;
    const made = await read(id);
    expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(86_400_000);

    const at = await computer(url[0]);
    await screen(at, 'hand-over');
    const code = at.page.getByRole('img', { name: 'QR code of this link' }).locator('path');
    await expect.poll(() => code.getAttribute('d')).toBe((await qrOf(made.capture_url!)).path);
    await at.page.getByText('Waiting for your phone').waitFor();
    await at.fine('hand-over');
    const phone = await openOnPhone(url[0]);
    await phone.press('Start');
    await phone.photo();
    await phone.send();
    await phone.close();
    await at.page.getByRole('heading', { name: 'All sent. Thank you.' }).waitFor();
    await at.fine('handed-over');
    await at.close();
    expect((await service.deps.db.query('select kind from link_messages')).rows).toEqual([{ kind: 'reminder' }]);
  });

  it('is sent again from the page of its verification, to the address of the request or another', async () => {
    const { id } = await createVerification(service);
    const path = `/verifications/${id}`;
    const desk = await signedInDesk(service, 'member', path, { locale: 'de-DE' });
    await desk.press('Link senden');
    const dialog = desk.page.getByRole('dialog');
    const send = () => dialog.getByRole('button', { name: 'Senden', exact: true }).click();
    await send();
    await dialog.getByText('Die Anfrage hat keine solche Adresse. Geben Sie eine ein.').waitFor();
    await desk.fine('send-de');
    await dialog.getByLabel('E-Mail-Adresse').fill('niemand');
    await send();
    await dialog.getByText('Geben Sie eine E-Mail-Adresse ein').waitFor();
    await dialog.getByLabel('E-Mail-Adresse').fill('bo@people.example');
    await send();
    await desk.page.getByText('Der Link ist unterwegs an bo@people.example.').waitFor();
    const mail = await until(async () => mailbox.mails.find(({ to }) => to.includes('bo@people.example')), 'the mail');
    expect(mail.parts['text/plain']).toContain('bittet Sie um Fotos');
    await desk.close(/400/);
  });

  it('hand-over shows each step as it arrives, and goes on here where somebody wants to', async () => {
    const { id, capture_url } = await createVerification(service, {
      steps: [
        { key: 'front', description: 'The front', min: 1, max: 1 },
        { key: 'back', description: 'The back', min: 1, max: 1 },
      ],
    });
    const at = await computer(capture_url);
    await screen(at, 'hand-over');
    await submit(service, id, await plain({ width: 400, height: 300 }), { step_key: 'front' });
    await at.page.getByText('Arrived: 1 photo').waitFor();
    await at.press('Continue on this computer');
    await screen(at, 'landing');
    await at.press('Start');
    await at.page.getByRole('heading', { name: 'The back' }).waitFor();
    await at.close();
  });

  it('hand-over is for photos on computers: not for files, and a phone does not load it; it speaks the language of the person', async () => {
    const files = await createVerification(service, { steps: [{ type: 'upload', key: 'bill', min: 1, max: 1 }] });
    const at = await computer(files.capture_url);
    await screen(at, 'landing');
    await at.close();
    const photos = await createVerification(service);
    const loaded: string[] = [];
    const phone = await openOnPhone(photos.capture_url);
    phone.page.on('request', request => loaded.push(request.url()));
    await phone.page.reload();
    await phone.screen('landing');
    expect(loaded.filter(url => url.includes('hand-over'))).toEqual([]);
    await phone.close();
    const arabic = await computer(photos.capture_url, { locale: 'ar' });
    await arabic.page.getByRole('heading', { name: 'التقط الصور بهاتفك' }).waitFor();
    await arabic.fine('hand-over-ar');
    await arabic.close();
  });

  it('opening it changes nothing by itself, even where a scanner runs the scripts', async () => {
    const { id, capture_url } = await createVerification(service);
    const before = await read(id);
    for (const open of [computer, openOnPhone]) {
      const scanner = await open(capture_url);
      await scanner.page.waitForSelector('[data-screen]');
      await scanner.page.waitForLoadState('networkidle');
      await scanner.page.goto('about:blank');
      await scanner.context.close();
    }
    expect(await read(id)).toEqual(before);
  });

  it('a computer that waits for the phone abandons nothing when it is closed', async () => {
    const { id, capture_url } = await createVerification(service);
    const at = await computer(capture_url);
    await screen(at, 'hand-over');
    await at.page.mouse.move(50, 50);
    await at.page.mouse.move(80, 80);
    await at.page.goto('about:blank');
    await at.context.close();
    expect((await read(id)).status).toBe('pending');
  });
});
