import type { LinkTemplate, LinkTemplateWithVersions } from '@firsthand/contract/account/management.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { describe, expect, it } from 'vitest';
import { codeOf, pathsOf } from '../../support/failure.ts';
import { ask, createVerification, submit, until, untilStatus } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const service = serviceOfSuite({ env: { TRUSTED_PROXIES: '127.0.0.1,::1' } });

describe('link templates', () => {
  const manage = <T>(method: string, path: string, body?: object) =>
    ask<T>(service, path, { method, key: service.tenant.rk_secret, ...(body ? { body } : {}) });
  const publish = async (request: object) =>
    (await manage<LinkTemplate>('POST', '/v1/link-templates', { name: 'Poster', request })).body;
  const open = (url: string, o: { method?: string; from?: string; headers?: Record<string, string> } = {}) =>
    fetch(url, {
      redirect: 'manual',
      method: o.method ?? 'GET',
      headers: { 'x-forwarded-for': o.from ?? '10.0.0.1', ...o.headers },
    });
  /** The verification that an opening makes. */
  async function openedBy({ url }: LinkTemplate): Promise<string> {
    const answer = await open(url);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([303, 'no-store']);
    return /\/v\/(vfy_\w+)$/.exec(answer.headers.get('location')!)![1]!;
  }
  const issued = async () =>
    Number((await service.deps.db.query<{ n: string }>('select count(*) as n from verifications')).rows[0]!.n);

  it('create a verification of their current version at each opening; earlier versions stay readable', async () => {
    const template = await publish({ max_captures: 2, metadata: { poster: 'north' } });
    expect(template).toMatchObject({ version: 1, status: 'active', livemode: true });
    const [first, second] = [await openedBy(template), await openedBy(template)];
    expect(first).not.toBe(second);
    const read = async (id: string) => (await manage<Verification>('GET', `/v1/verifications/${id}`)).body;
    expect((await read(first)).config).toMatchObject({ max_captures: 2, metadata: { poster: 'north' } });

    const next = await manage<LinkTemplate>('PUT', `/v1/link-templates/${template.id}`, {
      name: 'Poster, winter',
      request: { max_captures: 3 },
    });
    expect(next.body).toMatchObject({ version: 2, url: template.url, name: 'Poster, winter' });
    const third = await openedBy(template);
    expect([(await read(third)).config.max_captures, (await read(first)).config.max_captures]).toEqual([3, 2]);
    const { body } = await manage<LinkTemplateWithVersions>('GET', `/v1/link-templates/${template.id}`);
    expect(body.versions.map(version => [version.version, version.name, version.request.max_captures])).toEqual([
      [2, 'Poster, winter', 3],
      [1, 'Poster', 2],
    ]);
    const { rows } = await service.deps.db.query(
      "select private -> 'template' as template from verifications where id = $1",
      [first],
    );
    expect(rows[0]).toEqual({ template: { id: template.id, version: 1 } });
  });

  it('give each of two simultaneous updates its own version', async () => {
    const { id } = await publish({});
    const versions = await Promise.all(
      [2, 3, 4, 5].map(async max_captures => {
        const body = { name: 'Poster', request: { max_captures } };
        return (await manage<LinkTemplate>('PUT', `/v1/link-templates/${id}`, body)).body.version;
      }),
    );
    expect(versions.toSorted()).toEqual([2, 3, 4, 5]);
  });

  it('show that they are revoked, create nothing more, and cannot be changed', async () => {
    const template = await publish({});
    const started = await openedBy(template);
    const before = await issued();
    for (let times = 0; times < 2; times += 1) {
      const revoked = await manage<LinkTemplate>('POST', `/v1/link-templates/${template.id}/revoke`);
      expect([revoked.status, revoked.body.status]).toEqual([200, 'revoked']);
    }
    const gone = await open(template.url);
    const page = await gone.text();
    expect([gone.status, gone.headers.get('content-type')]).toEqual([410, 'text/html; charset=utf-8']);
    expect(page).toContain('<meta name="firsthand-end" content="revoked">');
    expect([gone.headers.get('content-security-policy'), gone.headers.get('cache-control')]).toEqual([
      expect.stringMatching(/^(?!.*unsafe)default-src 'none'/),
      'no-store',
    ]);
    expect(await issued()).toBe(before);
    const put = await manage('PUT', `/v1/link-templates/${template.id}`, { name: 'x', request: {} });
    expect(codeOf(put)).toEqual([409, 'template_revoked']);
    expect((await submit(service, started, await plain())).status).toBe(201);
    const log = await manage<{ data: { action: string }[] }>('GET', '/v1/audit-log?limit=2');
    expect(log.body.data.map(({ action }) => action)).toEqual(['link_template.revoked', 'link_template.published']);
  });

  it('show a page for an unknown address', async () => {
    for (const id of ['nothing', `tpl_${'0'.repeat(26)}`, '%3Cscript%3E']) {
      const answer = await open(`${service.url}/t/${id}`);
      const page = await answer.text();
      expect([answer.status, page.includes('<meta name="firsthand-end" content="unknown">')]).toEqual([404, true]);
      expect(page).not.toContain('%3C');
      expect(page).not.toContain('<script>');
    }
  });

  it('create nothing for a chat preview, a picture with the address, HEAD or a prefetch', async () => {
    const template = await publish({});
    const before = await issued();
    const previewers = [
      'WhatsApp/2.24',
      'Slackbot-LinkExpanding 1.0',
      'Mozilla/5.0 (Macintosh) facebookexternalhit/1.1 Facebot Twitterbot/1.0',
    ];
    for (const agent of previewers) {
      const answer = await open(template.url, { method: 'GET', headers: { 'user-agent': agent } });
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      const page = await answer.text();
      expect(page).toContain('<form method="post"><button>Start</button></form>');
      expect(page).not.toContain('vfy_');
      expect(answer.headers.get('content-security-policy')).toMatch(
        /script-src 'sha256-[^']+'; form-action 'self' http/,
      );
    }
    for (const wanted of ['image', 'script', 'empty']) {
      const answer = await open(template.url, { method: 'GET', headers: { 'sec-fetch-dest': wanted } });
      expect([wanted, answer.status]).toEqual([wanted, 200]);
    }
    const head = await open(template.url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const prefetch = { method: 'GET', headers: { 'sec-purpose': 'prefetch;prerender' } };
    expect((await open(template.url, prefetch)).status).toBe(503);
    expect(await issued()).toBe(before);
    // The form as a browser without script sends it.
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await open(template.url, { method: 'POST', headers: form })).status).toBe(303);
    expect(await issued()).toBe(before + 1);
    const person = {
      'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) Version/26.0 Mobile Safari/604.1',
    };
    expect((await open(template.url, { headers: person })).status).toBe(303);
    expect(await issued()).toBe(before + 2);
  });

  it('are limited per address and minute, and then say when to retry', async () => {
    const template = await publish({});
    const statuses = [];
    for (let i = 0; i < 61; i += 1) statuses.push((await open(template.url, { from: '10.9.9.9' })).status);
    expect(statuses).toEqual([...Array<number>(60).fill(303), 429]);
    const busy = await open(template.url, { from: '10.9.9.9' });
    expect(Number(busy.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await busy.text()).toContain('A moment, please');
    expect((await open(template.url, { from: '10.9.9.10' })).status).toBe(303);
  });

  it('name the faults of their request by path', async () => {
    const reply = await manage('POST', '/v1/link-templates', {
      name: 'Bad',
      request: { max_captures: 2, steps: [{ key: 'a', min: 2, max: 1 }], tenant_id: 'tnt_1' },
    });
    expect(pathsOf(reply)?.toSorted()).toEqual(['request.max_captures', 'request.steps.0.min', 'request.tenant_id']);
  });
});

