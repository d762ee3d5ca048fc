import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isId } from '@firsthand/contract/base/ids.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type PhotoSigner, photoSigner } from '../custody/credentials/keys.ts';
import { one, type Queryable } from '../platform/db/sql.ts';
import type { Deps } from '../platform/deps.ts';
import { escapeHtml, sendPlainPage } from '../platform/http/plain-page.ts';
import { notFound } from '../platform/http/problem.ts';
import { rootOf, withRoot } from '../platform/http/root.ts';
import { distOf, registerAssets, sendUnbuilt } from './assets.ts';
import { type Embedding, embeddingOf } from './embedding.ts';

const DIST = distOf('capture');
/** After an upgrade, pages use the old script for at most so long. */
const SCRIPT_SECONDS = 300;
/** Facts that the service gives a page outside the API, each in a `meta` element `firsthand-<name>`. */
interface PageFact extends PhotoSigner {
  end?: 'unknown' | 'revoked';
  /** When the verification was redacted, which the public view does not say. */
  redacted?: string;
  /** The page shows steps that the dashboard sends it, in a frame there. */
  preview?: 'yes';
  /** Origins that may frame the page, with a space between. The page sends messages only to these. */
  origins?: string;
  /** Where the last screen leads. */
  return?: string;
}

/** Shows a hosted page. `end`: shows the capture page in its final state, with no verification behind it. */
type ShowPage = (reply: FastifyReply, name: 'index.html' | 'certificate.html', said?: PageFact) => FastifyReply;

export function capturePage(deps: Pick<Deps, 'config' | 'blobs' | 'origins'>): ShowPage {
  const turnstile = deps.config.turnstile ? ' https://challenges.cloudflare.com' : '';
  const store = deps.blobs.origin ? ` ${deps.blobs.origin}` : '';
  const policyOf = ({ preview, origins }: PageFact) =>
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
      `frame-ancestors ${preview ? "'self'" : (origins ?? "'none'")}`,
    ].join('; ');
  return (reply, name, said = {}) => {
    const file = join(DIST, name);
    reply.header('content-security-policy', policyOf(said));
    if (said.preview) reply.header('x-frame-options', 'SAMEORIGIN');
    // This header cannot name another origin. Every browser that this page runs in heeds `frame-ancestors`.
    if (said.origins) reply.removeHeader('x-frame-options');
    reply.header(
      'permissions-policy',
      said.preview
        ? 'camera=(), geolocation=(), screen-wake-lock=()'
        : 'camera=(self), geolocation=(self), screen-wake-lock=(self)',
    );
    reply.header('cache-control', said.end ? 'no-store' : 'no-cache');
    reply.header('x-robots-tag', 'noindex');
    if (!existsSync(file)) {
      return sendUnbuilt(reply);
    }
    // Link previews need the picture's absolute URL.
    const html = withRoot(
      readFileSync(file, 'utf8').replaceAll(
        /content="(\.|\/_capture)\//g,
        () => `content="${deps.origins.capture}/_capture/`,
      ),
      rootOf(deps.origins.capture),
      '/_capture/',
    );
    const metas = Object.entries(said).map(
      ([fact, value]) => `<meta name="firsthand-${fact}" content="${escapeHtml(value)}">`,
    );
    return reply.type('text/html; charset=utf-8').send(html.replace('</head>', () => `${metas.join('')}</head>`));
  };
}

const redactionOf = (db: Queryable, id: string) =>
  one<{ redacted_at: Date | null }>(db, 'select redacted_at from verifications where id = $1', [id]);

/**
 * Serves the hosted pages: capture at /v/<id>, its preview at /capture-preview, certificate at /c/<id>, assets under /_capture/, and the script
 * that embeds the capture page at /embed.js.
 */
