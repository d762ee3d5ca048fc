import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signWebhook } from '@firsthand/sdk/webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewTenant } from '../../src/identity/tenants/create.ts';
import { ask, until } from '../support/harness.ts';
import { buildWheel, environment, pythonSetup } from '../support/python.ts';
import { firstRunOf, freePort, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..', '..', '..');
const TESTS = join(ROOT, 'python', 'tests');
const RECEIVERS = join(ROOT, 'examples', 'webhooks');

const reason = pythonSetup ? '' : ' (skipped: run `npm run python` to download what they need)';
describe.skipIf(!pythonSetup)(`the Python package${reason}`, () => {
  const setup = pythonSetup!;
  let folder: string;
  let service: ServiceProcess;
  let tenant: NewTenant;
  let wheel: string;
  /** The first interpreter's environment: the package, and mypy and the receivers' frameworks where they are to be had. */
  let tooled: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-python-'));
    service = startServiceProcess({ dataDir: join(folder, 'data'), port: await freePort() });
    const builder = await environment(setup, setup.interpreters[0]!, join(folder, 'builder'), ['hatchling']);
    wheel = await buildWheel(setup, builder, join(folder, 'dist'));
    const tools = setup.tools ? ['mypy', 'pytest', 'fastapi', 'uvicorn', 'django', 'flask'] : [];
    tooled = await environment(setup, setup.interpreters[0]!, join(folder, 'tooled'), [wheel, ...tools]);
    await service.ready(150_000);
    tenant = await firstRunOf(join(folder, 'data'));
  });
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a command in a folder from which the source of the package cannot be imported. */
  const said = (python: string, args: string[], env: Record<string, string> = {}) =>
    run(python, args, { cwd: folder, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } }).then(
      ({ stdout }) => stdout,
      (error: { stdout: string; stderr: string }) => error.stdout + error.stderr,
    );

  it.each(setup?.interpreters ?? [])('passes its own tests beside this service on Python $version', async one => {
    const python = await environment(setup, one, join(folder, one.version), [wheel, 'pytest']);
    const output = await said(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', TESTS], {
      PYTHONDONTWRITEBYTECODE: '1',
      FIRSTHAND_URL: service.url,
      FIRSTHAND_TEST_KEY: tenant.pk_test,
      FIRSTHAND_SECRET_KEY: tenant.rk_secret,
      FIRSTHAND_PHOTO: join(ROOT, 'docs', 'images', 'capture.png'),
    });
    expect(output.trim().split('\n').at(-1), output).toMatch(/^\d+ passed in /);
  });

  it('holds what a release needs: types, licence, README, and no dependency but httpx', async () => {
    const listing = await said(tooled, [
      '-c',
      `import zipfile; print(*zipfile.ZipFile("${wheel}").namelist(), sep="\\n")`,
    ]);
    const files = listing.trim().split('\n');
    expect(files).toEqual(
      expect.arrayContaining(['firsthand/py.typed', 'firsthand/types.py', 'firsthand/webhooks.py']),
    );
    expect(files.filter(file => /LICENSE$/.test(file))).toHaveLength(1);
    expect(files.filter(file => !/^firsthand(-[\d.]+\.dist-info)?\//.test(file))).toEqual([]);
    const metadata = await said(tooled, [
      '-c',
      'from importlib.metadata import metadata; print(metadata("firsthand"))',
    ]);
    expect(metadata.match(/^Requires-Dist: .*$/gm)).toEqual([
      expect.stringMatching(/^Requires-Dist: httpx/),
      expect.stringMatching(/^Requires-Dist: typing-extensions.*python_version < ['"]3\.11['"]$/),
    ]);
    expect(metadata).toContain('# firsthand');
    expect((await readdir(join(folder, 'dist'))).some(file => file.endsWith('.tar.gz'))).toBe(true);
  });

  it('has the version of the workspace', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(wheel).toContain(`firsthand-${version}-`);
  });

  it.skipIf(!setup?.tools)('passes mypy --strict, which refuses what a caller gets wrong', async () => {
    expect(await said(tooled, ['-m', 'mypy', '--strict', '-p', 'firsthand'])).toMatch(/^Success/);
    const source = await readFile(join(TESTS, 'typed.py'), 'utf8');
    const marked = source.split('\n').flatMap((line, at) => (line.endsWith('# refused') ? [at + 1] : []));
    expect(marked).toHaveLength(4);
    const output = await said(tooled, ['-m', 'mypy', '--strict', TESTS]);
    const refused = [...output.matchAll(/([\w.]+):(\d+): error/g)].map(([, file, line]) => `${file}:${line}`);
    expect(refused, output).toEqual(marked.map(line => `typed.py:${line}`));
  });

  const receivers: [string, string, (port: string) => string[]][] = [
    ['FastAPI', 'fastapi_receiver.py', port => ['-m', 'uvicorn', 'fastapi_receiver:app', '--port', port]],
    ['Flask', 'flask_receiver.py', port => ['-m', 'flask', '--app', 'flask_receiver', 'run', '--port', port]],
    ['Django', 'django_receiver.py', port => ['django_receiver.py', 'runserver', port, '--noreload']],
  ];
  it.skipIf(!setup?.tools).each(receivers)('gives %s genuine webhooks alone', async (_, file, args) => {
    const place = await mkdtemp(join(folder, 'receiver-'));
    await copyFile(join(RECEIVERS, file), join(place, file));
    const port = String(await freePort());
    const child = spawn(tooled, args(port), {
      cwd: place,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, WEBHOOK_SECRET: tenant.webhook_secret },
    });
    const ended = once(child, 'close');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (output += text));
    const url = `http://127.0.0.1:${port}/hooks`;
    const post = async (headers: Record<string, string>, body: string) =>
      (await fetch(url, { method: 'POST', headers, body })).status;
    try {
      await until(() => fetch(url).catch(() => null), 'the receiver');
      const { body: made } = await ask<{ id: string }>(service, '/v1/verifications', {
        key: tenant.pk_test,
        body: { max_captures: 1, webhook_url: url },
      });
      await until(async () => output.includes(`verification.created ${made.id}`) || null, 'the event of the service');

      const event = JSON.stringify({ type: 'verification.expired', timestamp: '', data: { id: 'vfy_übergroß' } });
      const signed = {
        ...(await signWebhook('evt_1', event, tenant.webhook_secret)),
        'content-type': 'application/json',
      };
      expect(await post(signed, event), output).toBe(204);
      expect(await post(signed, event.replace('expired', 'completed'))).toBe(400);
      expect(await post({ 'content-type': 'application/json' }, event)).toBe(400);
      const forged = { ...signed, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` };
      expect(await post(forged, event)).toBe(400);
      await expect
        .poll(() => output.match(/^verification\.\w+ vfy_\S+$/gm))
        .toEqual([`verification.created ${made.id}`, 'verification.expired vfy_übergroß']);
    } finally {
      child.kill();
      await ended;
    }
  });
});
