import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isId } from '@firsthand/contract/base/ids.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { one, type Queryable } from '../db/sql.ts';
import type { Deps } from '../deps.ts';
import { distOf, registerAssets } from './assets.ts';
import { rootOf, withRoot } from './root.ts';

const DIST = distOf('capture');
/** Facts that the service gives a page outside the API, each in a `meta` element `firsthand-<name>`. */
interface PageFact {
  end?: 'unknown' | 'revoked';
  /** When the verification was redacted, which the public view does not say. */
  redacted?: string;
  /** Who signs the Content Credentials of photos, and who issued that certificate. */
  signer?: string;
  issuer?: string;
  /** The page shows steps that the dashboard sends it, in a frame there. */
  preview?: 'yes';
}

/** Shows a hosted page. `end`: shows the capture page in its final state, with no verification behind it. */
export type ShowPage = (reply: FastifyReply, name: 'index.html' | 'certificate.html', said?: PageFact) => FastifyReply;

export function createPages(deps: Pick<Deps, 'config' | 'blobs' | 'origins'>): { show: ShowPage } {
  const turnstile = deps.config.turnstile ? ' https://challenges.cloudflare.com' : '';
  const store = deps.blobs.origin ? ` ${deps.blobs.origin}` : '';
  const policyOf = ({ preview }: PageFact) =>
    [
      "default-src 'none'",
      `script-src 'self'${turnstile}`,
      "style-src 'self'",
      "font-src 'self'",
      `img-src 'self' blob: data:${store}`,
      "media-src 'self' blob:",
      // A preview has no verification: it asks the service for nothing.
      preview ? "connect-src 'none'" : `connect-src 'self'${store}`,
      ...(turnstile ? [`frame-src${turnstile}`] : []),
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${preview ? "'self'" : "'none'"}`,
    ].join('; ');
  const show: ShowPage = (reply, name, said = {}) => {
    const file = join(DIST, name);
    reply.header('content-security-policy', policyOf(said));
    if (said.preview) reply.header('x-frame-options', 'SAMEORIGIN');
    reply.header(
      'permissions-policy',
      said.preview
        ? 'camera=(), geolocation=(), screen-wake-lock=()'
        : 'camera=(self), geolocation=(self), screen-wake-lock=(self)',
    );
    reply.header('cache-control', said.end ? 'no-store' : 'no-cache');
    reply.header('x-robots-tag', 'noindex');
    if (!existsSync(file)) {
      return reply.code(503).type('text/plain; charset=utf-8').send('The pages are not built. Run: npm run build\n');
    }
    // Link previews need the picture's absolute URL.
    const html = withRoot(
      readFileSync(file, 'utf8').replaceAll(
        /content="(\.|\/_capture)\//g,
        `content="${deps.origins.capture}/_capture/`,
      ),
      rootOf(deps.origins.capture),
      '/_capture/',
    );
    const metas = Object.entries(said).map(
      ([fact, value]) => `<meta name="firsthand-${fact}" content="${escaped(value)}">`,
    );
    return reply.type('text/html; charset=utf-8').send(html.replace('</head>', `${metas.join('')}</head>`));
  };
  return { show };
}

const redactionOf = (db: Queryable, id: string) =>
  one<{ redacted_at: Date | null }>(db, 'select redacted_at from verifications where id = $1', [id]);

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Who signs Content Credentials: the name in the certificate and, unless this installation made it, its issuer's. */
async function signerSaid({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<Pick<PageFact, 'signer' | 'issuer'>> {
  const own = config.c2paSigner
    ? undefined
    : await one<{ certificate: string }>(db, 'select certificate from credential_keys where retired_at is null');
  const pem = config.c2paSigner?.certificate ?? own?.certificate;
  if (!pem) return {};
  const { subject, issuer } = new X509Certificate(pem);
  return { signer: nameIn(subject), ...(config.c2paSigner ? { issuer: nameIn(issuer) } : {}) };
}

/** Organisation and common name of a subject as Node.js prints it. */
function nameIn(subject: string): string {
  const part = (key: string) => new RegExp(`^${key}=(.+)$`, 'm').exec(subject)?.[1];
  return [part('O'), part('CN')].filter(Boolean).join(', ') || subject.replaceAll('\n', ', ');
}

/** Serves the hosted pages: capture at /v/<id>, its preview at /capture-preview, certificate at /c/<id>, assets under /_capture/. */
export async function registerPages(
  app: FastifyInstance,
  { db, origins, config }: Pick<Deps, 'db' | 'origins' | 'config'>,
  { show }: ReturnType<typeof createPages>,
): Promise<void> {
  // The link header preloads the first API response, so it arrives while the script is still downloading.
  const shown = (path: string, name: 'index.html' | 'certificate.html', firstRequest: (id: string) => string) =>
    app.get<{ Params: { id: string } }>(path, async (request, reply) => {
      const { id } = request.params;
      if (isId('vfy', id))
        reply.header(
          'link',
          `<${rootOf(origins.capture)}${firstRequest(id)}>; rel=preload; as=fetch; crossorigin=anonymous`,
        );
      const row = isId('vfy', id) && name === 'certificate.html' ? await redactionOf(db, id) : undefined;
      return show(reply, name, {
        ...(row ? await signerSaid({ db, config }) : {}),
        ...(row?.redacted_at ? { redacted: row.redacted_at.toISOString() } : {}),
      });
    });
  // Mail programs and people add a slash to a link.
  for (const path of ['/v/:id/', '/c/:id/']) {
    app.get<{ Params: { id: string } }>(path, async ({ params }, reply) =>
      reply.redirect(`../${encodeURIComponent(params.id)}`, 308),
    );
  }
  shown('/v/:id', 'index.html', id => `/v1/verify/${id}`);
  shown('/c/:id', 'certificate.html', id => `/v1/verifications/${id}/public`);
  app.get('/capture-preview', async (_request, reply) => show(reply, 'index.html', { preview: 'yes' }));
  await registerAssets(app, DIST, '/_capture/');
}
