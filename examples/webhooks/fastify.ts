import { verifyWebhook } from '@firsthand/sdk/webhooks';
import Fastify, { type FastifyInstance } from 'fastify';

/** A Fastify server that takes Firsthand's webhooks: the body is kept as the bytes that came. */
export function createFastifyServer(
  secret: string,
  onEvent: (type: string, verificationId: string) => void,
): FastifyInstance {
  const app = Fastify();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/hooks', async (request, reply) => {
    try {
      const event = await verifyWebhook(request.body as Buffer, request.headers, secret);
      onEvent(event.type, String((event.data as { id?: unknown }).id));
      return reply.code(204).send();
    } catch {
      return reply.code(400).send();
    }
  });
  return app;
}
