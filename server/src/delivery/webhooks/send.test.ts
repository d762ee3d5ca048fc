import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../platform/config/config.ts';
import type { Sent } from './schedule.ts';
import { createSender, type Sender, type SenderOptions } from './send.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

async function listen(server: Server, protocol = 'http'): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise(resolve => server.close(resolve));
    },
  });
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

const http = (listener: RequestListener) => listen(createServer(listener));
/** Answers the first bytes of each connection with whatever `answer` does to the socket. */
const raw = (answer: (socket: Socket) => void) =>
  listen(createTcpServer(socket => void socket.once('data', () => answer(socket))));

function sender(o: SenderOptions = {}, env: Record<string, string> = {}): Sender {
  const made = createSender({ config: readConfig(env) }, o);
  open.push(made);
  return made;
}

const post = (to: Sender, url: string) =>
  new Promise<Sent>(resolve =>
    to.send('tnt_test', url, '{"type":"webhook.test"}', { 'content-type': 'application/json' }, resolve),
  );

const TIMEOUT_MS = 400;
const within = (ms: number) => ms >= TIMEOUT_MS - 20 && ms < TIMEOUT_MS + 20_000;

describe('sender, honest receiver', () => {
  it('gets body and headers; 1 kB of its answer is read, and the connection is kept', async () => {
    let connections = 0;
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', chunk => {
        body += chunk;
      });
      request.on('end', () => {
        bodies.push(`${request.method} ${request.url} ${request.headers['content-type']} ${body}`);
        response.end('x'.repeat(5_000));
      });
    }).on('connection', () => {
      connections += 1;
    });
    const url = await listen(server);
    const to = sender();
    for (let n = 0; n < 20; n += 1) {
      const sent = await post(to, `${url}?n=${n}`);
      expect(sent).toMatchObject({ statusCode: 200, error: null, excerpt: 'x'.repeat(1_024) });
    }
    expect(bodies[3]).toBe('POST /hooks?n=3 application/json {"type":"webhook.test"}');
    // The next request may be sent in the moment before the last one lets go of its connection.
    expect(connections).toBeLessThanOrEqual(2);
  });

  it.each([
    [200, null],
    [204, null],
    [299, null],
    [301, 'redirect'],
    [307, 'redirect'],
    [400, 'status'],
    [410, 'gone'],
    [503, 'status'],
  ])('answering %i is %s', async (status, error) => {
    const url = await http((_request, response) => void response.writeHead(status).end());
    expect(await post(sender(), url)).toMatchObject({ statusCode: status, error });
  });

  it('may send Retry-After and an answer that is not text', async () => {
    const url = await http((_request, response) => {
      response.writeHead(503, { 'retry-after': '7' }).end(Buffer.from([0, 0xff, 0x41]));
    });
    expect(await post(sender(), url)).toMatchObject({ retryAfterSeconds: 7, excerpt: '\ufffd\ufffdA' });
  });

  it('gets user and password of its URL', async () => {
    const url = await http((request, response) => void response.end(request.headers.authorization));
    const sent = await post(sender(), url.replace('://', '://me:p%40ss@'));
    expect(sent.excerpt).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`);
  });

  it('is disconnected when the process stops, without a failure', async () => {
    let [arrived, closed] = [false, false];
    const url = await http(request => {
      arrived = true;
      request.on('close', () => {
        closed = true;
      });
    });
    const to = sender();
    let told = false;
    void post(to, url).then(() => {
      told = true;
    });
    await expect.poll(() => arrived).toBe(true);
    await to.close();
    await expect.poll(() => closed).toBe(true);
    await sleep(100);
    expect(told).toBe(false);
  });
});

describe('sender, hostile receiver', () => {
  /** Writes to a connection every few milliseconds until it closes. */
  const drip = (stream: Writable, ms: number, next: () => string) => {
    const timer = setInterval(() => stream.write(next()), ms);
    stream.on('close', () => clearInterval(timer));
  };

  it.each<[string, () => Promise<string>, number | null, RegExp | null]>([
    ['never answers', () => http(() => {}), null, null],
    [
      'sends the head byte by byte',
      () =>
        raw(socket => {
          const text = `HTTP/1.1 200 OK\r\n${'x-slow: 1\r\n'.repeat(1_000)}\r\n`;
          let at = 0;
          drip(socket, 5, () => text[at++] ?? '');
        }),
      null,
      null,
    ],
    [
      'sends the body byte by byte',
      () => http((_request, response) => drip(response.writeHead(200), 5, () => 'z')),
      200,
      /^z+$/,
    ],
  ])('that %s times out, with its answer so far', async (_name, receiver, statusCode, excerpt) => {
    const sent = await post(sender({ timeoutMs: TIMEOUT_MS }), await receiver());
    expect(sent).toMatchObject({ statusCode, error: 'timeout' });
    if (excerpt) expect(sent.excerpt).toMatch(excerpt);
    expect(within(sent.latencyMs)).toBe(true);
  });

  it('that answers 200 with gigabytes has accepted, and is cut off in bounded memory', async () => {
    const chunk = Buffer.alloc(1_048_576, 'g');
    let written = 0;
    const url = await http((_request, response) => {
      response.on('error', () => {});
      const pour = () => {
        while (written < 4 * 1_073_741_824 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) {
            response.once('drain', pour);
            return;
          }
        }
      };
      pour();
    });
    const before = process.memoryUsage().rss;
    const sent = await post(sender(), url);
    expect(sent).toMatchObject({ statusCode: 200, error: null, excerpt: 'g'.repeat(1_024) });
    expect(process.memoryUsage().rss - before).toBeLessThan(128 * 1_048_576);
    expect(written).toBeLessThan(16 * 1_048_576);
  });

  it.each([
    [200, null],
    [503, 'status'],
  ])('that announces gigabytes after a %i is read no further', async (statusCode, error) => {
    const url = await http((_request, response) => {
      response.writeHead(statusCode, { 'content-length': 4 * 1_073_741_824 }).flushHeaders();
    });
    expect(await post(sender(), url)).toMatchObject({ statusCode, error });
  });

  const answering = (text: string) => () => raw(socket => void socket.end(text));
  it.each<[string, () => Promise<string>, Partial<Sent>]>([
    [
      'sends endless headers',
      () =>
        raw(socket => {
          socket.write('HTTP/1.1 200 OK\r\n');
          drip(socket, 1, () => `x-more: ${'y'.repeat(8_000)}\r\n`);
        }),
      { statusCode: null, error: 'protocol' },
    ],
    ['speaks another protocol', answering('SSH-2.0-OpenSSH_9.6\r\n'), { error: 'protocol' }],
    [
      'has no TLS on its https URL',
      async () => (await answering('hello')()).replace('http:', 'https:'),
      { statusCode: null, error: 'tls' },
    ],
    ['closes before its answer', answering(''), { error: 'connection_closed' }],
    ['closes within the head', answering('HTTP/1.1 200 OK\r\ncontent-le'), { error: 'connection_closed' }],
    [
      'closes within a body of known length',
      answering('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'),
      { error: 'connection_closed' },
    ],
    [
      'closes within a chunked body',
      answering('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n'),
      { error: 'connection_closed' },
    ],
    ['resets the connection', () => raw(socket => void socket.resetAndDestroy()), { error: 'connection_closed' }],
  ])('that %s fails with a named error', async (_name, receiver, expected) => {
    expect(await post(sender(), await receiver())).toMatchObject(expected);
  });

  it('that resolves to a private address on the second lookup is reached at the first one or not at all', async () => {
    let reached = 0;
    const url = await http((_request, response) => {
      reached += 1;
      response.end();
    });
    const named = url.replace('127.0.0.1', 'rebind.example');
    let lookups = 0;
    // A public address that nobody answers at, then loopback, which this service must not reach.
    const resolve = async () => [{ address: lookups++ === 0 ? '192.88.99.1' : '127.0.0.1', family: 4 }];
    const public_ = { HOST: '0.0.0.0', PUBLIC_URL: 'https://firsthand.example', WEBHOOK_ALLOW_CIDRS: '192.88.99.1' };
    const to = sender({ resolve, timeoutMs: TIMEOUT_MS }, public_);
    const first = await post(to, named);
    expect(['timeout', 'unreachable', 'connection_refused']).toContain(first.error);
    expect(lookups).toBe(1);
    expect(await post(to, named)).toMatchObject({ error: 'forbidden_address' });
    expect([lookups, reached]).toEqual([2, 0]);
  });

  it('that has a private address among public ones is refused', async () => {
    const resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '::ffff:169.254.169.254', family: 6 },
    ];
    const sent = await post(sender({ resolve }), 'http://mixed.example/');
    expect(sent).toMatchObject({ error: 'forbidden_address' });
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://10.0.0.1:8080/',
    'http://[fd00:ec2::254]/',
    'http://0/',
  ])('by naming %s, is refused without a connection', async url => {
    expect(await post(sender(), url)).toMatchObject({ error: 'forbidden_address', statusCode: null });
  });

  it('with an untrusted certificate does not get the body', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
    let requests = 0;
    const url = await listen(
      createHttpsServer({ key, cert }, (_request, response) => {
        requests += 1;
        response.end();
      }),
      'https',
    );
    expect(await post(sender(), url)).toMatchObject({ error: 'tls', statusCode: null });
    expect(requests).toBe(0);
  });

  it('that does not exist fails with a named error', async () => {
    const url = await http(() => {});
    await open.pop()?.close();
    expect(await post(sender(), url)).toMatchObject({ error: 'connection_refused' });
    const nowhere = async () => {
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    };
    expect(await post(sender({ resolve: nowhere }), 'http://nowhere.example/')).toMatchObject({ error: 'dns' });
    const never = () => new Promise<never>(() => {});
    const hanging = await post(sender({ resolve: never, timeoutMs: TIMEOUT_MS }), 'http://hang.example/');
    expect(hanging).toMatchObject({ error: 'timeout' });
  });

  it.each(['http://', 'nonsense', 'ftp://example.com/', 'http://a:99999/'])(
    'with the address %j is never tried',
    async url => {
      expect(await post(sender(), url)).toMatchObject({ error: 'invalid_url' });
    },
  );
});
