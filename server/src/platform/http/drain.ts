import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A request that takes longer to end than this, such as a slow upload, is cut off: its sender tries another node. */
const DRAIN_MS = 45_000;
/** A connection that has sent nothing for this long was opened in case of need; browsers and proxies do so. */
const SILENT_MS = 1_000;

/** The connections of each server that may not have sent anything yet, with the time they were opened. */
const opened = new WeakMap<Server, Map<Socket, number>>();

/** Notes connections from the start, so that {@link drain} can close those that never sent a request. */
export function noteConnections(server: Server): void {
  const sockets = new Map<Socket, number>();
  opened.set(server, sockets);
  server.on('connection', socket => {
    sockets.set(socket, performance.now());
    socket.once('close', () => sockets.delete(socket));
  });
}

/**
 * Stops listening and lets the requests that run be answered. A connection that a client keeps open for more is closed as
 * soon as it is idle: Node would wait for as long as its keep-alive lasts. For Node a connection without a first request is
 * not idle.
 */
export async function drain(app: FastifyInstance): Promise<void> {
  const closing = app.close();
  const idle = setInterval(() => {
    app.server.closeIdleConnections();
    for (const [socket, at] of opened.get(app.server) ?? []) {
      if (socket.bytesRead === 0 && performance.now() - at > SILENT_MS) socket.destroy();
    }
  }, 50);
  const end = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
  try {
    await closing;
  } finally {
    clearInterval(idle);
    clearTimeout(end);
  }
}
