import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../platform/lib/keyring.ts';

/** A file of a page, kept in memory ready to send. */
export interface Prepared {
  plain: Buffer;
  zipped: Buffer;
  etag: string;
}

export const prepare = async (plain: Buffer): Promise<Prepared> => ({
  plain,
  zipped: await promisify(gzip)(plain),
  etag: `"${sha256(plain).toString('base64url').slice(0, 22)}"`,
});

/** Sends the file compressed where the client takes that, and 304 to a client that has it. */
export function send(request: FastifyRequest, reply: FastifyReply, { plain, zipped, etag }: Prepared): FastifyReply {
  reply.header('etag', etag).header('vary', 'accept-encoding');
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding']));
  return takesGzip ? reply.header('content-encoding', 'gzip').send(zipped) : reply.send(plain);
}
