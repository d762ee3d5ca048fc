import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';

const YEAR_SECONDS = 31_536_000;

/** The folder of a page workspace's build. */
export const distOf = (workspace: string): string => join(import.meta.dirname, '..', '..', '..', workspace, 'dist');

/** Answers for a page whose workspace was not built. */
export const sendUnbuilt = (reply: FastifyReply): FastifyReply =>
  reply.code(503).type('text/plain; charset=utf-8').send('The pages are not built. Run: npm run build\n');

/** Serves the built files beside a page's HTML. */
export async function registerAssets(app: FastifyInstance, dist: string, prefix: string): Promise<void> {
  if (!existsSync(dist)) return;
  await app.register(fastifyStatic, {
    root: dist,
    prefix,
    index: false,
    decorateReply: false,
    // Serves the compressed files that the build makes, so no request waits for compression.
    preCompressed: true,
    setHeaders: (reply, path) => {
      // Vite puts a hash of the content in an asset's name.
      const hashed = path.includes(`${join(dist, 'assets')}/`);
      reply.header('cache-control', hashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
    },
  });
}
