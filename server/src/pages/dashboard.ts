import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Deps } from '../platform/deps.ts';
import { rootOf, withRoot } from '../platform/http/root.ts';
import { distOf, registerAssets, sendUnbuilt } from './assets.ts';

const DIST = distOf('dashboard');
/** A placeholder in the built HTML. React Aria reads the nonce there for the few styles that it adds itself. */
const PLACE = 'nonce="NONCE"';

/** Serves the operator's dashboard: one HTML file for all its addresses, and its assets under /_dashboard/. */
export async function registerDashboard(app: FastifyInstance, deps: Pick<Deps, 'blobs' | 'origins'>): Promise<void> {
  const store = deps.blobs.origin ? ` ${deps.blobs.origin}` : '';
  const show = (reply: FastifyReply) => {
    const nonce = randomBytes(16).toString('base64');
    const file = join(DIST, 'index.html');
    reply
      .header(
        'content-security-policy',
        [
          "default-src 'none'",
          "script-src 'self'",
          `style-src 'self' 'nonce-${nonce}'`,
          "font-src 'self'",
          `img-src 'self' blob: data:${store}`,
          "connect-src 'self'",
          // The preview of the capture page.
          "frame-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
        ].join('; '),
      )
      .header(
        'permissions-policy',
        'camera=(), geolocation=(), microphone=(), publickey-credentials-get=(self), publickey-credentials-create=(self)',
      )
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cross-origin-resource-policy', 'same-origin')
      .header('cache-control', 'no-store')
      .header('x-robots-tag', 'noindex');
    if (!existsSync(file)) {
      return sendUnbuilt(reply);
    }
    const html = withRoot(readFileSync(file, 'utf8'), rootOf(deps.origins.public), '/_dashboard/').replace(
      PLACE,
      () => `nonce="${nonce}"`,
    );
    return reply.type('text/html; charset=utf-8').send(html);
  };
  app.get('/', async (_request, reply) => reply.redirect('dashboard', 302));
  for (const path of ['/dashboard', '/dashboard/*']) {
    app.get(path, async (request, reply) => {
      // The link header preloads who is signed in, so the answer arrives while the script is still downloading.
      const signsIn = /^\/dashboard\/sign(ed)?-in/.test(request.url);
      if (!signsIn) {
        reply.header('link', `<${rootOf(deps.origins.public)}/v1/me>; rel=preload; as=fetch; crossorigin=anonymous`);
      }
      return show(reply);
    });
  }
  await registerAssets(app, DIST, '/_dashboard/');
}
