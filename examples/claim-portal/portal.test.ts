import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Firsthand } from '@firsthand/sdk';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPortal } from './portal.ts';

// Without a service: what a stranger may send. server/test/service/claim-portal.test.ts drives the whole way.
const SECRET = `whsec_${Buffer.from('an example of a webhook secret!!').toString('base64')}`;
const ID = 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z';

describe('the claim portal', () => {
  let server: Server;
  let url: string;
  let created: { webhook_url: string; metadata: Record<string, string> };
  beforeAll(async () => {
    const service: typeof fetch = async (_url, init) => {
      created = JSON.parse(String(init?.body));
      return Response.json({ id: ID, capture_url: `https://photos.example/v/${ID}` }, { status: 201 });
    };
    const firsthand = new Firsthand('pk_test_1', {
      baseUrl: 'https://photos.example',
      webhookSecret: SECRET,
      fetch: service,
    });
    const portal = createPortal({ firsthand, portalUrl: 'https://portal.example' });
    server = await new Promise<Server>(resolve => {
      const listening = portal.listen(0, '127.0.0.1', () => resolve(listening));
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server?.closeAllConnections();
    server?.close();
  });

  const hook = (sequence: number, data: object, secret = SECRET) => {
    const body = JSON.stringify({
      type: 'verification.completed',
      timestamp: '2026-11-21T09:31:12.000Z',
      data: { id: ID, sequence, metadata: created.metadata, ...data },
    });
    const at = new Date();
    return fetch(`${url}/hooks`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': `evt_${sequence}`,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(`evt_${sequence}`, at, body),
      },
    });
  };

  it('shows the link, and takes only genuine webhooks, the newest by its sequence', async () => {
    const body = new URLSearchParams({ number: 'C-1 <b>"&', email: 'a@example.com' });
    const page = await fetch(`${url}/claims`, { method: 'POST', body });
    expect([page.status, created.webhook_url]).toEqual([200, 'https://portal.example/hooks']);
    const html = await page.text();
    expect(html).toContain(`https://photos.example/v/${ID}`);
    expect(html).toContain('C-1 &lt;b&gt;&quot;&amp;');
    expect(html).not.toContain('C-1 <b>');

    const completed = { status: 'completed', verdict: { label: 'verified', score: 0.98, signals: {} } };
    const forged = await hook(3, completed, `whsec_${Buffer.alloc(32).toString('base64')}`);
    expect([forged.status, await (await fetch(page.url)).text()]).toEqual([400, html]);
    expect((await hook(3, completed)).status).toBe(204);
    expect((await hook(2, { status: 'partially_captured' })).status).toBe(204);
    expect(await (await fetch(page.url)).text()).toMatch(/<b>completed<\/b>[\s\S]*<b>verified<\/b>, score 0.98/);
  });

  it('answers 404 for a claim it does not know', async () => {
    expect((await fetch(`${url}/claims/1/bundle`)).status).toBe(404);
  });
});
