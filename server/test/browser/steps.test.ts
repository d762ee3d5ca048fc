import type { ExamplePicture } from '@firsthand/contract/account/management.ts';
import { describe, expect, it } from 'vitest';
import { ask, createVerification, untilStatus } from '../support/harness.ts';
import { plain, scene } from '../support/pictures.ts';
import { openOnPhone, PHONE, SMALL_PHONE } from './phone.ts';
import { ownService } from './stage.ts';

const STEPS = [
  { key: 'front', description: 'The front of the car, with the number plate', min: 1, max: 1 },
  { key: 'damage', description: 'The damage from close up', min: 1, max: 3 },
  { key: 'odometer', description: 'The odometer', min: 0, max: 1 },
  {
    type: 'text',
    key: 'policy',
    description: 'What is your policy number?',
    validation: { min_length: 4, max_length: 12, format: 'numeric_id' },
  },
  {
    type: 'upload',
    key: 'receipt',
    description: 'The repair receipt',
    min: 1,
    max: 2,
    accept: ['image/jpeg', 'image/png'],
  },
  { type: 'text', key: 'story', description: 'What happened?', required: false },
];

const service = await ownService();
const receipt = await plain({ width: 800, height: 1000, colour: '#e8e4da' });

describe('capture page, steps', () => {
  it('shows each step in the language of the person, and falls back for each text by itself', async () => {
    const { capture_url } = await createVerification(service, {
      steps: [
        { key: 'front', description: 'The front', descriptions: { de: 'Die Front', uk: 'Перед' }, min: 1, max: 1 },
        // Added after the translation.
        { key: 'back', description: 'The back', descriptions: { de: '' }, min: 1, max: 1 },
        { type: 'text', key: 'story', descriptions: { de: 'Was ist passiert?' } },
      ],
    });
    const asked = async (locale: string) => {
      const phone = await openOnPhone(capture_url, { locale });
      await phone.screen('landing');
      const texts = () => phone.page.locator('.asked bdi').allTextContents();
      const found = await texts();
      await phone.page.locator('.language select').selectOption('de');
      await expect.poll(texts).toEqual(['Die Front', 'The back', 'Was ist passiert?']);
      await phone.close();
      return found;
    };
    expect(await asked('de-CH')).toEqual(['Die Front', 'The back', 'Was ist passiert?']);
    expect(await asked('en-US')).toEqual(['The front', 'The back', 'A short answer']);
    // The page does not speak Ukrainian; the request does.
    expect(await asked('uk')).toEqual(['Перед', 'The back', 'A short answer']);
  });

  it('goes from landing to success; every screen is accessible, light and dark, and all input arrives', async () => {
    const verification = await createVerification(service, { steps: STEPS });
    const phone = await openOnPhone(verification.capture_url);
    const { page } = phone;
    await phone.screen('landing');
    await phone.fine('landing');
    await phone.press('Start');
    await page.waitForSelector('.shutter:not([disabled])');
    await phone.fine('camera');
    await phone.shutter();
    await phone.fine('review');
    await phone.press('Look closer');
    await phone.press('Retake');
    await phone.photo();

    await phone.photo();
    await phone.screen('step-more');
    await phone.fine('step-more');
    await phone.press('Add another');
    await phone.photo();
    await phone.screen('step-more');
    await phone.press('Next');
    await phone.screen('camera');
    await phone.press('Skip');

    await phone.screen('text');
    // One line, with the keyboard for numbers.
    expect(await page.locator('#answer').evaluate(field => field.matches('input[inputmode=numeric]'))).toBe(true);
    await page.fill('#answer', '12 34');
    await phone.press('Next');
    expect(await page.textContent('#answer-fault')).toBe('Numbers only, please. No spaces, letters or symbols.');
    await phone.fine('text-refused');
    await page.fill('#answer', '12');
    await phone.press('Next');
    expect(await page.textContent('#answer-fault')).toBe('Please write at least 4 characters.');
    await page.fill('#answer', '٠١٢٣٤');
    await phone.press('Next');

    await phone.screen('upload');
    await page.setInputFiles('input[type=file]', [
      { name: 'receipt.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('<svg/>') },
    ]);
    await page.getByText('You cannot use this file here').waitFor();
    await page.setInputFiles('input[type=file]', [{ name: 'receipt.jpg', mimeType: 'image/jpeg', buffer: receipt }]);
    await page.waitForSelector('.thumb img');
    await phone.fine('upload');
    await phone.press('Next');

    await phone.screen('text');
    await phone.fine('text');
    await phone.press('Skip');
    await phone.screen('summary');
    await phone.fine('summary');

    // Taking one again leaves the others as they are.
    const thumbs = await page.locator('.thumb').count();
    await phone.press('Retake: The front of the car, with the number plate');
    await phone.screen('camera');
    await phone.photo();
    await phone.screen('summary');
    expect(await page.locator('.thumb').count()).toBe(thumbs);

    await phone.send();
    await phone.fine('success');
    expect((await ask(service, `/v1/verify/${verification.id}`)).body).toMatchObject({ captures_count: 4 });

    await page.reload();
    await phone.screen('success');
    const later = await phone.secondTab(verification.capture_url);
    await later.screen('end-completed');
    await later.fine('end-completed');
    await phone.close();

    const done = await untilStatus(service, verification.id, ['completed']);
    expect(done.answers).toMatchObject({ policy: { value: '01234' } });
    expect(Object.keys(done.answers ?? {})).toEqual(['policy']);
    expect(done.captures.map(capture => [capture.step_key, capture.source, capture.surface]).sort()).toEqual([
      ['damage', 'live', 'web'],
      ['damage', 'live', 'web'],
      ['front', 'live', 'web'],
      ['receipt', 'upload', 'web_file'],
    ]);
    expect(done.progress).toMatchObject({ step: 'success' });
  });

  it('sends optional captures before the last required one', async () => {
    const verification = await createVerification(service, {
      steps: [
        { key: 'needed', min: 1, max: 1 },
        { key: 'extra', min: 0, max: 1 },
      ],
    });
    const phone = await openOnPhone(verification.capture_url);
    await phone.press('Start');
    await phone.photo();
    await phone.photo();
    await phone.send();
    await phone.close();
    const done = await untilStatus(service, verification.id, ['completed']);
    const order = done.captures.toSorted(
      (a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id),
    );
    expect(order.map(capture => capture.step_key)).toEqual(['extra', 'needed']);
  });

  it('shows the example of a step as the company’s, larger on a touch, and takes no copy of it for a photo', async () => {
    const secret = { key: service.tenant.rk_secret };
    const image_base64 = (await scene(7, 1200, 800)).toString('base64');
    const added = await ask<ExamplePicture>(service, '/v1/example-pictures', { ...secret, body: { image_base64 } });
    const { sha256: example_picture, url } = added.body;
    await ask(service, '/v1/brands/acme', { ...secret, method: 'PUT', body: { name: 'Acme' } });
    const { capture_url } = await createVerification(service, {
      brand_slug: 'acme',
      steps: [
        { key: 'front', description: 'The front of the car', min: 1, max: 1, example_picture },
        { type: 'upload', key: 'receipt', description: 'The receipt', min: 1, max: 1, example_picture },
      ],
    });
    const phone = await openOnPhone(capture_url, { viewport: SMALL_PHONE });
    const { page } = phone;
    await phone.press('Start');
    await page.waitForSelector('.shutter:not([disabled])');
    await phone.fine('example-camera');
    const open = page.getByRole('button', { name: 'An example of this photo' });
    await open.click();
    const sheet = page.getByRole('dialog', { name: 'Example from Acme' });
    await sheet.getByRole('img', { name: 'An example of this photo' }).waitFor();
    await phone.fine('example-sheet');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await expect.poll(() => open.evaluate(button => button === document.activeElement)).toBe(true);
    await open.click();
    await phone.press('Close');
    await sheet.waitFor({ state: 'detached' });
    await phone.photo();

    await phone.screen('upload');
    await page.getByText('Example from Acme').waitFor();
    await phone.fine('example-upload');
    const choose = (buffer: Buffer) =>
      page.getByLabel('Choose pictures').setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer });
    await choose(Buffer.from(await (await fetch(url)).arrayBuffer()));
    await page.getByText('This is the example picture. Please use a photo of your own.').waitFor();
    await ask(service, `/v1/example-pictures/${example_picture}`, { ...secret, method: 'DELETE' });
    // Not the copy that the browser keeps.
    await (await page.context().newCDPSession(page)).send('Network.clearBrowserCache');
    await page.reload();
    await phone.screen('upload');
    await expect.poll(() => page.getByText('Example from Acme').count()).toBe(0);
    await choose(receipt);
    await phone.press('Next');
    await phone.send();
    await phone.close(/404/);
  });

  it('works with only the keyboard, and the focus follows the screens', async () => {
    const verification = await createVerification(service, {
      steps: [
        { key: 'front', description: 'The front', min: 1, max: 1 },
        { type: 'text', key: 'note', description: 'A note' },
      ],
    });
    const phone = await openOnPhone(verification.capture_url, { isMobile: false, hasTouch: false });
    const { page } = phone;
    const focused = () =>
      page.evaluate(() => document.activeElement?.textContent?.trim() || document.activeElement?.ariaLabel);
    const tabTo = async (words: string) => {
      for (let i = 0; i < 12; i++) {
        if ((await focused()) === words) return page.keyboard.press('Enter');
        await page.keyboard.press('Tab');
      }
      throw new Error(`Tab never reached ${words}`);
    };
    await phone.screen('hand-over');
    await tabTo('Continue on this computer');
    await phone.screen('landing');
    await tabTo('Start');
    await page.waitForSelector('.shutter:not([disabled])');
    expect(await focused()).toBe('The front');
    await tabTo('Take photo');
    await phone.screen('review');
    expect(await focused()).toBe('Is this photo OK?');
    await tabTo('Use photo');
    await phone.screen('text');
    expect(await focused()).toBe('A note');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Hello');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    if ((await page.evaluate(() => document.activeElement?.tagName)) === 'TEXTAREA') await page.keyboard.press('Tab');
    await tabTo('Next');
    await phone.screen('summary');
    expect(await focused()).toBe('Ready to send');
    await tabTo('Send');
    await phone.screen('success');
    expect(await focused()).toBe('All sent. Thank you.');
    await phone.close();
  });

  it.each([
    ['a small phone', 'small', { viewport: SMALL_PHONE }],
    ['a lying phone', 'landscape', { viewport: { width: PHONE.height, height: PHONE.width } }],
    ['right to left', 'arabic', { locale: 'ar-EG' }],
    ['text at 200 %', 'large-text', { viewport: { width: 195, height: 422 }, deviceScaleFactor: 4 }],
  ])('works on %s', async (_, name, options) => {
    const verification = await createVerification(service, { steps: [STEPS[0], STEPS[3]] });
    const phone = await openOnPhone(verification.capture_url, options);
    const { page } = phone;
    await phone.screen('landing');
    expect(await page.getAttribute('html', 'dir')).toBe(name === 'arabic' ? 'rtl' : 'ltr');
    await phone.fine(`${name}-landing`);
    await page.locator('.actions .button').click();
    await page.waitForSelector('.shutter:not([disabled])');
    await phone.fine(`${name}-camera`);
    await phone.shutter();
    await phone.fine(`${name}-review`);
    await page.locator('.review .zoom').click();
    await page.locator('.pair .button').last().click();
    await phone.screen('text');
    await page.fill('#answer', '12345');
    await phone.fine(`${name}-text`);
    await page.locator('.actions .button').first().click();
    await phone.screen('summary');
    await phone.fine(`${name}-summary`);
    await page.locator('.actions .button').click();
    await phone.screen('success');
    await phone.fine(`${name}-success`);
    await phone.close();
  });

  it('uses the language chosen in the switch, and keeps it', async () => {
    const verification = await createVerification(service);
    const phone = await openOnPhone(verification.capture_url, { locale: 'pl-PL' });
    const { page } = phone;
    await page.getByRole('button', { name: 'Zacznij' }).waitFor();
    await page.selectOption('select', 'de');
    await page.getByRole('button', { name: 'Los geht’s' }).waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe('de');
    await page.reload();
    await page.getByRole('button', { name: 'Los geht’s' }).waitFor();
    await phone.close();
  });
});
