import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const YEAR_SECONDS = 31_536_000;

/** Where the build of a page's workspace lies. */
export const distOf = (workspace: string): string => join(import.meta.dirname, '..', '..', '..', workspace, 'dist');

/** Serves what was built beside the HTML of a page. */
export async function registerAssets(app: FastifyInstance, dist: string, prefix: string): Promise<void> {
  if (!existsSync(dist)) return;
  await app.register(fastifyStatic, {
    root: dist,
    prefix,
    index: false,
    decorateReply: false,
    // The build lays them beside the files: nothing is compressed while somebody waits.
    preCompressed: true,
    setHeaders: (reply, path) => {
      // Vite names assets by their content.
      const hashed = path.includes(`${join(dist, 'assets')}/`);
      reply.header('cache-control', hashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
    },
  });
}
