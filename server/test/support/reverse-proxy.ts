import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReverseProxy {
  url: string;
  /** Requests to anything but the path, which another program on the host would get. */
  outside: string[];
  /** What it puts into X-Forwarded-For; undefined: the address that the request came from, as nginx does. */
  sender: string | undefined;
  /** Longer bodies get 413. */
  maxBodyBytes: number;
  /** Sends what comes on to this service. */
  passTo(service: string): void;
  close(): Promise<void>;
}

/** A proxy that serves one path of its host; `strips` takes the path off, as nginx does with a slash after `proxy_pass`. */
export async function startReverseProxy(path: string, { strips }: { strips: boolean }): Promise<ReverseProxy> {
  let target = '';
  const outside: string[] = [];
  const server = createServer((request, response) => {
    const url = request.url!;
    if (url !== path && !url.startsWith(`${path}/`)) {
      outside.push(url);
      response.writeHead(404, { 'content-type': 'text/plain' }).end('another program');
      return;
    }
    if (Number(request.headers['content-length']) > proxy.maxBodyBytes) {
      response.writeHead(413, { connection: 'close' }).end();
      return;
    }
    const { host, ...headers } = request.headers;
    const passed = send(
      new URL(strips ? url.slice(path.length) || '/' : url, target),
      {
        method: request.method,
        headers: {
          ...headers,
          host,
          'x-forwarded-for': proxy.sender ?? request.socket.remoteAddress,
          'x-forwarded-proto': 'http',
        },
      },
      answer => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve));
  const proxy: ReverseProxy = {
    sender: '203.0.113.9',
    maxBodyBytes: Number.POSITIVE_INFINITY,
    url: `http://localhost:${(server.address() as AddressInfo).port}${path}`,
    outside,
    passTo: service => {
      target = service;
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return proxy;
}
