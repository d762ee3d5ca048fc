import { join } from 'node:path';
import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed } from '../look/compressed.ts';
import { LANGUAGES } from './src/base/dictionaries.ts';

/** The locales by the names of React Aria: `de-DE`. */
const locales = Object.keys(LANGUAGES).map(tag => {
  const { language, region } = new Intl.Locale(tag).maximize();
  return `${language}-${region}`;
});

export default defineConfig({
  root: import.meta.dirname,
  // The service puts the files below its root (server/src/platform/http/root.ts).
  base: './',
  // React Aria brings its own words in 34 languages; those of the page's languages stay.
  plugins: [{ ...optimizeLocales.vite({ locales }), enforce: 'pre' }, react(), compressed()],
  // Pages read the contract's lists and its types, never its schemas: 12 kB that no page needs.
  resolve: { alias: [{ find: /^typebox$/, replacement: join(import.meta.dirname, 'no-schemas.ts') }] },
  build: {
    target: ['es2022', 'chrome109', 'safari16.4', 'firefox115'],
    // A strict content security policy: nothing inline, no data: scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
  },
});
