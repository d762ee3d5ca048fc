import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTestService } from './harness.ts';

test('a stop answers running requests and does not wait for kept-alive connections', async () => {
  const service = await startTestService();
  const agent = new Agent({ keepAlive: true });
  const sent = request(`${service.url}/v1/verifications`, {
    method: 'POST',
    agent,
    headers: {
      authorization: `Bearer ${service.tenant.pk_test}`,
      'content-type': 'application/json',
      'content-length': 2,
    },
  });
  sent.write('{');
  await once(sent, 'socket');
  await sleep(200);
  const began = Date.now();
  const stopped = service.stop();
  await sleep(300);
  sent.end('}');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(201);
  await stopped;
  expect(Date.now() - began).toBeLessThan(10_000);
  agent.destroy();
});
