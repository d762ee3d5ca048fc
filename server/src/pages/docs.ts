import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Deps } from '../platform/deps.ts';
import type { Endpoint } from '../platform/http/endpoint.ts';
import { openapiDocument } from '../platform/http/openapi.ts';
import { rootOf } from '../platform/http/root.ts';
import { type Prepared, prepare, send } from './prepared.ts';
import { registerSite } from './site.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const require = createRequire(import.meta.url);

interface File {
  type: string;
  read(): Promise<Buffer>;
}
const css = 'text/css; charset=utf-8';
const script = 'text/javascript; charset=utf-8';

/** Files that the page loads, by path below /docs/. Nothing comes from another origin. */
const FILES: Readonly<Record<string, File>> = {
  'reference.js': { type: script, read: readReference },
  'nonce.js': { type: script, read: () => readFile(join(import.meta.dirname, 'docs', 'nonce.js')) },
  'docs.js': { type: script, read: () => readFile(join(import.meta.dirname, 'docs', 'docs.js')) },
  'docs.css': { type: css, read: () => readFile(join(import.meta.dirname, 'docs', 'docs.css')) },
  'tokens.css': { type: css, read: readTokens },
  'logo.svg': {
    type: 'image/svg+xml; charset=utf-8',
    read: () => readFile(join(root, 'capture', 'public', 'logo.svg')),
  },
  'inter.woff2': {
    type: 'font/woff2',
    read: () => readFile(require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')),
  },
};

/** Reads the reference's script through its Fastify plugin, on a Fastify instance of its own. */
async function readReference(): Promise<Buffer> {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const holder = Fastify();
  await holder.register(plugin, { routePrefix: '/reference', configuration: { url: '/v1/openapi.json' } });
  const answer = await holder.inject('/reference/js/scalar.js');
  await holder.close();
  // Drops the link to the source map, which the service does not serve.
  return Buffer.from(answer.payload.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
}

/** Reads the design tokens without their fonts, because only the pages' builds resolve font addresses. */
async function readTokens(): Promise<Buffer> {
  const tokens = await readFile(join(root, 'look', 'tokens.css'), 'utf8');
  return Buffer.from(tokens.replace(/@font-face\s*\{[^}]*\}/g, ''));
}

const page = (nonce: string, root: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" content="${nonce}">
<title>Firsthand API</title>
<meta name="description" content="Reference of the Firsthand API: create verifications, read verdicts, receive webhooks.">
<link rel="icon" href="${root}/_capture/favicon.svg">
<link rel="preload" href="${root}/docs/inter.woff2" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${root}/docs/tokens.css">
<link rel="stylesheet" href="${root}/docs/docs.css">
</head>
<body>
<header class="bar"><a href="${root}/docs/" aria-label="Firsthand's guides"><span class="logo" role="img" aria-label="firsthand"></span></a><a href="${root}/docs/">Guides</a><span class="name">API reference</span><a class="file" href="${root}/v1/openapi.json" download="firsthand-openapi.json">openapi.json</a></header>
<noscript><p class="without">This page needs JavaScript. The description of the API is <a href="${root}/v1/openapi.json">openapi.json</a>.</p></noscript>
<main id="reference" data-document="${root}/v1/openapi.json"></main>
<script src="${root}/docs/nonce.js"></script>
<script src="${root}/docs/reference.js"></script>
<script src="${root}/docs/docs.js"></script>
</body>
</html>`;

/** Allows only the page's own origin. Styles that the script adds carry the nonce. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // The reference positions its parts with style attributes. These run nothing and affect no other element.
    "style-src-attr 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Serves the guides at /docs, the API description at /v1/openapi.json, and a page to read it and try it at /docs/api. */
export function registerDocs(
  app: FastifyInstance,
  endpoints: readonly Endpoint[],
  { origins }: Pick<Deps, 'origins'>,
): void {
  // Built on the first request, because it takes a twentieth of a start.
  let document: ReturnType<typeof openapiDocument> | undefined;
  app.get('/v1/openapi.json', async () => {
    document ??= openapiDocument(endpoints);
    const root = rootOf(origins.public);
    // The address of the server is relative to the one of the document.
    return root === '' ? document : { ...document, servers: [{ url: root, description: 'This service' }] };
  });
  const show = async (_request: FastifyRequest, reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64');
    return reply
      .header('content-security-policy', policyOf(nonce))
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page(nonce, rootOf(origins.public)));
  };
  app.get('/docs/api', show);
  for (const [name, { type, read }] of Object.entries(FILES)) {
    // Read on its first request, because most nodes never show the page.
    let file: Promise<Prepared> | undefined;
    app.get(`/docs/${name}`, async (request, reply) => {
      file ??= read().then(prepare);
      return send(request, reply.header('cache-control', 'no-cache').type(type), await file);
    });
  }
  registerSite(app, { origins }, show);
}
