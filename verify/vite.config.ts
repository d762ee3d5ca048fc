import { createHash } from 'node:crypto';
import preact from '@preact/preset-vite';
import { defineConfig, type Plugin } from 'vite';

/**
 * Puts script and style into the HTML, and a content security policy that allows exactly these and no request. The page then
 * works from disk, and the policy travels with it.
 */
function oneFile(): Plugin {
  return {
    name: 'one-file',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      const html = Object.values(bundle).find(file => file.fileName === 'index.html');
      if (html?.type !== 'asset') throw new Error('there is no index.html');
      let [script, style] = ['', ''];
      for (const file of Object.values(bundle)) {
        if (file === html) continue;
        if (file.type === 'chunk') script += file.code;
        else if (file.fileName.endsWith('.css')) style += String(file.source);
        else throw new Error(`${file.fileName} cannot be part of the one file`);
        delete bundle[file.fileName];
      }
      // The text of a script element must not hold its own end tag.
      script = script.replaceAll('</script', '<\\/script');
      const policy = [
        "default-src 'none'",
        `script-src '${hashOf(script)}'`,
        `style-src '${hashOf(style)}'`,
        'img-src blob: data:',
        'font-src data:',
        "base-uri 'none'",
        "form-action 'none'",
      ].join('; ');
      html.source = String(html.source)
        .replaceAll(/\s*<script[^>]*><\/script>|\s*<link rel="stylesheet"[^>]*>/g, '')
        .replace(
          '<meta charset="utf-8" />',
          tag => `${tag}\n    <meta http-equiv="Content-Security-Policy" content="${policy}" />`,
        )
        .replace('</head>', () => `<style>${style}</style>\n  </head>`)
        .replace('</body>', () => `<script type="module">${script}</script>\n  </body>`);
    },
  };
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [preact({ devToolsEnabled: false }), oneFile()],
  build: {
    target: ['es2022', 'chrome103', 'safari16.4', 'firefox113'],
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    modulePreload: false,
    rolldownOptions: { output: { codeSplitting: false }, checks: { pluginTimings: false } },
  },
});
