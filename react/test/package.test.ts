import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packPackage } from '../../scripts/pack.ts';
import { TSC } from '../../scripts/typescript.ts';

const require = createRequire(import.meta.url);
const MAX_GZIP_BYTES = 12_000;

/** Of the capture page. */
const LANGUAGES = 10;
const MAX_LANGUAGE_BYTES = 10_000;

const APP = `import { CaptureFlow } from '@firsthand/react';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
console.log(renderToStaticMarkup(createElement(CaptureFlow, { token: 'vfy_1', className: 'photos', words: { loading: 'Moment…' } })));
`;

describe('@firsthand/react as it is published', () => {
  let folder: string;
  let project: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-react-'));
    project = join(folder, 'project');
    await mkdir(join(project, 'node_modules/@types'), { recursive: true });
    await writeFile(join(project, 'package.json'), '{ "private": true, "type": "module" }');
    // As npm lays them out, without its registry.
    for (const name of ['sdk', 'react'] as const) {
      const into = join(project, 'node_modules/@firsthand', name);
      await mkdir(into, { recursive: true });
      execFileSync('tar', ['-xzf', await packPackage(name, folder), '-C', into, '--strip-components', '1']);
    }
    for (const name of ['react', 'react-dom', 'scheduler', '@types/react', '@types/react-dom', 'csstype']) {
      await symlink(dirname(require.resolve(`${name}/package.json`)), join(project, 'node_modules', name));
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it(`adds less than ${MAX_GZIP_BYTES} bytes of its own, compressed, is marked as client code, and passes publint`, async () => {
    const installed = join(project, 'node_modules/@firsthand/react');
    expect(gzipSync(await readFile(join(installed, 'dist/esm/index.js'))).length).toBeLessThan(MAX_GZIP_BYTES);
    // The texts of one language are loaded when they are needed: only those that the component shows.
    const texts = (await readdir(join(installed, 'dist/esm'))).filter(name => name.startsWith('shared-'));
    expect(texts).toHaveLength(LANGUAGES);
    for (const name of texts)
      expect((await stat(join(installed, 'dist/esm', name))).size).toBeLessThan(MAX_LANGUAGE_BYTES);
    // For pages that Next.js renders on the server.
    for (const format of ['esm', 'cjs']) {
      expect(await readFile(join(installed, 'dist', format, 'index.js'), 'utf8')).toMatch(/^"use client";/);
    }
    const { messages } = await publint({ pkgDir: installed, level: 'suggestion', pack: false });
    expect(messages).toEqual([]);
  });

  it('renders on a server, as ECMAScript module and as CommonJS', async () => {
    const commonJs = APP.replace(/import (.*) from (.*);/g, 'const $1 = require($2);');
    for (const [file, text] of [
      ['app.mjs', APP],
      ['app.cjs', commonJs],
    ] as const) {
      await writeFile(join(project, file), text);
      const { stdout, stderr } = spawnSync(process.execPath, [file], { cwd: project, encoding: 'utf8' });
      expect([stderr, stdout]).toEqual([
        '',
        '<div class="photos" data-firsthand="loading"><p role="status">Moment…</p></div>\n',
      ]);
    }
  });

  it('is built by Vite and compiles in a React app', async () => {
    const typed = `import { CaptureFlow, useCapture } from '@firsthand/react';
export const Page = ({ token }: { token: string }) => <CaptureFlow token={token} onDone={view => view.status.length} />;
export const Own = () => <p>{useCapture({ token: 'vfy_1' }).phase}</p>;
`;
    await writeFile(join(project, 'page.tsx'), typed);
    const options =
      '--noEmit --strict --jsx react-jsx --module esnext --moduleResolution bundler --target es2022 --lib es2022,dom,dom.iterable';
    const { stdout } = spawnSync(process.execPath, [TSC, ...options.split(' '), 'page.tsx'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
    const built = await build({
      root: project,
      logLevel: 'silent',
      configFile: false,
      build: {
        write: false,
        lib: { entry: join(project, 'page.tsx'), formats: ['es'] },
        rolldownOptions: { external: /^react/ },
      },
    });
    const [{ output }] = built as unknown as [{ output: { code: string }[] }];
    expect(output[0]!.code).toContain('indexedDB');
  });
});
