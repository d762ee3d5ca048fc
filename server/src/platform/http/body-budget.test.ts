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
    return reply
      .header('retry-after', `${error.retryAfterSeconds}`)
      .code(error.status)
      .send(error.toBody('http://localhost'));
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

test('createBodyBudget gives the room of a sender back who left while its credential was looked up', async () => {
  const budget = createBodyBudget(5 * MB);
  const app = Fastify({ bodyLimit: 4 * MB });
  let asked = 0;
  let answered = 0;
  app.addHook('onRequest', async (request, reply) => {
    asked += 1;
    await new Promise(resolve => setTimeout(resolve, request.headers['content-length'] === `${3 * MB}` ? 60 : 0));
    budget(request, reply, 4 * MB);
  });
  app.post('/', async () => {
    answered += 1;
    return 'taken';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const post = (bytes: number) =>
    request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'content-length': `${bytes}` },
    }).on('error', () => {});
  for (let n = 1; n <= 4; n += 1) {
    const sent = post(3 * MB);
    sent.flushHeaders();
    await expect.poll(() => asked).toBe(n);
    sent.destroy();
  }
  await new Promise(resolve => setTimeout(resolve, 200));
  const last = post(4 * MB - 1);
  last.end(Buffer.alloc(4 * MB - 1, 'x'));
  expect(((await once(last, 'response')) as [IncomingMessage])[0].statusCode).toBe(200);
  expect(answered).toBe(1);
  await app.close();
});
