import type { Readable } from 'node:stream';
import { UPLOAD_HARD_CAP_BYTES } from '@firsthand/contract/base/limits.ts';
import { mediaTypeOf } from '@firsthand/contract/capture/pictures.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DiskStore } from '../blobs/disk.ts';
import { BlobMissing, BlobUnavailable } from '../blobs/faults.ts';
import { attachment, type BlobStore } from '../blobs/store.ts';
import type { Deps } from '../deps.ts';
import { createSlots } from '../lib/slots.ts';
import { Stalled, untilStalled } from '../lib/stall.ts';
import { forbidden, invalidField, notFound, Problem, storageUnavailable } from './problem.ts';
import { whenEnded } from './when-ended.ts';

/** Types that a browser may show in place. It saves all others. None of these can hold a script. */
const SHOWN = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/heic', 'image/heif']);

/** The rules for bodies of uploads. Each throws the Problem that the sender gets. */
export interface UploadRules {
  /** Bytes that {@link checkStart} needs. */
  startBytes: number;
  /** Throws unless a body of this type can begin with these bytes. */
  checkStart(contentType: string, first: Uint8Array): void;
  /** Counts the bytes of an upload that were not counted when its URL was made. */
  count(request: FastifyRequest, key: string, bytes: number): Promise<void>;
}

/**
 * Serves the presigned URLs under `/blobs/`: all URLs of a disk store, and those S3 uploads whose size S3 cannot limit.
 */
export async function blobRoutes(
  app: FastifyInstance,
  {
    store,
    stallMs,
    rules,
    origins,
  }: { store: BlobStore | DiskStore; stallMs: number; rules: UploadRules; origins: Deps['origins'] },
): Promise<void> {
  // Streams the body: nothing reads it before the handler does.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.addHook('onRequest', async (_request, reply) => {
    // Any page may use the URL: its signature is the credential, and this route reads no cookie.
    reply.header('access-control-allow-origin', '*');
    reply.header('cross-origin-resource-policy', 'cross-origin');
    reply.header('x-content-type-options', 'nosniff');
    reply.header('cache-control', 'no-store');
  });

  const uploads = createSlots();

  app.options('/blobs/*', (_request, reply) =>
    reply
      .header('access-control-allow-methods', 'open' in store ? 'GET, PUT' : 'PUT')
      .header('access-control-allow-headers', 'Content-Type, If-None-Match')
      .header('access-control-max-age', '86400')
      .code(204)
      .send(),
  );

  app.put('/blobs/*', async (request, reply) => {
    const key = (request.params as { '*': string })['*'];
    // Reads a refused body to its end and discards it, so that the refusal arrives. Closes the connection instead when
    // the body has no bound.
    const length = Number(request.headers['content-length'] ?? Number.NaN);
    if (!(length <= UPLOAD_HARD_CAP_BYTES)) reply.header('connection', 'close');
    const grant = permitted(store.signer.verifyPut(key, request.query as Record<string, unknown>));
    const type = request.headers['content-type'] ?? '';
    if (mediaTypeOf(type) !== mediaTypeOf(grant.contentType)) {
      throw invalidField(
        'Content-Type',
        'unsupported_type',
        `must be ${grant.contentType}: this upload URL accepts no other type`,
        { accepted: [grant.contentType] },
      );
    }
    if (length > grant.maxBytes) throw tooLarge(grant.maxBytes);
    if (grant.sizeBytes !== null && length !== grant.sizeBytes) throw wrongSize(grant.sizeBytes);
    const usedUp = () => reply.code(412).send(USED_UP.toBody(origins.public));
    if (await store.head(key).catch(unavailable)) return usedUp();
    const leave = uploads.take({ name: key, most: MAX_UPLOADS_AT_ONCE });
    if (!leave) throw STILL_RUNNING;
    try {
      // Waits for the bytes, however slowly they come.
      const body = begun(untilStalled(request.raw, stallMs), rules.startBytes, async first => {
        rules.checkStart(grant.contentType, first);
        if (grant.sizeBytes === null) await rules.count(request, key, length || grant.maxBytes);
      });
      const received = await store.receive(grant, body);
      if (received === 'exists') return usedUp();
      if (received === 'too_large') throw tooLarge(grant.maxBytes);
      if (received === 'wrong_size') throw wrongSize(grant.sizeBytes!);
      return reply.code(200).send();
    } catch (error) {
      if (error instanceof Stalled) {
        reply.header('connection', 'close');
        throw invalidField('body', 'incomplete', 'stopped arriving before it was complete');
      }
      // A sender who is cut off in the middle never reads why.
      if (error instanceof Problem && length <= UPLOAD_HARD_CAP_BYTES) await discard(request.raw, stallMs);
      return unavailable(error);
    } finally {
      leave();
    }
  });

  if (!('open' in store)) return;
  app.get('/blobs/*', { exposeHeadRoute: false }, async (request, reply) => {
    const key = (request.params as { '*': string })['*'];
    const grant = permitted(store.signer.verifyGet(key, request.query as Record<string, unknown>));
    try {
      const { size, contentType, stream } = await store.open(key);
      const type = grant.contentType ?? contentType;
      const seconds = Math.max(0, Math.floor((grant.expiresAt.getTime() - Date.now()) / 1000));
      reply
        .header('content-type', type)
        .header('content-length', size)
        .header('cache-control', `private, max-age=${seconds}`)
        .header('content-security-policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox");
      if (grant.filename !== null) reply.header('content-disposition', attachment(grant.filename));
      else if (!SHOWN.has(type)) reply.header('content-disposition', 'attachment');
      whenEnded(reply, () => stream.destroy());
      return reply.send(stream);
    } catch (error) {
      if (error instanceof BlobMissing) throw notFound();
      return unavailable(error);
    }
  });
}

