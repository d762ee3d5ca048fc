import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Firsthand } from '@firsthand/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPortal } from '../../../examples/claim-portal/portal.ts';
import { startTestService, type TestService, until } from '../support/harness.ts';
import { firstHand } from '../support/pictures.ts';
import { freePort } from '../support/service-process.ts';

describe('the claim portal of examples/, against the running service', () => {
  let service: TestService;
  let server: Server;
  let portalUrl: string;
  let firsthand: Firsthand;
  beforeAll(async () => {
    service = await startTestService();
    const port = await freePort();
    portalUrl = `http://localhost:${port}`;
    const { pk_test, webhook_secret: webhookSecret } = service.tenant;
    firsthand = new Firsthand(pk_test, { baseUrl: service.url, webhookSecret });
    const portal = createPortal({ firsthand, portalUrl });
    server = await new Promise<Server>(resolve => {
      const listening = portal.listen(port, 'localhost', () => resolve(listening));
    });
    expect((server.address() as AddressInfo).port).toBe(port);
  });
  afterAll(async () => {
    server?.closeAllConnections();
    server?.close();
    await service?.stop();
  });

  it('creates a claim, shows its link, hears of the verdict by webhook and hands out the bundle', async () => {
    const form = new URLSearchParams({ number: 'C-1042', email: 'claimant@example.com' });
    const claim = await fetch(`${portalUrl}/claims`, { method: 'POST', body: form });
    const id = /\/v\/(vfy_\w+)/.exec(await claim.text())![1]!;
    expect((await fetch(`${claim.url}/bundle`)).status).toBe(409);

    // The claimant.
    await firsthand.captures.upload(id, await firstHand(1), { stepKey: 'whole' });
    await firsthand.captures.submitAnswers(id, { answers: { when: 'On Saturday morning' } });
    await firsthand.captures.upload(id, await firstHand(2), { stepKey: 'damage' });

    const page = await until(async () => {
      const html = await (await fetch(claim.url)).text();
      return html.includes('<b>completed</b>') ? html : undefined;
    }, 'the webhook of the verdict');
    const { verdict } = await firsthand.verifications.get(id);
    expect(page).toContain(`Verdict: <b>${verdict!.label}</b>, score ${verdict!.score}`);
    expect(page).toContain('<li>verification.completed');

    const bundle = await fetch(`${claim.url}/bundle`);
    expect([bundle.status, bundle.headers.get('content-disposition')]).toEqual([200, `attachment; filename=${id}.zip`]);
    expect(
      Buffer.from(await bundle.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK');
  });
});
