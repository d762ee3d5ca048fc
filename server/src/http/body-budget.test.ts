import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { createBodyBudget } from './body-budget.ts';
import { Problem } from './problem.ts';

const MB = 1_048_576;

test('a body past the budget of those in flight is answered 503 with Retry-After, and taken once there is room', async () => {
  const budget = createBodyBudget(5 * MB);
  const app = Fastify({ bodyLimit: 4 * MB });
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof Problem)) throw error;
    return reply.header('retry-after', `${error.retryAfterSeconds}`).code(error.status).send(error.toBody());
  });
  let held = 0;
  app.addHook('onRequest', async (asked, reply) => {
    budget(asked, reply, 4 * MB);
    held += 1;
    reply.raw.once('close', () => {
      held -= 1;
    });
  });
  app.post('/', async () => 'taken');
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const open = (headers: Record<string, string>): ClientRequest => {
    const sent = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      headers: { 'content-type': 'text/plain', ...headers },
    });
    sent.on('error', () => {});
    sent.flushHeaders();
    return sent;
  };
  const answerTo = async (sent: ClientRequest) => ((await once(sent, 'response')) as [IncomingMessage])[0];
  const declared = { 'content-length': `${3 * MB}` };
  const chunked = { 'transfer-encoding': 'chunked' };

  const first = open(declared);
  first.write('x');
  await expect.poll(() => held).toBe(1);
  for (const headers of [declared, chunked]) {
    const refused = await answerTo(open(headers));
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '2']);
    refused.resume();
  }
  const small = open({ 'content-length': '2' });
  small.end('ok');
  expect((await answerTo(small)).statusCode).toBe(200);

  first.destroy();
  await expect.poll(() => held).toBe(0);
  const second = open(declared);
  second.end(Buffer.alloc(3 * MB, 'x'));
  expect((await answerTo(second)).statusCode).toBe(200);
  await app.close();
});
