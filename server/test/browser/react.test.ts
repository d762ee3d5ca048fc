import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVerification, untilStatus } from '../support/harness.ts';
import { firstHand } from '../support/pictures.ts';
import { reactProject } from './react-app.ts';
import { ownService, sharedBrowser } from './stage.ts';

const service = await ownService();

/** The address names the verification; `show` changes to another. */
const APP = `import { CaptureFlow } from '@firsthand/react';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

globalThis.done = [];
function App() {
  const [token, setToken] = useState(new URLSearchParams(location.search).get('token'));
  globalThis.show = setToken;
  return <CaptureFlow token={token} baseUrl="${service.url}" className="photos" onDone={({ id }) => globalThis.done.push(id)} />;
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
  async function open(token: string, o: { offline?: boolean } = {}): Promise<Page> {
    const page = await (await sharedBrowser()).newPage();
    page.setDefaultTimeout(20_000);
    if (o.offline) await page.route(`${service.url}/v1/verify/**`, route => route.abort(), { times: 1 });
    await page.goto(`${app.url}?token=${token}`);
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
    await page.getByText('Still missing: The front, Policy').waitFor();
    expect(await send.isDisabled()).toBe(true);

    await page.getByLabel('The front').setInputFiles(photo);
    const picture = page.getByAltText('The front, photo 1');
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Remove' }).click();
    await picture.waitFor({ state: 'detached' });
    await page.getByText('Still missing: The front, Policy').waitFor();

    await page.getByLabel('The front').setInputFiles(photo);
    await page.getByLabel('Policy').fill('A-77');
    await page.getByText('Still missing').waitFor({ state: 'detached' });
    expect(await doneIn(page)).toEqual([]);
    await send.click();
    await page.getByText('Your photos were sent').waitFor();
    expect(await doneIn(page)).toEqual([id]);
    expect((await untilStatus(service, id, ['completed'])).captures_count).toBe(1);
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
