import { resolve } from 'node:path';
import preact from '@preact/preset-vite';
import { build, defineConfig, type Plugin } from 'vite';
import { compressed } from '../look/compressed.ts';

const TARGET = ['es2022', 'chrome94', 'safari15.4', 'firefox100'];

/** Adds the script that other sites load: one file whose name never changes, as an expression that leaves no names behind. */
const embedScript: Plugin = {
  name: 'embed-script',
  apply: 'build',
  async generateBundle() {
    const built = await build({
      configFile: false,
      logLevel: 'warn',
      build: {
        write: false,
        target: TARGET,
        lib: {
          entry: resolve(import.meta.dirname, '../sdk/src/element/embed.ts'),
          formats: ['iife'],
          name: 'firsthand',
        },
      },
    });
    const [output] = [built].flat();
    const chunk = output && 'output' in output ? output.output[0] : undefined;
    if (!chunk) throw new Error('the embedding script was not built');
    this.emitFile({ type: 'asset', fileName: 'embed.js', source: chunk.code });
  },
};

export default defineConfig({
  root: import.meta.dirname,
  // The service puts the files below its root (server/src/platform/http/root.ts).
  base: './',
  plugins: [preact({ devToolsEnabled: false }), embedScript, compressed()],
  build: {
    target: TARGET,
    // The content security policy allows no inline and no `data:` scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { pluginTimings: false },
      input: {
        index: resolve(import.meta.dirname, 'index.html'),
        certificate: resolve(import.meta.dirname, 'certificate.html'),
      },
    },
  },
});