/**
 * The most uploads to one address that this process reads at once. A phone's second try may overtake its first. With
 * more, an address's holder could fill the folder that holds incoming uploads.
 */
const MAX_UPLOADS_AT_ONCE = 3;

/** Passes a body on once `check` has seen its first bytes: at least `bytes`, or all of a shorter body. */
async function* begun(
  body: AsyncIterable<Buffer>,
  bytes: number,
  check: (first: Buffer) => Promise<void>,
): AsyncGenerator<Buffer> {
  let first: Buffer | null = Buffer.alloc(0);
  for await (const chunk of body) {
    first = first && Buffer.concat([first, chunk]);
    if (first && first.length < bytes) continue;
    if (first) await check(first);
    yield first ?? chunk;
    first = null;
  }
  if (!first) return;
  await check(first);
  yield first;
}

/** Reads the rest of a body and keeps nothing of it. Gives up on a sender who falls silent. */
async function discard(body: Readable, stallMs: number): Promise<void> {
  try {
    for await (const _ of untilStalled(body, stallMs));
  } catch {
    // Whoever left needs no reason.
  }
}

function unavailable(error: unknown): never {
  throw error instanceof BlobUnavailable ? storageUnavailable(error) : error;
}

function permitted<G>(found: G | 'forged' | 'expired'): G {
  if (found === 'forged') throw forbidden();
  if (found === 'expired') throw new Problem('expired', 'This upload URL has expired. Ask for a new one.');
  return found as G;
}

/** Answers with the status S3 uses for a failed condition, so clients see one behaviour. */
const USED_UP = new Problem('invalid_request', 'This upload URL has been used already. It accepts one upload.');
const STILL_RUNNING = new Problem(
  'too_many_requests',
  'Other uploads to this URL are still running. Try again shortly.',
  { retryAfterSeconds: 5 },
);
const tooLarge = (maxBytes: number) =>
  invalidField('body', 'too_many_bytes', `must have at most ${maxBytes} bytes`, { max: maxBytes });
const wrongSize = (sizeBytes: number) =>
  invalidField('body', 'wrong_size', `must have exactly ${sizeBytes} bytes`, { bytes: sizeBytes });
