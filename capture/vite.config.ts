import { resolve } from 'node:path';
import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';
import { compressed } from '../look/compressed.ts';

export default defineConfig({
  root: import.meta.dirname,
  // The service puts the files below its root (server/src/platform/http/root.ts).
  base: './',
  plugins: [preact({ devToolsEnabled: false }), compressed()],
  build: {
    target: ['es2022', 'chrome94', 'safari15.4', 'firefox100'],
    // The content security policy allows no inline and no `data:` scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: {
        index: resolve(import.meta.dirname, 'index.html'),
        certificate: resolve(import.meta.dirname, 'certificate.html'),
      },
    },
  },
});
