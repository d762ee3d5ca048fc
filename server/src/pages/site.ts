import { readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Deps } from '../platform/deps.ts';
import { notFound } from '../platform/http/problem.ts';
import { rootOf, withRoot } from '../platform/http/root.ts';
import { VERSION } from '../platform/lib/version.ts';
import { distOf, sendUnbuilt } from './assets.ts';
import { type Prepared, prepare, send } from './prepared.ts';

const DIST = distOf('site');
const YEAR_SECONDS = 31_536_000;
/** The files of the built site have names of these letters. Nothing else is looked for on the disk. */
const NAME = /^[\w-]+(\.[\w-]+)*(\/[\w-]+(\.[\w-]+)*)*$/;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};

/** Allows only what the site brings itself, and nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Reads a file of the built site as it is served below `at`, again only after another build. */
function siteFiles(origins: Deps['origins']) {
  const root = rootOf(origins.public);
  const kept = new Map<string, Prepared & { mtimeMs: number }>();

  /** Puts the service's address into a file. The rest of the site's addresses are relative. */
  const placed = (bytes: Buffer, name: string, at: string): Buffer => {
    if (/^llms(-full)?\.txt$/.test(name)) {
      return Buffer.from(
        bytes.toString().replaceAll(/(\]\(|\bsrc=")\.\//g, (_, before) => `${before}${origins.public}/docs/`),
      );
    }
    if (!name.endsWith('.html')) return bytes;
    const html = bytes.toString().replaceAll('="/', () => `="${root}/`);
    // These two are shown at addresses of any depth.
    return Buffer.from(name === 'index.html' || name === '404.html' ? withRoot(html, root, at) : html);
  };

  return async (name: string, at: string): Promise<Prepared | null> => {
    const file = join(DIST, name);
    const found = await stat(file).catch(() => null);
    if (!found?.isFile()) return null;
    const key = `${at} ${name}`;
    const before = kept.get(key);
    if (before?.mtimeMs === found.mtimeMs) return before;
    const bytes = await readFile(file);
    const prepared = { ...(await prepare(placed(bytes, name, at))), mtimeMs: found.mtimeMs };
    kept.set(key, prepared);
    return prepared;
  };
}

/**
 * Serves the guides: /docs/<page>, its Markdown at /docs/<page>.md, the list of pages at /llms.txt,
 * and all of them in one file at /llms-full.txt. /docs/v<version>/… has the same files, so a link
 * can name the version that it was written for; another version is a 404.
 *
 * @param reference answers /docs/v<version>/api
 */
export function registerSite(
  app: FastifyInstance,
  { origins }: Pick<Deps, 'origins'>,
  reference: RouteHandlerMethod,
): void {
  const read = siteFiles(origins);
  const show = async (request: FastifyRequest, reply: FastifyReply, path: string, at: string) => {
    const name = path === '' ? 'index' : path;
    const known = NAME.test(name) && name !== '404' && name !== '404.html';
    const page = known ? await read(`${name}.html`, at) : null;
    const file = page ?? (known ? await read(name, at) : null);
    if (file === null && !String(request.headers.accept).includes('text/html')) throw notFound();
    const served = file ?? (await read('404.html', at));
    if (!served) {
      return sendUnbuilt(reply);
    }
    if (file === null) reply.code(404);
    reply.header('content-security-policy', POLICY);
    const hashed = name.startsWith('assets/');
    reply.header('cache-control', hashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
    if (at !== '/docs/') reply.header('link', `<${origins.public}/docs/${path}>; rel="canonical"`);
    return send(request, reply.type(page || !file ? TYPES['.html']! : (TYPES[extname(name)] ?? 'text/plain')), served);
  };

  for (const at of ['/docs/', `/docs/v${VERSION}/`]) {
    app.get(at.slice(0, -1), async (request, reply) => show(request, reply, '', at));
    app.get<{ Params: { '*': string } }>(`${at}*`, async (request, reply) => {
      const path = request.params['*'];
      // People add a slash to an address.
      if (path.endsWith('/') && NAME.test(path.slice(0, -1))) {
        return reply.redirect(`../${path.slice(0, -1).replace(/^.*\//, '')}`, 308);
      }
      return show(request, reply, path, at);
    });
  }
  app.get(`/docs/v${VERSION}/api`, reference);
  for (const name of ['llms.txt', 'llms-full.txt']) {
    app.get(`/${name}`, async (request, reply) => show(request, reply, name, '/docs/'));
  }
}
