import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packPackage } from '../../scripts/pack.ts';
import { TSC } from '../../scripts/typescript.ts';

const ROOT = join(import.meta.dirname, '../..');
/** The example has the modules of Expo. */
const EXPO = join(ROOT, 'examples/app');
const MAX_BYTES = 150_000;
/** Declarations that no public one names. */
const INSIDE = new Set(['app-words.d.ts', 'plural.d.ts', 'words.d.ts']);

/** Native modules as an app built without them has them: there by name only. */
const STUBS = {
  'expo-camera': '',
  'expo-crypto': 'exports.randomUUID = () => "id";',
  'expo-file-system': '',
  'expo-secure-store': '',
  'react-native': 'exports.Platform = { OS: "ios" };',
};

const APP = `const { expoPhone, openCapture, ApiError } = require('@firsthand/react-native');
const { appIntegrity } = require('@firsthand/react-native/integrity');
const phone = expoPhone({ integrity: appIntegrity() });
phone.integrity().then(() => console.log('attests'), () => console.log(typeof openCapture, new ApiError(1, 'x', '').name, phone.randomId()));
`;

const TYPED = `import { expoPhone, FirsthandCapture, openCapture, PhotoRefused, useCapture, type Words } from '@firsthand/react-native';
import { appIntegrity } from '@firsthand/react-native/integrity';
export async function take(token: string, uri: string): Promise<string> {
  const capture = await openCapture(expoPhone({ integrity: appIntegrity() }), { token, baseUrl: '' });
  const [step] = (await capture.view()).config.steps;
  if (!step || step.type === 'text') return '';
  const { attestation } = await capture.add(step, uri).catch(error => { throw error instanceof PhotoRefused ? error.fault : error; });
  const { outcome } = await capture.send();
  return attestation + outcome;
}
const phone = expoPhone();
const words: Words = { 'summary.send': 'Go', 'common.photos': { one: '{n} photo' } };
export const Screen = ({ token }: { token: string }) => (
  <FirsthandCapture {...{ phone, token, words }} baseUrl="" onEnd={end => end.outcome === 'cancelled' && end.held} />
);
export const useOwn = (token: string): string => useCapture({ phone, token, baseUrl: '' }).photos[0]?.sha256 ?? '';
`;

describe('@firsthand/react-native as it is published', () => {
  let folder: string;
  let project: string;
  let installed: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-native-'));
    project = join(folder, 'project');
    installed = join(project, 'node_modules/@firsthand/react-native');
    for (const name of ['sdk', 'react-native'] as const) {
      const into = join(project, 'node_modules/@firsthand', name);
      await mkdir(into, { recursive: true });
      execFileSync('tar', ['-xzf', await packPackage(name, folder), '-C', into, '--strip-components', '1']);
    }
    for (const name of ['react', '@types/react', 'csstype']) {
      await mkdir(dirname(join(project, 'node_modules', name)), { recursive: true });
      await symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
    }
    for (const [name, code] of Object.entries(STUBS)) {
      await mkdir(join(project, 'node_modules', name));
      await writeFile(join(project, 'node_modules', name, 'index.js'), code);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is one CommonJS build without import.meta and of at most 150 kB, and passes publint', async () => {
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Record<string, object>;
    expect(manifest.exports).toEqual({
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './integrity': { types: './dist/integrity.d.ts', default: './dist/integrity.js' },
      './app.plugin.js': './app.plugin.js',
      './package.json': './package.json',
    });
    const code = (await readdir(join(installed, 'dist'))).filter(name => name.endsWith('.js'));
    const sizes = await Promise.all(code.map(async name => (await stat(join(installed, 'dist', name))).size));
    expect(code).toEqual(['index.js', 'integrity.js']);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MAX_BYTES);
    // Not every engine of an app has them, and Expo's fetch refuses the last two.
    for (const name of code) {
      expect(await readFile(join(installed, 'dist', name), 'utf8')).not.toMatch(
        /\bnew URL\(|TextDecoder|structuredClone|AbortSignal\.timeout|throwIfAborted|crypto\.subtle|new (FormData|Blob)\(/,
      );
    }
    for (const name of (await readdir(join(installed, 'dist'))).filter(each => each.endsWith('.d.ts'))) {
      const declared = await readFile(join(installed, 'dist', name), 'utf8');
      if (!INSIDE.has(name)) expect(declared, name).not.toMatch(/'@firsthand\/(?!sdk)/);
    }
    expect(Object.keys(manifest.dependencies ?? {})).toEqual(['@firsthand/sdk']);
    expect(manifest.peerDependenciesMeta).toEqual({ '@expo/app-integrity': { optional: true } });
    expect(await readFile(join(installed, 'dist/index.js'), 'utf8')).not.toContain('import.meta');
    const { messages } = await publint({ pkgDir: installed, level: 'suggestion', pack: false });
    expect(messages).toEqual([]);
  });

  it('loads where @expo/app-integrity is missing, and compiles in an app', async () => {
    await writeFile(join(project, 'app.cjs'), APP);
    const { stdout, stderr } = spawnSync(process.execPath, ['app.cjs'], { cwd: project, encoding: 'utf8' });
    expect([stderr, stdout]).toEqual(['', 'function ApiError id\n']);
    await writeFile(join(project, 'app.tsx'), TYPED);
    await cp(join(ROOT, 'react-native/types/modules.d.ts'), join(project, 'modules.d.ts'));
    const options =
      '--noEmit --strict --module esnext --moduleResolution bundler --target es2022 --lib es2022,dom --jsx react-jsx';
    const compiled = spawnSync(process.execPath, [TSC, ...options.split(' '), 'app.tsx', 'modules.d.ts'], {
      cwd: project,
      encoding: 'utf8',
    });
    expect(compiled.stdout).toBe('');
  });

  it('compiles against the modules of Expo', { timeout: 600_000 }, async () => {
    const there = await stat(join(EXPO, 'node_modules')).catch(() => null);
    if (!there && process.env.RUNTIMES !== 'all') {
      return console.log('The modules of Expo are not here: RUNTIMES=all downloads 400 MB from the npm registry');
    }
    if (!there) execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: EXPO });
    const names = [
      'expo-camera',
      'expo-crypto',
      'expo-file-system',
      'expo-secure-store',
      '@expo/app-integrity',
      'react-native',
    ];
    const config = {
      extends: join(ROOT, 'react-native/tsconfig.json'),
      compilerOptions: { paths: Object.fromEntries(names.map(name => [name, [join(EXPO, 'node_modules', name)]])) },
      include: [join(ROOT, 'react-native/src')],
      exclude: [join(ROOT, 'react-native/src/**/*.test.ts')],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', folder], { cwd: ROOT, encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});
