import type { FastifyReply } from 'fastify';

/**
 * Calls `release` once when the reply has ended: sent, refused, or cut off by its client. Calls it at once when that has
 * happened already. Everything a request holds beyond its handler is released through here.
 *
 * Listens to the connection too: Node never closes a reply that waits behind another one on its connection.
 */
export function whenEnded({ raw, request }: FastifyReply, release: () => void): void {
  const { socket } = request.raw;
  const end = (): void => {
    raw.off('close', end);
    socket.off('close', end);
    release();
  };
  if (raw.closed || raw.destroyed || socket.destroyed) release();
  else {
    raw.once('close', end);
    socket.once('close', end);
  }
}
