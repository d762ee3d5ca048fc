import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { distOf, sendUnbuilt } from './assets.ts';

interface Built {
  mtimeMs: number;
  html: Buffer;
  gzip: Buffer;
  policy: string;
}

const FILE = join(distOf('verify'), 'index.html');

/** Serves the page that checks a bundle: one file, under the policy that it carries itself for when it lies on a disk. */
export function registerVerifyPage(app: FastifyInstance): void {
  let built: Built | null = null;
  app.get('/verify', async (request, reply) => {
    built = read(built);
    if (!built) {
      return sendUnbuilt(reply);
    }
    const zipped = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    if (zipped) reply.header('content-encoding', 'gzip');
    return reply
      .header('content-security-policy', `${built.policy}; frame-ancestors 'none'`)
      .header('permissions-policy', 'camera=(), geolocation=(), microphone=()')
      .header('cache-control', 'no-cache')
      .header('vary', 'accept-encoding')
      .type('text/html; charset=utf-8')
      .send(zipped ? built.gzip : built.html);
  });
}

/** The built file; read again only after another build. */
function read(before: Built | null): Built | null {
  const mtimeMs = statSync(FILE, { throwIfNoEntry: false })?.mtimeMs;
  if (mtimeMs === undefined || mtimeMs === before?.mtimeMs) return mtimeMs === undefined ? null : before;
  const html = readFileSync(FILE);
  const policy = /<meta http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html.toString('utf8'))?.[1];
  if (!policy) throw new Error(`${FILE} carries no policy: build it again`);
  return { mtimeMs, html, gzip: gzipSync(html), policy };
}
