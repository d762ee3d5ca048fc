import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { receiveWebhooks, type WebhookReceiver } from '@firsthand/cli/receive-webhooks.ts';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVerification, startTestService, type TestService, until } from '../../test/support/harness.ts';

const MAIN = join(import.meta.dirname, '..', 'main.ts');

describe('firsthand listen and firsthand events resend', () => {
  let service: TestService;
  let local: WebhookReceiver;
  let hooked: WebhookReceiver;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    service = await startTestService();
    local = await receiveWebhooks();
    hooked = await receiveWebhooks();
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([local?.close(), hooked?.close()]);
    await service?.stop();
  });

  const firsthand = (...args: string[]) => {
    const child = spawn(process.execPath, [MAIN, ...args, '--url', service.url, '--key', service.tenant.rk_secret], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', chunk => {
        output += String(chunk);
      });
    }
    return { child, output: () => output };
  };

  it('listen forwards the account’s events, signed, and shows the answers', async () => {
    const { output } = firsthand('listen', '--forward', local.url);
    await until(async () => output().includes('Listening'), 'listen to begin');
    // The stream starts at its end when opened, so create events until one arrives after that.
    const hook = await until(async () => {
      await createVerification(service);
      return local.received[0];
    }, 'a forwarded event');
    expect(hook.event.type).toBe('verification.created');
    const webhook = new Webhook(service.tenant.webhook_secret);
    expect(() => webhook.verify(hook.raw, hook.headers as Record<string, string>)).not.toThrow();
    await until(async () => /verification\.created\s+204 in \d+ ms/.test(output()), 'the line of the answer');
  });

  it('events resend repeats an event under the same id', async () => {
    await createVerification(service, { webhook_url: hooked.url });
    const first = await until(async () => hooked.received[0], 'the first delivery');
    const id = String(first.headers['webhook-id']);
    const { child, output } = firsthand('events', 'resend', id);
    const code = await new Promise<number | null>(resolve => child.once('close', resolve));
    expect([code, output()]).toEqual([0, expect.stringContaining('will be sent again')]);
    await until(async () => hooked.received.length === 2, 'the second delivery');
    expect(hooked.received[1]!.headers['webhook-id']).toBe(id);
  });
});
