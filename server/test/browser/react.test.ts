import { join } from 'node:path';
import type { ExamplePicture } from '@firsthand/contract/account/management.ts';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, createVerification, untilStatus } from '../support/harness.ts';
import { firstHand } from '../support/pictures.ts';
import { reactProject } from './react-app.ts';
import { ownService, PATIENCE_MS, sharedBrowser } from './stage.ts';

const service = await ownService();

/** The address names the verification; `show` changes to another. */
const APP = `import { CaptureFlow } from '@firsthand/react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import '@firsthand/react/styles.css';

globalThis.done = [];
function App() {
  const [token, setToken] = useState(new URLSearchParams(location.search).get('token'));
  globalThis.show = setToken;
  return <CaptureFlow token={token} baseUrl="${service.url}" className="photos" language={new URLSearchParams(location.search).get('lang') ?? undefined} onDone={({ id }) => globalThis.done.push(id)} />;
}
createRoot(document.getElementById('root')).render(<App />);
`;
interface Around {
  done: string[];
  show: (token: string) => void;
}

const step = (key: string, description: string) => ({ key, description, min: 1, max: 1 });

describe('<CaptureFlow> in an empty Vite project, installed as docs/install.md says', () => {
  let project: Awaited<ReturnType<typeof reactProject>>;
  let app: { url: string; close: () => Promise<void> };
  beforeAll(async () => {
    project = await reactProject();
    app = await project.serve(APP);
  });
  afterAll(async () => {
    await app?.close();
    await project?.remove();
  });

  const newVerification = async (...steps: object[]) => (await createVerification(service, { steps })).id;

  /** Opens the page in a tab of its own. `offline`: the first request to the service fails. */
  async function open(token: string, o: { offline?: boolean; language?: string } = {}): Promise<Page> {
    const page = await (await sharedBrowser()).newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    if (o.offline) await page.route(`${service.url}/v1/verify/**`, route => route.abort(), { times: 1 });
    await page.goto(`${app.url}?token=${token}${o.language ? `&lang=${o.language}` : ''}`);
    return page;
  }
  const doneIn = (page: Page) => page.evaluate(() => (globalThis as unknown as Around).done);

  it('shows photos, takes them back, says what is missing, and is done once everything was sent', async () => {
    const id = await newVerification(step('front', 'The front'), {
      type: 'text',
      key: 'policy',
      description: 'Policy',
    });
    const page = await open(id);
    const send = page.getByRole('button', { name: 'Send' });
    const photo = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: await firstHand(3) };
    await page.getByText('Something is still missing: The front, Policy').waitFor();
    expect(await send.isDisabled()).toBe(true);

    await page.getByLabel('The front').setInputFiles(photo);
    const picture = page.getByAltText('The front, photo 1');
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Remove picture 1' }).click();
    await picture.waitFor({ state: 'detached' });
    await page.getByText('Something is still missing: The front, Policy').waitFor();

    await page.getByLabel('The front').setInputFiles(photo);
    await page.getByLabel('Policy').fill('A-77');
    await page.getByText('Something is still missing').waitFor({ state: 'detached' });
    expect(await doneIn(page)).toEqual([]);
    await send.click();
    await page.getByText('All sent. Thank you.').waitFor();
    expect(await doneIn(page)).toEqual([id]);
    expect((await untilStatus(service, id, ['completed'])).captures_count).toBe(1);
    await page.close();
  });

  it('has the texts of the hosted page in its languages, and its rules before anything is sent', async () => {
    const { id } = await createVerification(service, {
      steps: [
        step('front', 'Die Front'),
        {
          type: 'text',
          key: 'policy',
          description: 'Policy',
          descriptions: { de: 'Vertragsnummer' },
          validation: { format: 'numeric_id', max_length: 12 },
        },
      ],
      context: { kind: 'claim', summary: 'A dent', attributes: { min_long_side: 600 } },
    });
    const page = await open(id, { language: 'de' });
    await page.getByText('Nur Ziffern').waitFor();
    await page.getByLabel('Vertragsnummer').waitFor();
    const choose = async (name: string, buffer: Buffer) =>
      page.getByLabel('Die Front').setInputFiles({ name, mimeType: 'image/jpeg', buffer });
    await choose('note.jpg', Buffer.from('no picture'));
    await page.getByRole('alert').filter({ hasText: 'JPEG' }).waitFor();
    await choose(
      'small.jpg',
      await sharp(await firstHand(3))
        .resize(300)
        .jpeg()
        .toBuffer(),
    );
    await page.getByRole('alert').filter({ hasText: '600' }).waitFor();
    await choose('a.jpg', await firstHand(3));
    await page.getByAltText('Die Front, Foto 1').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    const { FIRSTHAND_SCREENSHOTS: pictures } = process.env;
    if (pictures) await page.screenshot({ path: join(pictures, 'capture-flow.png') });

    await page.getByRole('textbox').fill('A-77');
    await page.getByRole('button', { name: 'Senden' }).click();
    await page.getByRole('alert').filter({ hasText: 'Ziffern' }).waitFor();
    expect(await page.getByRole('textbox').getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('textbox').fill('٧٧');
    await page.getByRole('button', { name: 'Senden' }).click();
    await expect.poll(() => doneIn(page)).toEqual([id]);
    const { answers } = await untilStatus(service, id, ['completed']);
    expect(answers).toMatchObject({ policy: { value: '77' } });
    await page.close();
  });

  it('shows the example of a step with whose it is', async () => {
    const added = await ask<ExamplePicture>(service, '/v1/example-pictures', {
      key: service.tenant.rk_secret,
      body: { image_base64: (await firstHand(4)).toString('base64') },
    });
    const { sha256: example_picture } = added.body;
    const id = await newVerification({ ...step('front', 'The front'), example_picture });
    const page = await open(id, { language: 'de' });
    const picture = page.getByRole('img', { name: 'Ein Beispiel für dieses Foto' });
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1280);
    await page.getByText('Beispiel des Unternehmens, das angefragt hat').waitFor();
    const { FIRSTHAND_SCREENSHOTS: pictures } = process.env;
    if (pictures) await page.screenshot({ path: join(pictures, 'capture-flow-example.png') });
    await page.close();
  });

  it('keeps a photo until the one that replaces it is there', async () => {
    const page = await open(await newVerification(step('front', 'The front')));
    const buffer = await firstHand(3);
    await page.getByLabel('The front').setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer });
    const picture = page.getByAltText('The front, photo 1');
    await expect.poll(() => picture.getAttribute('src')).toMatch(/^blob:/);
    const first = await picture.getAttribute('src');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Retake' }).click(),
    ]);
    expect(await picture.getAttribute('src')).toBe(first);
    await chooser.setFiles({ name: 'b.jpg', mimeType: 'image/jpeg', buffer: await firstHand(4) });
    await expect.poll(() => picture.getAttribute('src')).not.toBe(first);
    expect(await page.getByRole('listitem').count()).toBe(1);
    await page.close();
  });

  it('tries again after a first request that failed, and is not done by that', async () => {
    const page = await open(await newVerification(step('front', 'The front')), { offline: true });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('The front').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await doneIn(page)).toEqual([]);
    await page.close();
  });

  it('starts anew with another token', async () => {
    const page = await open(await newVerification(step('front', 'The front')), { offline: true });
    await page.getByRole('alert').waitFor();
    const other = await newVerification(step('rear', 'The rear'));
    await page.evaluate(token => (globalThis as unknown as Around).show(token), other);
    await page.getByLabel('The rear').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.close();
  });
});
