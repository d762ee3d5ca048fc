import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVerification } from '../support/harness.ts';
import { reactProject } from './react-app.ts';
import { ownService, sharedBrowser } from './stage.ts';

const service = await ownService();

/** The address names the verification. */
const APP = `import { CaptureFlow } from '@firsthand/react';
import { createRoot } from 'react-dom/client';

const token = new URLSearchParams(location.search).get('token');
createRoot(document.getElementById('root')).render(<CaptureFlow token={token} baseUrl="${service.url}" className="photos" />);
`;

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

  async function open(request: object): Promise<Page> {
    const { id } = await createVerification(service, request);
    const page = await (await sharedBrowser()).newPage();
    await page.goto(`${app.url}?token=${id}`);
    return page;
  }

  it('shows the steps of the verification', async () => {
    const page = await open({ steps: [{ key: 'front', min: 1, max: 2, description: 'The front of the car' }] });
    await page.getByLabel('The front of the car').waitFor({ timeout: 20_000 });
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
    await page.close();
  });
});