describe('trial', () => {
  const trial = (body: object, from = '10.0.0.1') =>
    ask<Verification>(service, '/v1/trial/verifications', { body, headers: { 'x-forwarded-for': from } });

  it('belongs to one tenant, however many start at once on a database without one', async () => {
    const owners = async () => (await service.deps.db.query('select 1 from tenants where is_trial')).rowCount;
    expect(await owners()).toBe(0);
    await Promise.all(Array.from({ length: 8 }, (_, i) => trial({}, `10.2.0.${i}`)));
    expect(await owners()).toBe(1);
  });

  it('needs no account and shows its signals, and no other data', async () => {
    const made = await trial({ max_captures: 1 });
    expect(made.status).toBe(201);
    const seconds = (Date.parse(made.body.expires_at) - Date.parse(made.body.created_at)) / 1_000;
    expect(seconds).toBe(600);
    expect((await submit(service, made.body.id, await plain())).status).toBe(201);
    const { rows } = await service.deps.db.query<{ is_trial: boolean }>(
      'select t.is_trial from verifications v join tenants t on t.id = v.tenant_id where v.id = $1',
      [made.body.id],
    );
    expect(rows).toEqual([{ is_trial: true }]);
    const result = await until(async () => {
      const { body } = await ask<Verification>(service, `/v1/trial/verifications/${made.body.id}`);
      return body.status === 'completed' && body;
    }, 'the verdict of the trial');
    expect(Object.keys(result.verdict!.signals).toSorted()).toEqual(['ai_detection', 'screen_detection']);
    expect(result.captures[0]!.signals).toBeDefined();
    expect(JSON.stringify(result)).not.toMatch(/image_url|preview_url|progress|tenant/);
    const { id } = await createVerification(service);
    expect((await ask(service, `/v1/trial/verifications/${id}`)).status).toBe(404);
    await untilStatus(service, id, ['pending']);
  });

  it('accepts one step and ten minutes, and nothing that calls, writes or costs elsewhere', async () => {
    const step = { key: 'a', min: 1, max: 1 };
    const bad: [object, string][] = [
      [{ steps: [step, { ...step, key: 'b' }] }, 'steps'],
      [{ expires_in_seconds: 601 }, 'expires_in_seconds'],
      [{ webhook_url: 'https://example.com/' }, 'webhook_url'],
      [{ notify_email: 'someone@example.com' }, 'notify_email'],
      [{ expected_object: 'a car' }, 'expected_object'],
      [{ metadata: { test_outcome: 'verified' } }, 'metadata'],
    ];
    for (const [index, [body, path]] of bad.entries()) {
      const reply = await trial(body, `10.1.0.${index}`);
      expect([reply.status, pathsOf(reply)]).toEqual([400, [path]]);
    }
  });

  it('is limited to ten an hour per address, or per IPv6 network', async () => {
    const from = (i: number) => `2001:db8:1:2:${i.toString(16)}::1`;
    const statuses = [];
    for (let i = 0; i < 11; i += 1) statuses.push((await trial({}, from(i))).status);
    expect(statuses).toEqual([...Array<number>(10).fill(201), 429]);
    const refused = await trial({}, from(12));
    expect(refused.headers.get('ratelimit-limit')).toBe('10');
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(3_500);
    expect(wait).toBeLessThanOrEqual(3_600);
    expect((await trial({}, '2001:db8:1:3::1')).status).toBe(201);
  });
});
