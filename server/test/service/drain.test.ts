import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createVerification, startTestService } from '../support/harness.ts';
import { freePort, startServiceProcess } from '../support/service-process.ts';

test('a stop answers new requests for DRAIN_SECONDS, with /readyz at 503 so that a proxy sends none', async () => {
  const service = await startTestService({ env: { DRAIN_SECONDS: '3' } });
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  const stopped = service.stop();
  const ready = await fetch(`${service.url}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ status: 'draining' });
  expect((await createVerification(service)).status).toBe('pending');
  await stopped;
  await expect(fetch(`${service.url}/readyz`)).rejects.toThrow();
});

test('a stop answers running requests, and waits neither for kept-alive connections nor for ones without a request', async () => {
  const service = await startTestService();
  // Browsers and proxies open such connections in advance.
  const silent = connect(Number(new URL(service.url).port), '127.0.0.1');
  await once(silent, 'connect');
  const closed = once(silent, 'close');
  const agent = new Agent({ keepAlive: true });
  const sent = request(`${service.url}/v1/verifications`, {
    method: 'POST',
    agent,
    headers: {
      authorization: `Bearer ${service.tenant.pk_test}`,
      'content-type': 'application/json',
      'content-length': 2,
      // Answered once the server has read the head.
      expect: '100-continue',
    },
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write('{');
  const began = Date.now();
  const stopped = service.stop();
  await sleep(300);
  sent.end('}');
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(201);
  await Promise.all([stopped, closed]);
  // A connection is kept for 65 s, and a request that runs gets 45 s.
  expect(Date.now() - began).toBeLessThan(30_000);
  agent.destroy();
});

test('SIGTERM ends the process with 0 also while it greets', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'fh-greeting-'));
  const codes: (number | null)[] = [];
  // The greeting takes milliseconds, so a round may miss it.
  for (let round = 0; round < 3; round += 1) {
    const service = startServiceProcess({ dataDir, port: await freePort(), command: 'serve' });
    const exited = once(service.process, 'exit');
    service.process.stdout!.on('data', chunk => {
      if (`${chunk}`.includes('is ready at')) service.process.kill('SIGTERM');
    });
    await exited;
    codes.push(service.process.exitCode);
  }
  expect(codes).toEqual(Array(3).fill(0));
  await rm(dataDir, { recursive: true });
});
