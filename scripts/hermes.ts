// Runs the packed @firsthand/react-native in the last Hermes engine that npm has as a program. It knows neither classes nor async functions,
// so a second Babel pass writes them in older words: a smoke test of what engine and library think of each other, and of no device.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

const run = promisify(execFile);

export const HERMES = 'hermes-engine-cli@0.12.0';
const OLDER = [
  'private-methods',
  'private-property-in-object',
  'class-properties',
  'async-generator-functions',
  'async-to-generator',
  'classes',
  'logical-assignment-operators',
  'nullish-coalescing-operator',
  'optional-chaining',
  'optional-catch-binding',
  'object-rest-spread',
  'for-of',
  'block-scoping',
];
const NATIVE: Record<string, string> = {
  'react-native': 'exports.Platform = { OS: "ios" };',
  'expo-camera': '',
  'expo-crypto': '',
  'expo-file-system': '',
  'expo-secure-store': '',
};
/** What React Native gives and the engine has not. */
const GLOBALS = `globalThis.setTimeout = () => 0;
globalThis.clearTimeout = () => {};
globalThis.AbortController = function () {
  this.signal = { aborted: false, addEventListener: () => {}, removeEventListener: () => {} };
  this.abort = () => { this.signal.aborted = true; };
};
`;

/** Runs the app of `hermes-app.js` with the packages installed in a project of Expo. Returns the line that it prints. */
export async function runInHermes(project: string): Promise<string> {
  const require = createRequire(join(project, 'package.json'));
  const build = await rolldown({
    input: join(import.meta.dirname, 'hermes-app.js'),
    platform: 'neutral',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [
      {
        name: 'installed',
        resolveId: id =>
          id in NATIVE ? `\0${id}.cjs` : /^(@firsthand\/|react(\/|$))/.test(id) ? require.resolve(id) : null,
        load: id => (id.startsWith('\0') ? `${NATIVE[id.slice(1, -'.cjs'.length)]}\nexports.none = true;` : null),
      },
    ],
  });
  const { output } = await build.generate({ format: 'iife', name: 'app' });
  await build.close();
  const { transformSync } = require('@babel/core') as {
    transformSync(code: string, options: object): { code: string };
  };
  const plugins = OLDER.map(name => require.resolve(`@babel/plugin-transform-${name}`));
  const { code } = transformSync(output[0].code, { plugins, configFile: false, babelrc: false, sourceType: 'script' });
  const file = join(project, 'hermes-app.js');
  // 0.12 refuses classes of letters, which the engine of React Native knows.
  await writeFile(file, GLOBALS + code.replaceAll('\\p{L}', 'A-Za-z'));
  const engine = join(project, 'hermes/node_modules/hermes-engine-cli/linux64-bin/hermes');
  const { stdout } = await run(engine, ['-O', '-w', '-Xes6-promise', file]);
  return stdout.trim();
}
