import { type buildConnector, Client } from 'undici';

export interface ConnectionOptions {
  connect(tenantId: string, options: buildConnector.Options, callback: buildConnector.Callback): void;
  /** A request fails when the answer's headers take this long, or when the answer pauses this long. */
  timeoutMs: number;
  /** An idle connection closes after this time. */
  idleMs: number;
  /** A connection serves no longer than this, so that a changed DNS name takes effect. */
  lifeMs: number;
}

/** One HTTP/1.1 connection. It opens when a request needs it, and reopens if it was lost before the request. */
export interface Connection {
  readonly client: Client;
  readonly key: string;
  /** Milliseconds, by the clock of `performance.now()`. */
  readonly madeAt: number;
}

/** Keys connections by account, so that no account waits for the lookups of another. */
const keyOf = (origin: string, tenantId: string) => `${tenantId} ${origin}`;

/**
 * Keeps connections that carry one request at a time, as many as callers ask for: the caller bounds how many are open.
 * It takes the connection that became free last. undici's own pool scans all of an origin's connections for each
 * request.
 */
export function createConnections(o: ConnectionOptions) {
  const idle = new Map<string, Connection[]>();
  const all = new Set<Connection>();
  const open = (origin: string, tenantId: string): Connection => {
    const client = new Client(origin, {
      connect: (options, callback) => o.connect(tenantId, options, callback),
      pipelining: 1,
      keepAliveTimeout: o.idleMs,
      keepAliveMaxTimeout: o.idleMs,
      headersTimeout: o.timeoutMs,
      bodyTimeout: o.timeoutMs,
    });
    const connection = { client, key: keyOf(origin, tenantId), madeAt: performance.now() };
    all.add(connection);
    // The connection was idle for too long, or the other side closed it.
    client.on('disconnect', () => {
      const free = idle.get(connection.key);
      const at = free?.indexOf(connection) ?? -1;
      if (!free || at < 0) return;
      free.splice(at, 1);
      if (free.length === 0) idle.delete(connection.key);
      forget(connection);
    });
    return connection;
  };
  const forget = (connection: Connection) => {
    // `close` waits for the request that is still under way.
    if (all.delete(connection)) void connection.client.close();
  };
  return {
    /** Lends a connection until the caller gives it back. */
    take(origin: string, tenantId: string): Connection {
      const key = keyOf(origin, tenantId);
      const free = idle.get(key);
      const connection = free?.pop();
      if (free?.length === 0) idle.delete(key);
      return connection ?? open(origin, tenantId);
    },
    /**
     * Takes back a connection whose request ended. `whole`: the answer was read to its end, so another request may
     * follow.
     */
    giveBack(connection: Connection, whole: boolean): void {
      if (!whole || performance.now() - connection.madeAt > o.lifeMs) {
        forget(connection);
        return;
      }
      const free = idle.get(connection.key);
      if (free) free.push(connection);
      else idle.set(connection.key, [connection]);
    },
    /** Aborts all requests and closes all connections. */
    async close(): Promise<void> {
      const clients = [...all].map(({ client }) => client);
      all.clear();
      idle.clear();
      await Promise.all(clients.map(client => client.destroy()));
    },
  };
}
