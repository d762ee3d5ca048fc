import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewTenant } from '../../../src/identity/tenants/create.ts';
import { setLimit } from '../../../src/identity/tenants/settings.ts';
import { transaction } from '../../../src/platform/db/sql.ts';
import { ask, createVerification } from '../../support/harness.ts';
import { hasRedis, startRedis } from '../../support/redis.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const rate = (headers: Headers) =>
  ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map(name => headers.get(name));
const list = (node: { url: string }, key: string, headers = {}) => ask(node, '/v1/verifications', { key, headers });

/** Rules that hold for every store of the windows. */
function limits(env: () => Record<string, string>, started: () => Promise<void> = async () => {}) {
  const first = serviceOfSuite(() => ({ worker: false, env: env() }));
  const nodes = [first, serviceOfSuite(() => ({ worker: false, beside: first, env: env() }))] as const;
  beforeAll(started);
  const limit = ({ tenant_id: tenantId }: NewTenant, to: number) =>
    transaction(first.deps.db, tx => setLimit(tx, { tenantId, actor: { kind: 'command_line' }, at: new Date() }, to));
  async function limited(to: number): Promise<NewTenant> {
    const tenant = await first.newTenant();
    await limit(tenant, to);
    return tenant;
  }

  it('counts each request down in the headers, then says when to retry', async () => {
    const tenant = await limited(3);
    const seen = [];
    for (let i = 0; i < 4; i += 1) {
      const { status, headers } = await list(nodes[i % 2]!, tenant.pk_live);
      seen.push([status, ...rate(headers).slice(0, 2)]);
      const [, , reset, retry] = rate(headers);
      expect(Number(reset)).toBeGreaterThan(0);
      expect(Number(reset)).toBeLessThanOrEqual(60);
      expect(retry).toBe(status === 429 ? reset : null);
    }
    expect(seen).toEqual([
      [200, '3', '2'],
      [200, '3', '1'],
      [200, '3', '0'],
      [429, '3', '0'],
    ]);
  });

  it('holds exactly for 50 clients on two nodes, and refuses no other tenant', async () => {
    const [tenant, other] = [await limited(200), await limited(200)];
    const count = async (key: string, requests: number) => {
      const statuses = await Promise.all(Array.from({ length: requests }, (_, i) => list(nodes[i % 2]!, key)));
      return statuses.filter(({ status }) => status === 200).length;
    };
    let allowed = 0;
    const [, fine] = await Promise.all([
      (async () => {
        for (let round = 0; round < 10; round += 1) allowed += await count(tenant.pk_live, 50);
      })(),
      count(other.pk_live, 40),
    ]);
    expect([allowed, fine]).toEqual([200, 40]);
  });

  it('changes within seconds when it is raised or a key is revoked, also for a refused client', async () => {
    const tenant = await limited(1);
    const status = async () => (await list(nodes[1], tenant.pk_live)).status;
    expect([await status(), await status(), await status()]).toEqual([200, 429, 429]);
    await limit(tenant, 3);
    await expect.poll(status, { interval: 100 }).toBe(200);
    await expect.poll(status).toBe(429);
    await status();
    await nodes[0].deps.db.query('update api_keys set revoked_at = now() where tenant_id = $1', [tenant.tenant_id]);
    await expect.poll(status, { interval: 100 }).toBe(401);
  });

  it('is separate for live and test traffic', async () => {
    const tenant = await limited(1);
    const statuses = [];
    for (const key of [tenant.pk_test, tenant.pk_test, tenant.pk_live, tenant.rk_secret]) {
      statuses.push((await list(nodes[0], key)).status);
    }
    expect(statuses).toEqual([200, 429, 200, 429]);
  });
}

describe('tenant limit, windows in the database', () => limits(() => ({})));

describe.skipIf(!hasRedis)('tenant limit, windows in Redis', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  limits(() => ({ REDIS_URL: redis.url }));
});

describe.skipIf(!hasRedis)('tenant limit, windows in a Redis that went away', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  });
  limits(
    () => ({ REDIS_URL: redis.url }),
    () => redis.stop(),
  );
});

describe('limits without a tenant', () => {
  const service = serviceOfSuite({ worker: false, env: { TRUSTED_PROXIES: '127.0.0.1,::1,10.200.0.0/16' } });
  const untrusting = serviceOfSuite(() => ({ worker: false, beside: service }));
  const view = (id: string, forwarded: string, node = service) =>
    ask(node, `/v1/verify/${id}`, { headers: { 'x-forwarded-for': forwarded } });

  it('are 120 a minute per verification, whoever asks', async () => {
    const { id } = await createVerification(service);
    const statuses = [];
    for (let i = 0; i < 121; i += 1) statuses.push((await view(id, `10.0.${i}.1`)).status);
    expect(statuses).toEqual([...Array<number>(120).fill(200), 429]);
    expect(rate((await view(id, '10.0.200.1')).headers).slice(0, 2)).toEqual(['120', '0']);
    const another = await createVerification(service);
    expect((await view(another.id, '10.0.0.1')).status).toBe(200);
  });

  it('are 600 a minute per address, taken before the trusted proxies', async () => {
    const unknown = (i: number) => `vfy_${String(i).padStart(26, '0')}`;
    const sent = await Promise.all(
      Array.from({ length: 601 }, (_, i) => view(unknown(i), `${i % 250}.1.1.1, 203.0.113.9, 10.200.7.${i % 250}`)),
    );
    expect(sent.filter(({ status }) => status === 404)).toHaveLength(600);
    expect(sent.filter(({ status }) => status === 429)).toHaveLength(1);
    expect((await view(unknown(1), '203.0.113.10')).status).toBe(404);
    expect((await view(unknown(1), '203.0.113.9')).status).toBe(429);
  });

  it('ignore X-Forwarded-For from an untrusted sender', async () => {
    // The address's 600 fall below a fresh verification's 120 only once it has spent 481 of them.
    for (let i = 0; i < 490; i += 1)
      await view(`vfy_${String(i).padStart(26, '0')}`, `198.51.100.${i % 250}`, untrusting);
    const { id } = await createVerification(service);
    const [most, remaining] = rate((await view(id, '192.0.2.77', untrusting)).headers);
    expect(most).toBe('600');
    expect(Number(remaining)).toBeLessThan(120);
  });
});
