import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import { signWebhook } from '@firsthand/sdk/webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECEIVER } from '../../../../dashboard/src/admin/webhooks/receiver.ts';
import { packPackage } from '../../../../scripts/pack.ts';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { until } from '../../support/harness.ts';
import { buildWheel, environment, pythonSetup } from '../../support/python.ts';
import { firstRunOf, freePort, type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { readDocuments } from './blocks.ts';

const run = promisify(execFile);
const documents = await readDocuments();

/** The blocks of a language that each document has, as one program; those that run until they are stopped by themselves. */
const programsIn = (language: string, untilStopped = false) =>
  documents
    .map(({ file, blocks }) => ({
      file,
      text: blocks
        .filter(block => block.language === language && block.notRun === null && block.untilStopped === untilStopped)
        .map(({ text }) => text)
        .join('\n'),
    }))
    .filter(({ text }) => text !== '');

const BODY = JSON.stringify({
  type: 'verification.completed',
  timestamp: '2026-11-21T09:31:12.000Z',
  data: { id: 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z', metadata: { claim: 'C-1042' }, verdict: { label: 'verified' } },
});

describe('programs in the docs', () => {
  let folder: string;
  let service: ServiceProcess;
  let tenant: NewTenant;
  let hooks: WebhookReceiver;
  /** What a document takes for granted: a client, and an event that has arrived. */
  let given: string;
  beforeAll(async () => {
    // As a stranger has it: an empty folder with the published client.
    folder = await mkdtemp(join(tmpdir(), 'fh-programs-'));
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', await packPackage('sdk', folder)], {
      cwd: folder,
    });
    service = startServiceProcess({ dataDir: join(folder, 'data'), port: await freePort() });
    hooks = await receiveWebhooks();
    await service.ready(150_000);
    tenant = await firstRunOf(join(folder, 'data'));
    given = JSON.stringify({ url: service.url, key: tenant.pk_test, body: BODY });
  });
  afterAll(async () => {
    await hooks?.close();
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const written = async (name: string, program: string) => {
    const file = join(folder, name);
    await writeFile(file, program);
    return file;
  };
  const env = () => ({
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    KEY: tenant.pk_test,
    SECRET: tenant.rk_secret,
    WEBHOOK_SECRET: tenant.webhook_secret,
    GIVEN: given,
  });
  const runs = async (command: string, name: string, program: string) => {
    const ours = program
      .replaceAll('http://localhost:8080', () => service.url)
      .replaceAll('http://localhost:3000/hooks', () => hooks.url)
      // An account registers an address once, and the page's program exists in two languages.
      .replaceAll('/account-hooks', () => `/account-hooks/${name}`);
    return (await run(command, [await written(name, ours)], { cwd: folder, env: env() })).stdout;
  };

  /** The program of a page is a receiver: it prints a genuine event, and refuses one that was changed. */
  const receives = async (command: string, name: string, program: string) => {
    const port = await freePort();
    const file = await written(
      name,
      program.replaceAll('3000', () => `${port}`),
    );
    const child = spawn(command, [file], { cwd: folder, env: env() });
    const ended = once(child, 'close');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (output += text));
    const url = `http://127.0.0.1:${port}/hooks`;
    const headers = await signWebhook('evt_1', BODY, tenant.webhook_secret);
    const post = (body: string) => fetch(url, { method: 'POST', headers, body }).catch(() => null);
    try {
      const first = await until(() => post(BODY), 'the receiver');
      expect([first.status, (await post(`${BODY} `))?.status], output).toEqual([204, 400]);
      await expect.poll(() => output).toContain('verification.completed vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z');
      await expect.poll(() => output).toContain('refused: no signature of this webhook was made with a secret given');
    } finally {
      child.kill();
      await ended;
    }
  };

  it.each(programsIn('ts'))('run as $file says, in TypeScript', async ({ text }) => {
    const before = `import { Firsthand as Client } from '@firsthand/sdk';
const given = JSON.parse(process.env.GIVEN!);
const nothing = () => {};
Object.assign(globalThis, {
  firsthand: new Client(given.key, { baseUrl: given.url }), event: JSON.parse(given.body), settleClaim: nothing, askAgain: nothing,
});
`;
    await runs(process.execPath, 'program.mts', before + text);
  });

  it.each(programsIn('ts', true))('run until they are stopped as $file says, in JavaScript', ({ text }) =>
    receives(process.execPath, 'receive.mjs', text),
  );

  describe.skipIf(!pythonSetup)('in Python', () => {
    let python: string;
    beforeAll(async () => {
      const first = pythonSetup!.interpreters[0]!;
      const builder = await environment(pythonSetup!, first, join(folder, 'builder'), ['hatchling']);
      const wheel = await buildWheel(pythonSetup!, builder, join(folder, 'dist'));
      const tools = pythonSetup!.tools ? ['mypy'] : [];
      python = await environment(pythonSetup!, first, join(folder, 'client'), [wheel, ...tools]);
    });

    it.each(programsIn('python'))('run as $file says, in Python', async ({ text }) => {
      const before = `import json as _json, os as _os, firsthand as _package
_given = _json.loads(_os.environ["GIVEN"])
firsthand = _package.Firsthand(_given["key"], base_url=_given["url"])
event = _json.loads(_given["body"])
settle_claim = ask_again = lambda *_: None
`;
      await runs(python, 'program.py', before + text);
    });

    it.skipIf(!pythonSetup?.tools)('pass mypy --strict', async () => {
      const before = `import firsthand as _package
firsthand: _package.Firsthand
event: _package.WebhookEvent
def settle_claim(claim: str, verdict: object) -> None: ...
def ask_again(claim: str) -> None: ...
`;
      const all = [...programsIn('python'), ...programsIn('python', true)];
      const files = await Promise.all(all.map(({ text }, at) => written(`typed_${at}.py`, before + text)));
      expect(all.map(({ file }) => file)).toContain('docs/first-verification.md');
      const checked = run(python, ['-m', 'mypy', '--strict', ...files], { cwd: folder });
      expect(
        await checked.then(
          ({ stdout }) => stdout,
          ({ stdout }) => stdout,
        ),
      ).toMatch(/^Success: /);
    });

    it.each(programsIn('python', true))('run until they are stopped as $file says, in Python', ({ text }) =>
      receives(python, 'receive.py', text),
    );
  });

  it('are there in Python wherever they are in TypeScript', () => {
    const typescript = programsIn('ts').filter(({ text }) => !text.startsWith('type '));
    expect(programsIn('python').map(({ file }) => file)).toEqual(typescript.map(({ file }) => file));
  });

  it('are the same in the dashboard, where it shows a receiver', () => {
    expect(programsIn('ts', true).map(({ text }) => text.trim())).toEqual([RECEIVER.trim()]);
  });

  it('end with the verdict that the guide asks for', async () => {
    const guide = programsIn('ts').find(({ file }) => file === 'docs/first-verification.md')!;
    expect(await runs(process.execPath, 'claim.mjs', guide.text)).toContain("reason_code: 'screen_detected'");
  });
});
