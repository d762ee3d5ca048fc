import { defineConfig, type Plugin } from 'vite';
import { render } from './src/render.ts';

/** Adds the pages, which name the script and the styles of this build. */
function pages(): Plugin {
  return {
    name: 'pages',
    apply: 'build',
    async generateBundle(_, bundle) {
      const built = Object.values(bundle);
      const script = built.find(file => file.type === 'chunk' && file.isEntry)!.fileName;
      const style = built.find(file => file.fileName.endsWith('.css'))!.fileName;
      for (const file of await render({ script, style })) this.emitFile({ type: 'asset', ...file });
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  // All addresses are relative: the site works below any path.
  base: './',
  plugins: [pages()],
  build: {
    target: ['es2022', 'chrome114', 'safari17', 'firefox125'],
    // A strict content security policy: nothing inline, no data: scripts or styles.
    assetsInlineLimit: 0,
    modulePreload: false,
    // The pages take most of the build's time, as they should.
    rolldownOptions: { input: 'src/client/main.ts', checks: { pluginTimings: false } },
  },
});
