import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createExpressApp } from './express.ts';
import { createFastifyServer } from './fastify.ts';
import { createPostHandler } from './next-route.ts';

const SECRET = `whsec_${Buffer.from('an example of a webhook secret!!').toString('base64')}`;
const BODY = JSON.stringify({
  type: 'verification.completed',
  timestamp: '2026-11-21T09:31:12.000Z',
  data: { id: 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z', note: 'übergroß' },
});

function signed(): Record<string, string> {
  const at = new Date();
  return {
    'content-type': 'application/json',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(SECRET).sign('evt_1', at, BODY),
  };
}

type Post = (headers: Record<string, string>, body: string) => Promise<number>;

/** A genuine event is taken once; a changed body, a missing signature and another secret's are refused. */
async function holds(post: Post, seen: string[][]): Promise<void> {
  expect(await post(signed(), BODY)).toBe(204);
  expect(seen).toEqual([['verification.completed', 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z']]);
  expect(await post(signed(), BODY.replace('completed', 'expired'))).toBe(400);
  expect(await post({ 'content-type': 'application/json' }, BODY)).toBe(400);
  const forged = { ...signed(), 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` };
  expect(await post(forged, BODY)).toBe(400);
  expect(seen).toHaveLength(1);
}

const over =
  (origin: string): Post =>
  async (headers, body) =>
    (await fetch(`${origin}/hooks`, { method: 'POST', headers, body })).status;

describe('examples accept only genuine webhooks', () => {
  it('Express', async () => {
    const seen: string[][] = [];
    const server = await new Promise<Server>(resolve => {
      const listening = createExpressApp(SECRET, (...event) => seen.push(event)).listen(0, '127.0.0.1', () =>
        resolve(listening),
      );
    });
    try {
      await holds(over(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), seen);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('Fastify', async () => {
    const seen: string[][] = [];
    const app = createFastifyServer(SECRET, (...event) => seen.push(event));
    try {
      await holds(over(await app.listen({ port: 0, host: '127.0.0.1' })), seen);
    } finally {
      await app.close();
    }
  });

  it('Next.js', async () => {
    const seen: string[][] = [];
    const handler = createPostHandler(SECRET, (...event) => seen.push(event));
    await holds(
      async (headers, body) =>
        (await handler(new Request('http://localhost/hooks', { method: 'POST', headers, body }))).status,
      seen,
    );
  });
});
