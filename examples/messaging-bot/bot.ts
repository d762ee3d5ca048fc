import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { verifyWebhook, WebhookVerificationError } from '@firsthand/sdk/webhooks';
import { isFromFirsthand } from './outside.ts';
import { isFromMeta, isObject, readDelivery } from './whatsapp.ts';
import { Worker, type WorkerOptions } from './worker.ts';

/** Meta's own bound of a webhook. */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** What the service posts to `BOT_URL`, by its type. */
const POSTED: Readonly<Record<string, string>> = { one_time_code: 'code', capture_link: 'posted_link' };

export interface BotOptions extends WorkerOptions {
  appSecret: string;
  verifyToken: string;
  /** `whsec_…` */
  webhookSecret: string;
}

export interface Bot {
  server: Server;
  /** Takes no more requests and ends what is under way. The store stays open. */
  stop(): Promise<void>;
}

class Answer extends Error {
  readonly status: number;

  constructor(status: number, reason: string) {
    super(reason);
    this.status = status;
  }
}

/** `GET` and `POST /whatsapp` for Meta, `POST /firsthand` for webhooks, `POST /codes` for sign-in codes (`BOT_URL`). */
export function createBot(options: BotOptions): Bot {
  const { store, log, now } = options;
  const worker = new Worker(options);

  /** Keeps, then answers; the work begins afterwards. */
  function keep(response: ServerResponse, items: Parameters<typeof store.keep>[0]): void {
    store.keep(items, now());
    response.writeHead(200).end();
    setImmediate(() => worker.wake());
  }

  const routes: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse, url: URL) => unknown>> = {
    'GET /healthz': (_request, response) => response.writeHead(200).end(),

    'GET /whatsapp': (_request, response, { searchParams }) => {
      if (
        searchParams.get('hub.mode') !== 'subscribe' ||
        searchParams.get('hub.verify_token') !== options.verifyToken
      ) {
        throw new Answer(403, 'the verify token is another one');
      }
      // Meta compares bytes: nothing but the challenge.
      const headers = { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' };
      response.writeHead(200, headers).end(searchParams.get('hub.challenge') ?? '');
    },

    'POST /whatsapp': async (request, response) => {
      const raw = await bodyOf(request);
      const signature = request.headers['x-hub-signature-256'];
      if (typeof signature !== 'string') throw new Answer(401, 'no signature');
      if (!isFromMeta(raw, signature, options.appSecret)) throw new Answer(401, 'the signature is wrong');
      const { items, noted } = readDelivery(jsonOf(raw), options.graph.phoneNumberId);
      for (const reason of noted) log(`noted: ${reason}`);
      if (noted.length > 0) log(`kept ${items.length}, skipped ${noted.length}`);
      keep(response, items);
    },

    'POST /firsthand': async (request, response) => {
      const raw = await bodyOf(request);
      const event = await verifyWebhook(raw, request.headers, options.webhookSecret);
      keep(response, [{ key: `event:${request.headers['webhook-id']}`, kind: 'event', body: event }]);
    },

    'POST /codes': async (request, response) => {
      const raw = await bodyOf(request);
      if (!isFromFirsthand(raw, request.headers, options.firsthand.botSecrets, now())) {
        throw new Answer(401, 'the signature is wrong or too old');
      }
      const body = jsonOf(raw);
      const kind = isObject(body) ? POSTED[String(body.type)] : undefined;
      if (kind === undefined) throw new Answer(400, 'neither a one_time_code nor a capture_link');
      // A repeat has the same bytes under another signature.
      keep(response, [{ key: `${kind}:${createHash('sha256').update(raw).digest('hex')}`, kind, body }]);
    },
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://bot');
    const route = `${request.method} ${url.pathname}`;
    try {
      const handler = Object.hasOwn(routes, route) ? routes[route] : undefined;
      if (!handler) throw new Answer(404, 'no such address');
      await handler(request, response, url);
    } catch (error) {
      const status = error instanceof Answer ? error.status : error instanceof WebhookVerificationError ? 400 : 500;
      log(
        `refused ${route} from ${request.socket.remoteAddress}: ${status} ${error instanceof Error ? error.message : error}`,
      );
      if (!response.headersSent) response.writeHead(status, { connection: 'close' }).end();
    }
  });
  server.on('listening', () => {
    store.forget(now());
    worker.wake();
  });
  const forgetting = setInterval(() => store.forget(now()), 3_600_000);
  return {
    server,
    async stop() {
      clearInterval(forgetting);
      if (server.listening) {
        const closed = new Promise(resolve => server.close(resolve));
        server.closeIdleConnections();
        await closed;
      }
      await worker.stop();
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Answer(413, `a body above ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A signed body that is not JSON comes again and again unless it is answered 200. */
function jsonOf(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    return undefined;
  }
}
