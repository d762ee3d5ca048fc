import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reachFindings } from '../../src/commands/doctor-reach.ts';
import type { Deps } from '../../src/platform/deps.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { freePort } from '../support/service-process.ts';

describe('doctor looks at what the service must reach', () => {
  let service: TestService;
  let receiver: Server;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
    receiver = createServer((_request, response) => response.end());
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    receiver?.close();
    await service?.stop();
  });

  const find = (config: Partial<Deps['config']> = {}, more: Partial<Deps> = {}) =>
    reachFindings({ ...service.deps, ...more, config: { ...service.deps.config, ...config } });

  it('and says of a laptop only that its clock is right', async () => {
    expect(await find()).toEqual([{ part: 'clock', what: 'Clock', state: 'ok', detail: 'agrees with the database' }]);
  });

  it('names a clock that is away from the database', async () => {
    const db = {
      query: async () => ({ rows: [{ at: new Date(Date.now() + 90_000), url: 'http://127.0.0.1:9' }] }),
    } as unknown as Deps['db'];
    const [clock] = await find({}, { db });
    expect(clock).toMatchObject({ part: 'clock', state: 'wrong', detail: '90 s behind the database' });
    expect(clock!.advice).toMatch(/NTP/);
  });

  it('names a mail server and a time-stamp authority that do not answer, with the setting to correct', async () => {
    const port = await freePort();
    const found = await find({ smtpUrl: `smtp://127.0.0.1:${port}`, tsaUrl: `http://127.0.0.1:${port}` });
    expect(found.find(({ part }) => part === 'mail_server')).toMatchObject({
      state: 'wrong',
      advice: expect.stringContaining('SMTP_URL'),
    });
    expect(found.find(({ part }) => part === 'time_stamp_authority')).toMatchObject({
      state: 'wrong',
      advice: expect.stringContaining('TSA_URL'),
    });
  });

  it('connects to the newest receivers of webhooks', async () => {
    const open = (receiver.address() as AddressInfo).port;
    const closed = await freePort();
    await service.deps.db.query(
      `insert into webhook_endpoints (id, tenant_id, livemode, url, url_sha256, created_at)
       select 'whe_' || n, $1, true, 'http://127.0.0.1:' || n || '/hooks', sha256(n::text::bytea), now() from unnest($2::integer[]) n`,
      [service.tenant.tenant_id, [open, closed]],
    );
    const found = (await find()).filter(({ part }) => part === 'webhook_egress');
    expect(found.toSorted((a, b) => a.state.localeCompare(b.state))).toMatchObject([
      { state: 'ok', detail: `127.0.0.1:${open}` },
      { state: 'wrong', detail: `127.0.0.1:${closed}` },
    ]);
  });
});
