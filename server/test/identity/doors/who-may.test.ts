import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { Role } from '@firsthand/contract/people/people.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/app.ts';
import { exampleKey } from '../../../src/platform/http/openapi.ts';
import { next, openCases, review } from '../../desk/reviews/cases.ts';
import { codeOf, pathsOf } from '../../support/failure.ts';
import { ask, createVerification, submit, until, untilStatus } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';
import { signedIn } from '../people/visitor.ts';

const service = serviceOfSuite();

const personOf = (role: Role, tenantId = service.tenant.tenant_id) =>
  signedIn(service, { tenantId, role, livemode: false });

describe('the link of a claimant', () => {
  it.each(['viewer', 'reviewer'] as const)('is shown to no %s', async role => {
    const { id, capture_url } = await createVerification(service);
    const [waiting] = await openCases(service, 1, { livemode: false });
    const person = await personOf(role);
    const reads = [`/v1/verifications/${id}`, '/v1/verifications', `/v1/verifications/${waiting}`];
    for (const path of reads) {
      const { status, text } = await person.ask(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain(path.startsWith(`/v1/verifications/${waiting}`) ? waiting : id);
      expect(text).not.toContain('capture_url');
      expect(text).not.toContain(capture_url);
    }
    if (role === 'reviewer') {
      const taken = await next(person);
      expect(taken.status).toBe(200);
      expect(taken.text).not.toContain('capture_url');
    }
    expect((await person.ask('/v1/events/stream')).status).toBe(403);
  });

  it.each(['member', 'owner'] as const)('is shown to each %s, and to keys', async role => {
    const { id, capture_url } = await createVerification(service);
    const person = await personOf(role);
    expect((await person.ask<Verification>(`/v1/verifications/${id}`)).body.capture_url).toBe(capture_url);
    const byKey = await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
    expect(byKey.body.capture_url).toBe(capture_url);
  });

  it('is left out of the results of a batch for people who may not create', async () => {
    const member = await personOf('member');
    const batch = await member.ask<{ id: string }>('/v1/batches', { body: { rows: [{ name: 'Ada' }] } });
    expect(batch.status, batch.text).toBe(202);
    const resultsFor = async (role: Role) =>
      (await (await personOf(role)).ask<string>(`/v1/batches/${batch.body.id}/results`)).text;
    await until(async () => (await resultsFor('member')).includes('/v/vfy_'), 'the batch');
    for (const role of ['viewer', 'reviewer'] as const) {
      expect(await resultsFor(role)).toMatch(/^row,id,capture_url,error,name\r\n1,vfy_\w+,,,[^\r]*\r\n$/);
    }
  });

  const flow = ENDPOINTS.filter(endpoint => endpoint.asClaimant);
  it('opens to no browser of a viewer or reviewer of the account, whichever account that browser is in', async () => {
    expect(flow).toHaveLength(7);
    const other = await service.newTenant();
    const { id } = await createVerification(service);
    const statuses = async (cookie: string | null) =>
      Promise.all(
        flow.map(async endpoint => {
          const { method } = endpoint;
          const path = endpoint.path.replace(':token', () => id);
          const body = method === 'POST' ? { body: { nonsense: true } } : {};
          const reply = await ask(service, path, { method, ...(cookie ? { headers: { cookie } } : {}), ...body });
          return [exampleKey(endpoint), reply.status];
        }),
      );
    const may = flow.map(endpoint => [exampleKey(endpoint), endpoint.method === 'GET' ? 200 : 400]);
    const mayNot = flow.map(endpoint => [exampleKey(endpoint), 403]);
    expect(await statuses(null)).toEqual(may);
    for (const role of ['viewer', 'reviewer'] as const) {
      const person = await personOf(role);
      expect(await statuses(person.cookie)).toEqual(mayNot);
      const elsewhere = await personOf('owner', other.tenant_id);
      await service.deps.db.query(
        `insert into session_persons (session_id, person_id, proof) values ($1, $2, 'operator')`,
        [person.sessionId, elsewhere.personId],
      );
      await service.deps.db.query('update sessions set tenant_id = $1, person_id = $2 where id = $3', [
        other.tenant_id,
        elsewhere.personId,
        person.sessionId,
      ]);
      expect(await statuses(person.cookie)).toEqual(mayNot);
    }
    expect(await statuses((await personOf('member')).cookie)).toEqual(may);
    // A stranger to the account may be a claimant.
    expect(await statuses((await personOf('viewer', other.tenant_id)).cookie)).toEqual(may);
    const ended = await personOf('viewer');
    await service.deps.db.query('update sessions set ended_at = now() where id = $1', [ended.sessionId]);
    expect(await statuses(ended.cookie)).toEqual(may);
  });
});

describe('a person who sent a photo of a case', () => {
  it('does not review it, and others do', async () => {
    const { id } = await createVerification(service, { signals_required: ['ai'] });
    const [sender, other] = [await personOf('member'), await personOf('reviewer')];
    const sent = await submit(service, id, await plain(), {}, { cookie: sender.cookie });
    expect(sent.status, sent.text).toBe(201);
    await untilStatus(service, id, ['completed']);
    await service.deps.db.query(
      `update verifications set review_state = 'open', review_needs = 1, review_causes = '["suspicious"]',
         review_opened_at = '2000-01-01' where id = $1`,
      [id],
    );
    const offered = await next(sender);
    expect(offered.status === 204 || offered.body.id !== id).toBe(true);
    const refused = await review(sender, id, { decision: 'approved' });
    expect(codeOf(refused)).toEqual([409, 'own_photo']);
    const claim = await sender.ask(`/v1/reviews/${id}/claim`, { method: 'POST', body: {} });
    expect(codeOf(claim)).toEqual([409, 'own_photo']);
    expect((await next(other)).body.id).toBe(id);
    expect((await review(other, id, { decision: 'approved' })).status).toBe(201);
  });
});

describe('a secret in a webhook URL', () => {
  it('is shown to nobody, and reaches the receiver', async () => {
    const hooks = await receiveWebhooks();
    try {
      const key = service.tenant.rk_secret;
      const url = `${hooks.url.replace('://', '://robot:Hookpassword@')}?case=77&api_key=Hookpassword`;
      const shown = `${hooks.url.replace('://', '://***@')}?case=77&api_key=***`;
      const made = await ask<Verification>(service, '/v1/verifications', { key, body: { webhook_url: url } });
      expect([made.status, made.body.config.webhook_url]).toEqual([201, shown]);
      const template = await ask<{ id: string }>(service, '/v1/link-templates', {
        key,
        body: { name: 'A link', request: { webhook_url: url } },
      });
      expect(template.status, template.text).toBe(201);
      await until(async () => hooks.received.length > 0, 'the webhook');
      const put = await ask<{ request: { webhook_url: string } }>(service, `/v1/link-templates/${template.body.id}`, {
        key,
        method: 'PUT',
        body: { name: 'A better name', request: { webhook_url: shown } },
      });
      expect([put.status, put.body.request.webhook_url]).toEqual([200, shown]);
      const kept = await service.deps.db.query(
        'select request ->> $2 as url from link_template_versions where template_id = $1 order by version',
        [template.body.id, 'webhook_url'],
      );
      expect(kept.rows).toEqual([{ url }, { url }]);
      const paths = [
        `/v1/verifications/${made.body.id}`,
        '/v1/verifications',
        '/v1/verifications/export',
        '/v1/webhook-deliveries',
        '/v1/webhook-endpoints',
        '/v1/link-templates',
        `/v1/link-templates/${template.body.id}`,
        '/v1/audit-log',
        '/v1/audit-log/export',
        '/v1/audit-log/export?format=jsonl',
        '/v1/audit-log/feed',
      ];
      for (const path of paths) {
        const reply = await ask(service, path, { key });
        expect([path, reply.status, reply.text.includes('Hookpassword')]).toEqual([path, 200, false]);
      }
      expect(JSON.stringify(hooks.received)).not.toContain('Hookpassword');
      expect(service.logged.join('\n')).not.toContain('Hookpassword');
      const dry = await ask(service, '/v1/batches?dry_run=true', {
        key,
        body: { request: { webhook_url: url }, rows: [{ name: 'Ada' }] },
      });
      expect([dry.status, dry.text.includes('Hookpassword')]).toEqual([200, false]);
      // The address as it is shown finds its endpoint.
      const body = { since: '2020-01-01T00:00:00Z', url: shown };
      expect((await ask(service, '/v1/webhook-deliveries/recover', { key, body })).status).toBe(202);
    } finally {
      await hooks.close();
    }
  });

  it.each([
    ['/v1/verifications', 'webhook_url', (url: string) => ({ webhook_url: url })],
    ['/v1/link-templates', 'request.webhook_url', (url: string) => ({ name: 'x', request: { webhook_url: url } })],
    ['/v1/batches', 'request.webhook_url', (url: string) => ({ request: { webhook_url: url }, rows: [{ name: 'x' }] })],
    ['/v1/webhooks/test', 'url', (url: string) => ({ url })],
  ] as const)('POST %s refuses an address whose secret is masked', async (path, member, bodyOf) => {
    for (const url of ['https://***@hooks.example/in', 'https://hooks.example/in?token=***']) {
      const reply = await ask(service, path, {
        key: service.tenant.rk_secret,
        body: bodyOf(url),
      });
      expect([reply.status, pathsOf(reply)]).toEqual([400, [member]]);
    }
  });
});
