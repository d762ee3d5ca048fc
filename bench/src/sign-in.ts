/**
 * Measures how much more a person's request costs than an API key's, in the same run. Also measures our own part of a sign-in: the provider
 * in this bench answers immediately.
 *
 * node bench/src/sign-in.ts [--requests 250] [--sign-ins 50] [--write FILE]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Firsthand } from '@firsthand/sdk';
import type { FirstRun } from 'firsthand/identity/tenants/first-run.ts';
import { Agent, request } from 'undici';
import { openForger } from '../../server/test/identity/people/identity-provider.ts';
import { firstRunOf, freePort, startServiceProcess } from '../../server/test/support/service-process.ts';
import { median, percentile } from './measure.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: {
    // A person may send 600 requests a minute.
    requests: { type: 'string', default: '250' },
    'sign-ins': { type: 'string', default: '50' },
    write: { type: 'string' },
  },
});
const report = createReport('What a session costs beside a key');
const agent = new Agent({ connections: 1 });
const folder = await mkdtemp(join(tmpdir(), 'fh-bench-'));
const port = await freePort();
const url = `http://localhost:${port}`;
const provider = await openForger();
const service = startServiceProcess({
  dataDir: join(folder, 'data'),
  port,
  env: {
    LOG_LEVEL: 'error',
    TRUSTED_PROXIES: '127.0.0.1,::1',
    OIDC_BENCH_ISSUER: provider.issuer,
    OIDC_BENCH_CLIENT_ID: 'firsthand',
    OIDC_BENCH_CLIENT_SECRET: 'a-secret-that-both-know',
  },
});

type Headers = Record<string, string>;
let sender = 0;

/** Sends one request. Resolves to its milliseconds, cookies and redirect target. */
async function send(path: string, o: { headers?: Headers; body?: object } = {}) {
  sender += 1;
  const start = performance.now();
  const answer = await request(`${url}${path}`, {
    dispatcher: agent,
    method: o.body ? 'POST' : 'GET',
    headers: {
      ...o.headers,
      // Sends each request from a separate address, because the sign-in limits count by address.
      'x-forwarded-for': `10.${(sender >> 16) & 255}.${(sender >> 8) & 255}.${sender & 255}`,
      ...(o.body ? { 'content-type': 'application/json' } : {}),
    },
    ...(o.body ? { body: JSON.stringify(o.body) } : {}),
  });
  const text = await answer.body.text();
  const ms = performance.now() - start;
  if (answer.statusCode >= 400) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
  const set = [answer.headers['set-cookie'] ?? []].flat().map(line => line.split(';')[0]!);
  return { ms, cookie: set.join('; '), location: String(answer.headers.location ?? '') };
}

async function benchRequests(tenant: FirstRun): Promise<void> {
  const { hash } = new URL(tenant.dashboard_url);
  const { cookie } = await send('/v1/auth/first-run', { body: { token: hash.replace('#first=', '') } });
  const byKey = () => send('/v1/settings', { headers: { authorization: `Bearer ${tenant.rk_secret}` } });
  const byCookie = () => send('/v1/settings', { headers: { cookie } });
  const times = { key: [] as number[], cookie: [] as number[] };
  for (let n = 0; n < 20; n += 1) await Promise.all([byKey(), byCookie()]);
  // Alternates the two, so that other load on the machine affects both.
  for (let n = 0; n < Number(values.requests); n += 1) {
    times.key.push((await byKey()).ms);
    times.cookie.push((await byCookie()).ms);
  }
  const line = (what: string, of: (samples: number[]) => number) => {
    const [key, session] = [of(times.key), of(times.cookie)];
    report.print(`| ${what} | ${key.toFixed(2)} ms | ${session.toFixed(2)} ms | ${(session - key).toFixed(2)} ms |`);
  };
  report.print('| GET /v1/settings | by key | by cookie | more |\n|---|---|---|---|');
  line('median', median);
  line('p95', samples => percentile(samples, 0.95));
}

async function benchSignIns(tenant: FirstRun): Promise<void> {
  await new Firsthand(tenant.rk_secret, { baseUrl: url }).people.invite({
    email: 'victim@people.example',
    role: 'viewer',
  });
  const times: number[] = [];
  const byKey: number[] = [];
  for (let n = 0; n <= Number(values['sign-ins']); n += 1) {
    byKey.push((await send('/v1/settings', { headers: { authorization: `Bearer ${tenant.rk_secret}` } })).ms);
    const begun = await send('/v1/auth/bench/start');
    const { searchParams } = new URL(begun.location);
    provider.state.nonce = searchParams.get('nonce')!;
    const back = `/v1/auth/bench/callback?code=c&state=${searchParams.get('state')}`;
    const ended = await send(back, { headers: { cookie: begun.cookie } });
    if (ended.location !== '/dashboard') throw new Error(`a sign-in ended at ${ended.location}`);
    // Skip the first one, which also reads the provider's discovery document.
    if (n > 0) times.push(begun.ms + ended.ms);
  }
  report.print('\n| | sign-in with a provider that answers at once | a key reads settings meanwhile |\n|---|---|---|');
  report.print(`| median | ${median(times).toFixed(1)} ms | ${median(byKey).toFixed(1)} ms |`);
  report.print(`| p95 | ${percentile(times, 0.95).toFixed(1)} ms | ${percentile(byKey, 0.95).toFixed(1)} ms |`);
}

try {
  await service.ready();
  const tenant = (await firstRunOf(join(folder, 'data'))) as FirstRun;
  await benchRequests(tenant);
  await benchSignIns(tenant);
  report.write(values.write);
} finally {
  await service.stop();
  await provider.close();
  await agent.close();
  await rm(folder, { recursive: true, force: true });
}
