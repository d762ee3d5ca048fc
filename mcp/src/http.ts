import { createServer as createListener, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { createServer } from './server.ts';
import { createService, type Service } from './service.ts';
import { isKey, type Settings, sessionCookie } from './settings.ts';

const PATH = '/mcp';
const MAX_BODY_BYTES = 1_000_000;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const REQUEST_HEADERS =
  'authorization, content-type, accept, firsthand-session, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id, last-event-id';

type Http = NonNullable<Settings['http']>;

/** Listens at /mcp. Nothing outlives a request: neither a session, nor a server object, nor a key. */
export async function serveHttp(settings: Settings, http: Http): Promise<string> {
  const handler = createMcpHandler(
    ({ authInfo }) => createServer(authInfo?.extra?.service as Service, settings.allowed),
    {
      onerror: error => console.error(error.message),
    },
  );
  const hosts = new Set([...LOOPBACK, ...http.hosts.map(host => host.toLowerCase())]);
  const origins = new Set(http.origins);
  const listener = createListener((request, response) => {
    answer(request, response).catch(error => {
      console.error(error);
      if (!response.headersSent) send(response, failure(500, 'Internal error'));
      else response.destroy();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { origin, host } = request.headers;
    if (!hosts.has(hostNameOf(host)) || (origin !== undefined && !origins.has(origin))) {
      return send(response, failure(403, 'This Host or Origin is not allowed'));
    }
    const cors: Record<string, string> =
      origin === undefined
        ? {}
        : {
            'access-control-allow-origin': origin,
            'access-control-expose-headers': 'www-authenticate',
            vary: 'Origin',
          };
    const answered =
      request.method === 'OPTIONS' && origin !== undefined
        ? new Response(null, {
            status: 204,
            headers: { 'access-control-allow-methods': 'POST', 'access-control-allow-headers': REQUEST_HEADERS },
          })
        : await exchange(request, response, { settings, handler });
    for (const [name, value] of Object.entries(cors)) answered.headers.set(name, value);
    await send(response, answered);
  }

  await new Promise<void>((listening, failed) => {
    listener.once('error', failed).listen(http.port, http.host, listening);
  });
  const { port } = listener.address() as AddressInfo;
  return `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${port}${PATH}`;
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  { settings, handler }: { settings: Settings; handler: McpHttpHandler },
): Promise<Response> {
  if (new URL(request.url ?? '/', 'http://localhost').pathname !== PATH) return failure(404, `Only ${PATH} is served`);
  const key = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (!isKey(key)) return unauthorized();
  const session = String(request.headers['firsthand-session'] ?? '').trim();
  const service = createService(settings.url, { key, ...(session ? { session: sessionCookie(session) } : {}) });
  const body = await bodyOf(request);
  if (body === null) return failure(413, 'The request is too large');
  const method = methodOf(body);
  if (request.method === 'POST' && method !== 'tools/call') await askForKey(service);
  if (service.isRefused) return unauthorized();

  const left = new AbortController();
  response.once('close', () => left.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  // Some clients take only one of the two. They get theirs below.
  headers.set('accept', 'application/json, text/event-stream');
  const asked = new Request(`http://localhost${PATH}`, {
    method: request.method ?? 'GET',
    headers,
    signal: left.signal,
    ...(request.method === 'POST' ? { body } : {}),
  });
  const answered = await handler.fetch(asked, {
    authInfo: { token: key, clientId: 'firsthand', scopes: [], extra: { service } },
  });
  if (method === 'subscriptions/listen' || request.method !== 'POST') return answered;
  const text = await answered.text();
  // The service refused the key while the tool ran.
  if (service.isRefused) return unauthorized();
  return accepted(answered, text, request.headers.accept);
}

/** Whether the service takes the key, before a client learns anything. Another failure is for the tools to tell. */
async function askForKey(service: Service): Promise<void> {
  const refused = (error: unknown) => {
    if ((error as { status?: number }).status === 401) service.isRefused = true;
  };
  await service.firsthand.verifications.list({ limit: 1 }, { maxRetries: 0 }).catch(refused);
}

/** The answer in the form that the client takes. Both hold the same message. */
function accepted({ status, headers }: Response, text: string, accept = '*/*'): Response {
  const takes = (type: string) => accept.includes(type) || accept.includes('*/*');
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const as = (type: string, body: string) => {
    const changed = new Headers(headers);
    changed.set('content-type', type);
    return new Response(body, { status, headers: changed });
  };
  if (isStream && !takes('text/event-stream')) {
    return as('application/json', [...text.matchAll(/^data: ?(.+)$/gm)].at(-1)?.[1] ?? '');
  }
  if (!isStream && status === 200 && text !== '' && !takes('application/json') && takes('text/event-stream')) {
    return as('text/event-stream', `event: message\ndata: ${text}\n\n`);
  }
  return new Response(text === '' ? null : text, { status, headers });
}

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function methodOf(body: string): string | undefined {
  try {
    return (JSON.parse(body) as { method?: string } | null)?.method;
  } catch {
    return undefined;
  }
}

/** The name in a Host header, without its port. */
const hostNameOf = (host: string | undefined): string => (host ?? '').toLowerCase().replace(/:\d+$/, '');

const failure = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status, headers });

/** The same for a missing, an empty, a malformed, an unknown and a revoked key. */
const unauthorized = (): Response =>
  failure(401, 'Send a key of your account: Authorization: Bearer …', {
    'www-authenticate': 'Bearer realm="firsthand"',
  });

async function send(response: ServerResponse, { status, headers, body }: Response): Promise<void> {
  response.writeHead(status, Object.fromEntries(headers));
  if (body) {
    for await (const part of body) if (!response.write(part)) await drained(response);
  }
  response.end();
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise(go => {
    response.once('drain', go).once('close', go);
  });
