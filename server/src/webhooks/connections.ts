import { buildConnector, Client } from 'undici';

export interface ConnectionOptions {
  connect: buildConnector.BuildOptions;
  /** A request without headers, or a pause in an answer, of this long is a failure. */
  timeoutMs: number;
  /** How long an idle connection is kept. */
  idleMs: number;
  /** A connection is not used for longer than this, so that a name that moves is followed. */
  lifeMs: number;
}

/** One HTTP/1.1 connection, made when a request asks for it and made again should it be lost before that. */
export interface Connection {
  readonly client: Client;
  readonly origin: string;
  /** Milliseconds, by the clock of `performance.now()`. */
  readonly madeAt: number;
}

/**
 * Connections for one request at a time each, as many as are asked for: the caller bounds how many are open. undici's own pool
 * looks through all of an origin's connections for each request; here the one that was free last is taken.
 */
export function createConnections(o: ConnectionOptions) {
  // One for all, so that TLS sessions are resumed.
  const connect = buildConnector(o.connect);
  const idle = new Map<string, Connection[]>();
  const all = new Set<Connection>();
  const open = (origin: string): Connection => {
    const client = new Client(origin, {
      connect,
      pipelining: 1,
      keepAliveTimeout: o.idleMs,
      keepAliveMaxTimeout: o.idleMs,
      headersTimeout: o.timeoutMs,
      bodyTimeout: o.timeoutMs,
    });
    const connection = { client, origin, madeAt: performance.now() };
    all.add(connection);
    // Idle for too long, or the other side closed it.
    client.on('disconnect', () => {
      const free = idle.get(origin);
      const at = free?.indexOf(connection) ?? -1;
      if (!free || at < 0) return;
      free.splice(at, 1);
      if (free.length === 0) idle.delete(origin);
      forget(connection);
    });
    return connection;
  };
  const forget = (connection: Connection) => {
    // Closed when what is still under way on it has ended.
    if (all.delete(connection)) void connection.client.close();
  };
  return {
    /** The caller's until it is given back. */
    take(origin: string): Connection {
      const free = idle.get(origin);
      const connection = free?.pop();
      if (free?.length === 0) idle.delete(origin);
      return connection ?? open(origin);
    },
    /** Its request ended; where the answer was read to its end, `whole`, another may follow. */
    giveBack(connection: Connection, whole: boolean): void {
      if (!whole || performance.now() - connection.madeAt > o.lifeMs) {
        forget(connection);
        return;
      }
      const free = idle.get(connection.origin);
      if (free) free.push(connection);
      else idle.set(connection.origin, [connection]);
    },
    /** Breaks off everything. */
    async close(): Promise<void> {
      const clients = [...all].map(({ client }) => client);
      all.clear();
      idle.clear();
      await Promise.all(clients.map(client => client.destroy()));
    },
  };
}
