import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const LOOK_EVERY_MS = 250;
/** A node that does not answer its health check for this long is not ready; so much is usual for balancers. The check writes to the store. */
const LOOK_TIMEOUT_MS = 5_000;

export interface Balancer {
  url: string;
  /** The ports of the nodes whose `/readyz` answered 200 at the last look. */
  ready(): readonly number[];
  close(): Promise<void>;
}

/**
 * A load balancer: sends each request to the next node whose `/readyz` answers 200. It repeats no request. A node that
 * cannot be reached is a 502, and no ready node a 503.
 */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true, timeout: 5_000 });
  let ready: number[] = [];
  let turn = 0;

  const looks = (port: number): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) }).then(
      async answer => {
        await answer.body?.cancel();
        return answer.status === 200;
      },
      () => false,
    );
  const look = async () => {
    await Promise.all(
      ports.map(async port => {
        const well = await looks(port);
        ready = well ? [...new Set([...ready, port])] : ready.filter(other => other !== port);
      }),
    );
  };
  const looking = setInterval(() => void look(), LOOK_EVERY_MS);

  const refuse = (response: ServerResponse, status: number) => {
    if (response.headersSent) response.destroy();
    else response.writeHead(status, { 'retry-after': '1' }).end();
  };
  const server = createServer((incoming: IncomingMessage, response) => {
    turn += 1;
    const port = ready[turn % ready.length];
    if (port === undefined) {
      incoming.resume();
      refuse(response, 503);
      return;
    }
    const { method, url: path, headers } = incoming;
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent }, answer => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    outgoing.on('error', () => refuse(response, 502));
    // A client that gave up; or the end of an answered request, when this does nothing.
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  // Longer than any pause of a client: a connection closed while it sends would look like a fault.
  server.keepAliveTimeout = 65_000;
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: () => ready,
    async close() {
      clearInterval(looking);
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      agent.destroy();
    },
  };
}