export async function registerCapture(
  app: FastifyInstance,
  deps: Pick<Deps, 'config' | 'db' | 'origins'>,
  show: ShowPage,
): Promise<void> {
  const { db, origins } = deps;
  // Preloads the first API response, so it arrives while the script is still downloading.
  const preload = (reply: FastifyReply, path: string) =>
    reply.header('link', `<${rootOf(origins.capture)}${path}>; rel=preload; as=fetch; crossorigin=anonymous`);
  app.get<{ Params: { id: string }; Querystring: { return_url?: unknown } }>('/v/:id', async (request, reply) => {
    const { id } = request.params;
    if (!isId('vfy', id)) return show(reply, 'index.html');
    preload(reply, `/v1/verify/${id}`);
    const asked = request.query.return_url;
    // Without the database the page still comes, but no site may frame it, and it says in the person's language that it must wait.
    const embedding = await embeddingOf(db, id, typeof asked === 'string' ? asked : undefined).catch(
      (error: unknown) => {
        request.log.warn({ err: error }, 'the page is shown without its allowed origins');
        return null;
      },
    );
    const { origins: framers, returnUrl }: Embedding = embedding ?? { origins: [] };
    const framer = framerOf(request);
    if (embedding && framer !== null && !framers.includes(framer)) return refuseFrame(reply, framer);
    return show(reply, 'index.html', {
      ...(framers.length > 0 ? { origins: framers.join(' ') } : {}),
      ...(returnUrl ? { return: returnUrl } : {}),
    });
  });
  app.get<{ Params: { id: string } }>('/c/:id', async (request, reply) => {
    const { id } = request.params;
    if (!isId('vfy', id)) return show(reply, 'certificate.html');
    preload(reply, `/v1/verifications/${id}/public`);
    const row = await redactionOf(db, id);
    return show(reply, 'certificate.html', {
      ...(row ? await photoSigner(deps) : {}),
      ...(row?.redacted_at ? { redacted: row.redacted_at.toISOString() } : {}),
    });
  });
  // Mail programs and people add a slash to a link.
  for (const path of ['/v/:id/', '/c/:id/']) {
    app.get<{ Params: { id: string } }>(path, async ({ params }, reply) =>
      reply.redirect(`../${encodeURIComponent(params.id)}`, 308),
    );
  }
  app.get('/capture-preview', async (_request, reply) => show(reply, 'index.html', { preview: 'yes' }));
  await registerAssets(app, DIST, '/_capture/');
  app.get('/embed.js', async (request, reply) => sendScript(reply, request.headers['accept-encoding'] ?? ''));
}

/**
 * The origin of the page that frames this one, as the browser or the address says; null where the page stands by itself, or nobody says.
 * A page above that lies meets `frame-ancestors`.
 */
function framerOf({ headers, query }: FastifyRequest): string | null {
  if (!['iframe', 'frame', 'object', 'embed'].includes(String(headers['sec-fetch-dest']))) return null;
  const { embed } = query as { embed?: unknown };
  const said = typeof embed === 'string' ? embed : headers.referer;
  return said && URL.canParse(said) && /^https?:/.test(said) ? new URL(said).origin : null;
}

/** Says in the frame why it stays empty. Every site may show it: it names no link and has nothing to press. */
const refuseFrame = (reply: FastifyReply, origin: string): FastifyReply =>
  sendPlainPage(reply.header('cache-control', 'no-store'), {
    status: 403,
    title: 'This page cannot be shown here',
    lines: [
      'Open your photo link by itself, in a window of its own.',
      `For whoever made this site: ${origin} may not show this page in a frame. Add it to the allowed origins of the account (dashboard, Settings), or to "allowed_origins" of PATCH /v1/settings.`,
    ],
    framedBy: '*',
  });

/** Sends the script, compressed where the browser reads that. Pages of any origin may load it: it holds nothing secret. */
function sendScript(reply: FastifyReply, accepted: string): FastifyReply {
  const file = join(DIST, 'embed.js');
  if (!existsSync(file)) throw notFound();
  const [encoding, ending] = /\bbr\b/.test(accepted)
    ? ['br', '.br']
    : /\bgzip\b/.test(accepted)
      ? ['gzip', '.gz']
      : [undefined, ''];
  if (encoding) reply.header('content-encoding', encoding);
  return reply
    .header('vary', 'accept-encoding')
    .header('cache-control', `public, max-age=${SCRIPT_SECONDS}`)
    .header('access-control-allow-origin', '*')
    .header('cross-origin-resource-policy', 'cross-origin')
    .type('text/javascript; charset=utf-8')
    .send(readFileSync(`${file}${ending}`));
}
