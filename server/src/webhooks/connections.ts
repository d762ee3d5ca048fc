import { type buildConnector, Client } from 'undici';

export interface ConnectionOptions {
  connect(tenantId: string, options: buildConnector.Options, callback: buildConnector.Callback): void;
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
  readonly key: string;
  /** Milliseconds, by the clock of `performance.now()`. */
  readonly madeAt: number;
}

/** Connections are an account's own: none waits for the look-ups of another. */
const keyOf = (origin: string, tenantId: string) => `${tenantId} ${origin}`;

/**
 * Connections for one request at a time each, as many as are asked for: the caller bounds how many are open. undici's own pool
 * looks through all of an origin's connections for each request; here the one that was free last is taken.
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
    // Idle for too long, or the other side closed it.
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
    // Closed when what is still under way on it has ended.
    if (all.delete(connection)) void connection.client.close();
  };
  return {
    /** The caller's until it is given back. */
    take(origin: string, tenantId: string): Connection {
      const key = keyOf(origin, tenantId);
      const free = idle.get(key);
      const connection = free?.pop();
      if (free?.length === 0) idle.delete(key);
      return connection ?? open(origin, tenantId);
    },
    /** Its request ended; where the answer was read to its end, `whole`, another may follow. */
    giveBack(connection: Connection, whole: boolean): void {
      if (!whole || performance.now() - connection.madeAt > o.lifeMs) {
        forget(connection);
        return;
      }
      const free = idle.get(connection.key);
      if (free) free.push(connection);
      else idle.set(connection.key, [connection]);
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
