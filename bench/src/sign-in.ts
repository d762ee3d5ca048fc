/**
 * Measures how much more a person's request costs than an API key's, in the same run. Also measures our own part of a sign-in: the provider
 * in this bench answers immediately.
 *
 * node bench/src/sign-in.ts [--requests 250] [--sign-ins 50] [--write FILE]
 */
import { Firsthand } from '@firsthand/sdk';
import type { FirstRun } from 'firsthand/identity/tenants/first-run.ts';
import { Agent } from 'undici';
import { openForger } from '../../server/test/identity/people/identity-provider.ts';
import { PHONES, phoneOf } from '../../server/test/support/phones.ts';
import { firstRunOf } from '../../server/test/support/service-process.ts';
import { median, percentile } from './measure.ts';
import { startOwnService } from './own-service.ts';
import { ask } from './receivers.ts';
import { createReport, optionsOf } from './report.ts';

// A person may send 600 requests a minute.
const options = optionsOf({ requests: '250', 'sign-ins': '50' });
const report = createReport('What a session costs beside a key');
const agent = new Agent({ connections: 1 });
const provider = await openForger();
const service = await startOwnService({
  ...PHONES,
  OIDC_BENCH_ISSUER: provider.issuer,
  OIDC_BENCH_CLIENT_ID: 'firsthand',
  OIDC_BENCH_CLIENT_SECRET: 'a-secret-that-both-know',
});
// The name in the links of the service.
const url = service.url.replace('127.0.0.1', 'localhost');
let sent = 0;
try {
  await benchRequests();
  await benchSignIns();
  report.write(options.write);
} finally {
  await service.close();
  await provider.close();
  await agent.close();
}

/** Sends one request. Resolves to its milliseconds, cookies and redirect target. */
async function send(path: string, o: { key?: string; cookie?: string; body?: object } = {}) {
  const { key, cookie, body } = o;
  // Each request comes from an address of its own, because the sign-in limits count by address.
  const headers = { ...phoneOf(sent++), ...(cookie && { cookie }) };
  const answer = await ask<unknown>(`${url}${path}`, { headers, ...(key && { key }), ...(body && { body }) }, agent);
  const set = [answer.headers['set-cookie'] ?? []].flat().map(line => line.split(';')[0]!);
  return { ms: answer.ms, cookie: set.join('; '), location: String(answer.headers.location ?? '') };
}

async function benchRequests(): Promise<void> {
  const { dashboard_url } = (await firstRunOf(service.dataDir)) as FirstRun;
  const token = new URL(dashboard_url).hash.replace('#first=', '');
  const { cookie } = await send('/v1/auth/first-run', { body: { token } });
  const byKey = () => send('/v1/settings', { key: service.tenant.rk_secret });
  const byCookie = () => send('/v1/settings', { cookie });
  const times = { key: [] as number[], cookie: [] as number[] };
  for (let n = 0; n < 20; n += 1) await Promise.all([byKey(), byCookie()]);
  // Alternates the two, so that other load on the machine affects both.
  for (let n = 0; n < Number(options.requests); n += 1) {
    times.key.push((await byKey()).ms);
    times.cookie.push((await byCookie()).ms);
  }
  report.print('| GET /v1/settings | by key | by cookie | more |\n|---|---|---|---|');
  for (const [what, share] of [
    ['median', 0.5],
    ['p95', 0.95],
  ] as const) {
    const [key, session] = [percentile(times.key, share), percentile(times.cookie, share)];
    report.row(what, ...[key, session, session - key].map(ms => `${ms.toFixed(2)} ms`));
  }
}

async function benchSignIns(): Promise<void> {
  const { rk_secret: key } = service.tenant;
  const invited = { email: 'victim@people.example', role: 'viewer' as const };
  await new Firsthand(key, { baseUrl: url }).people.invite(invited);
  const times: number[] = [];
  const byKey: number[] = [];
  for (let n = 0; n <= Number(options['sign-ins']); n += 1) {
    byKey.push((await send('/v1/settings', { key })).ms);
    const begun = await send('/v1/auth/bench/start');
    const { searchParams } = new URL(begun.location);
    provider.state.nonce = searchParams.get('nonce')!;
    const back = `/v1/auth/bench/callback?code=c&state=${searchParams.get('state')}`;
    const ended = await send(back, { cookie: begun.cookie });
    if (ended.location !== '/dashboard') throw new Error(`a sign-in ended at ${ended.location}`);
    // Skip the first one, which also reads the provider's discovery document.
    if (n > 0) times.push(begun.ms + ended.ms);
  }
  report.print('\n| | sign-in with a provider that answers at once | a key reads settings meanwhile |\n|---|---|---|');
  report.row('median', `${median(times).toFixed(1)} ms`, `${median(byKey).toFixed(1)} ms`);
  report.row('p95', ...[times, byKey].map(list => `${percentile(list, 0.95).toFixed(1)} ms`));
}
