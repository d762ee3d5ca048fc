import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signWebhook } from '@firsthand/sdk/webhooks.ts';
import { afterAll, describe, expect, it } from 'vitest';
import { packPackage } from '../../scripts/pack.ts';
import { freePort } from '../../server/test/support/service-process.ts';

const SECRET = `whsec_${Buffer.from('an example of a webhook secret!!').toString('base64')}`;
const EVENT = JSON.stringify({
  type: 'verification.completed',
  timestamp: '2026-11-21T09:31:12.000Z',
  data: { id: 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z' },
});

const NEXT = 'node_modules/next/dist/bin/next';

const LAYOUT = `export default function Layout({ children }: { children: React.ReactNode }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  );
}
`;
// A server component: the packages say themselves what belongs into the browser.
const PAGE = `import { CaptureFlow, FirsthandCapture } from '@firsthand/react';

export default function Page() {
  return (
    <main>
      <CaptureFlow token="vfy_1" className="photos" />
      <FirsthandCapture token="vfy_1" baseUrl="https://photos.example" />
    </main>
  );
}
`;
const ROUTE = `import { createPostHandler } from '../../next-route';

export const POST = createPostHandler(process.env.WEBHOOK_SECRET!, (...event) => console.log('event', ...event));
`;

// Next.js and its compiler are 300 MB: the test installs them only where the packages of the npm registry were asked for.
describe.skipIf(process.env.RUNTIMES !== 'all')('a Next.js application', () => {
  let folder = '';
  let running: ChildProcess | undefined;
  afterAll(async () => {
    running?.kill();
    await rm(folder, { recursive: true, force: true });
  });

  it('builds with both packages, renders the capture flow, and takes genuine webhooks only', async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-next-'));
    const project = join(folder, 'project');
    await mkdir(join(project, 'app/hooks'), { recursive: true });
    const tarballs = [await packPackage('sdk', folder), await packPackage('react', folder)];
    const handler = await readFile(join(import.meta.dirname, '../../examples/webhooks/next-route.ts'), 'utf8');
    for (const [file, text] of Object.entries({
      'package.json': '{ "private": true }',
      'app/layout.tsx': LAYOUT,
      'app/page.tsx': PAGE,
      'app/hooks/route.ts': ROUTE,
      'next-route.ts': handler,
    })) {
      await writeFile(join(project, file), text);
    }
    const env = {
      ...process.env,
      NEXT_TELEMETRY_DISABLED: '1',
      WEBHOOK_SECRET: SECRET,
      NODE_ENV: 'production' as const,
    };
    const run = (command: string, ...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(command, args, { cwd: project, env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`);
    };
    const types = ['typescript@5.9', '@types/react@19', '@types/node@24'];
    run('npm', 'install', '--no-audit', '--no-fund', 'next@16', 'react@19', 'react-dom@19', ...types, ...tarballs);
    run(process.execPath, NEXT, 'build');

    const port = await freePort();
    running = spawn(process.execPath, [NEXT, 'start', '-p', `${port}`], { cwd: project, env });
    let said = '';
    for (const stream of [running.stdout!, running.stderr!]) stream.on('data', text => (said += text));
    const url = `http://localhost:${port}`;
    await expect
      .poll(() =>
        fetch(url).then(
          ({ status }) => status,
          () => said,
        ),
      )
      .toBe(200);
    expect(await (await fetch(url)).text()).toContain('<div class="photos" data-firsthand="loading">');

    const post = async (body: string, secret = SECRET) => {
      const headers = await signWebhook('evt_1', EVENT, secret);
      return (await fetch(`${url}/hooks`, { method: 'POST', headers, body })).status;
    };
    expect(await post(EVENT)).toBe(204);
    expect(await post(EVENT.replace('completed', 'expired'))).toBe(400);
    expect(await post(EVENT, `whsec_${Buffer.alloc(32).toString('base64')}`)).toBe(400);
    expect(said.match(/^event .*/gm)).toEqual(['event verification.completed vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z']);
  });
});
