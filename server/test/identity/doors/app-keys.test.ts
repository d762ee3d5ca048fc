import { randomUUID } from 'node:crypto';
import { receiveWebhooks } from '@firsthand/cli/receive-webhooks.ts';
import type { CreatedApiKey } from '@firsthand/contract/account/management.ts';
import { CreateVerificationRequest } from '@firsthand/contract/verification/create-verification.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../../src/app.ts';
import { exampleKey } from '../../../src/platform/http/openapi.ts';
import { codeOf, pathsOf } from '../../support/failure.ts';
import { ask, createVerification, submit } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const service = serviceOfSuite();

const TEMPLATE = {
  steps: [{ type: 'image', key: 'dent', description: 'The dent', min: 1, max: 2 }],
  signals_required: ['screen', 'ai'],
  metadata: { source: 'claims-app' },
  expected_object: 'a car',
  notify_email: 'desk@acme.example',
  expires_in_seconds: 1_800,
};

const templateOf = async (request: object = TEMPLATE, key = service.tenant.rk_secret) => {
  const made = await ask<{ id: string }>(service, '/v1/link-templates', { key, body: { name: 'Claims', request } });
  expect(made.status, made.text).toBe(201);
  return made.body.id;
};
const mint = (more: object) =>
  ask<CreatedApiKey>(service, '/v1/api-keys', {
    key: service.tenant.rk_secret,
    body: { name: 'The app', mode: 'test', scopes: ['create', 'capture'], ...more },
  });
const appKey = async (request?: object) => {
  const made = await mint({ template_id: await templateOf(request) });
  expect(made.status, made.text).toBe(201);
  return made.body.key!;
};
const create = (key: string, body: object = {}, headers: Record<string, string> = {}) =>
  ask<Verification>(service, '/v1/verifications', { key, body, headers });
const refusedPaths = (reply: { status: number; body: unknown }) => [...codeOf(reply), pathsOf(reply)];
const asAccount = async (id: string) =>
  (await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test })).body;

describe('POST /v1/api-keys with scopes', () => {
  it('needs an active link template of the account, of either mode', async () => {
    const own = await templateOf();
    const stranger = await service.newTenant();
    const foreign = await templateOf(TEMPLATE, stranger.rk_secret);
    const revoked = await templateOf();
    await ask(service, `/v1/link-templates/${revoked}/revoke`, { key: service.tenant.rk_secret, body: {} });
    const wrong = [
      {},
      { template_id: foreign },
      { template_id: revoked },
      { template_id: 'tpl_01JD3V5B2C4D6E8F0G1H3J5K7M' },
      { template_id: own, scopes: undefined },
    ];
    for (const more of wrong) {
      const reply = await mint(more);
      expect([more, reply.status, pathsOf(reply)]).toEqual([more, 400, ['template_id']]);
    }
    const made = await mint({ template_id: own });
    expect([made.status, made.body.template_id]).toEqual([201, own]);
    const read = await ask<CreatedApiKey>(service, `/v1/api-keys/${made.body.id}`, { key: service.tenant.rk_secret });
    expect([read.body.scopes, read.body.template_id]).toEqual([['create', 'capture'], own]);
  });

  it.each([[[]], [['read']], [['create', 'create']], ['create']])('refuses scopes %j', async scopes => {
    expect((await mint({ scopes, template_id: await templateOf() })).status).toBe(400);
  });

  it('without `create` makes a key that opens nothing', async () => {
    const made = await mint({ scopes: ['capture'], template_id: await templateOf() });
    expect((await create(made.body.key!)).status).toBe(403);
  });
});

describe('a key for apps', () => {
  it('creates what its template says, and shows of it only what the page needs', async () => {
    const key = await appKey();
    const made = await create(key, {
      metadata: { claim: 'C-1' },
      expected_info: { subject: { asset_ref: 'car 7', person: { name: 'Ada' } } },
      expires_in_seconds: 600,
    });
    expect(made.status, made.text).toBe(201);
    expect(made.body.config).toEqual({
      max_captures: 2,
      steps: TEMPLATE.steps,
      signals_required: TEMPLATE.signals_required,
      metadata: { claim: 'C-1' },
    });
    const seen = await asAccount(made.body.id);
    expect(seen.config).toMatchObject({
      metadata: { claim: 'C-1', source: 'claims-app' },
      expected_object: 'a car',
      notify_email: 'desk@acme.example',
    });
    expect(Date.parse(seen.expires_at) - Date.parse(seen.created_at)).toBe(600_000);
    expect((await submit(service, made.body.id, await plain())).status).toBe(201);
  });

  it('may send no member but metadata, expected_info and expires_in_seconds, whatever is added to the request', async () => {
    const key = await appKey();
    const may = ['metadata', 'expected_info', 'expires_in_seconds'];
    const others = Object.keys(CreateVerificationRequest.properties).filter(name => !may.includes(name));
    expect(others).toContain('webhook_url');
    for (const name of [...others, 'unheard_of']) {
      expect([name, ...refusedPaths(await create(key, { [name]: 'anything' }))]).toEqual([
        name,
        403,
        'forbidden',
        [name],
      ]);
    }
  });

  it.each([
    ['a forced outcome', { metadata: { test_outcome: 'verified' } }, 'metadata.test_outcome'],
    ['metadata of the template', { metadata: { source: 'a server' } }, 'metadata.source'],
    ['more time than the template gives', { expires_in_seconds: 1_801 }, 'expires_in_seconds'],
    ['shared expectations', { expected_info: { shared: { ocr_type: 'plate' } } }, 'expected_info.shared'],
    ['the source', { expected_info: { source: 'csv' } }, 'expected_info.source'],
    [
      'another expectation than the template’s',
      { expected_info: { subject: { expected_object: 'a bicycle' } } },
      'expected_info.subject.expected_object',
    ],
  ])('may not send %s', async (_, body, path) => {
    expect(refusedPaths(await create(await appKey(), body))).toEqual([403, 'forbidden', [path]]);
  });

  it('gets faults of what it may send as everybody does', async () => {
    const key = await appKey();
    expect(refusedPaths(await create(key, { metadata: { claim: 7 } }))).toEqual([
      400,
      'invalid_request',
      ['metadata.claim'],
    ]);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`k${n}`, 'v']));
    expect(refusedPaths(await create(key, { metadata: many }))).toEqual([400, 'invalid_request', ['metadata']]);
  });

  it('follows the newest version of its template, and ends with it', async () => {
    const template = await templateOf();
    const key = (await mint({ template_id: template })).body.key!;
    const secret = service.tenant.rk_secret;
    await ask(service, `/v1/link-templates/${template}`, {
      method: 'PUT',
      key: secret,
      body: { name: 'Claims', request: { ...TEMPLATE, signals_required: ['screen', 'ai', 'reverse'] } },
    });
    expect((await create(key)).body.config.signals_required).toEqual(['screen', 'ai', 'reverse']);
    await ask(service, `/v1/link-templates/${template}/revoke`, { key: secret, body: {} });
    expect(codeOf(await create(key))).toEqual([409, 'template_revoked']);
  });

  it('reads nothing of the account', async () => {
    const key = await appKey();
    const own = await create(key);
    const other = await createVerification(service);
    const open = ENDPOINTS.filter(({ credentials, scope }) => credentials.includes('key') && !scope);
    expect(open.length).toBeGreaterThan(3);
    for (const endpoint of open) {
      for (const id of [own.body.id, other.id]) {
        const { method } = endpoint;
        const path = endpoint.path.replace(':id', () => id);
        const reply = await ask(service, path, { method, key, ...(method === 'POST' ? { body: {} } : {}) });
        expect([exampleKey(endpoint), reply.status]).toEqual([exampleKey(endpoint), 403]);
      }
    }
  });
});

describe('an Idempotency-Key of a key for apps', () => {
  const used = [409, 'idempotency_key_used'];

  it('never gives another copy of the app the link of the first', async () => {
    const key = await appKey();
    const headers = { 'idempotency-key': 'claim-1042' };
    const body = { metadata: { claim: '1042' } };
    const first = await create(key, body, headers);
    expect(first.status).toBe(201);
    for (const sent of [body, { metadata: { claim: '1043' } }]) {
      const again = await create(key, sent, headers);
      expect(codeOf(again)).toEqual(used);
      expect(again.text).not.toContain(first.body.id);
    }
  });

  it('repeats the answer where it is a random UUID, which only the first sender knows', async () => {
    const key = await appKey();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await create(key, { metadata: { claim: '1' } }, headers);
    const again = await create(key, { metadata: { claim: '1' } }, headers);
    expect([again.status, again.body.id]).toEqual([201, first.body.id]);
    const other = await create(key, { metadata: { claim: '2' } }, headers);
    expect(codeOf(other)).toEqual(used);
  });

  it('is apart from those of the account’s other keys', async () => {
    const headers = { 'idempotency-key': 'claim-1' };
    const byServer = await create(service.tenant.pk_test, {}, headers);
    const byApp = await create(await appKey(), {}, headers);
    expect(byApp.status).toBe(201);
    expect(byApp.body.id).not.toBe(byServer.body.id);
  });
});

describe('a key for apps that was made without a link template', () => {
  let key: string;
  beforeAll(async () => {
    const made = await mint({ template_id: await templateOf() });
    await service.deps.db.query('update api_keys set template_id = null where id = $1', [made.body.id]);
    key = made.body.key!;
    await ask(service, '/v1/settings', {
      method: 'PATCH',
      key: service.tenant.rk_secret,
      body: { signals_required: ['screen', 'ai', 'reverse'], notify_email: 'desk@acme.example' },
    });
  });

  it.each([
    [{}],
    [{ max_captures: 2, metadata: { claim: '1' } }],
    [{ signals_required: ['reverse', 'ai', 'screen', 'depth'] }],
    [{ expected_location: '48.2,16.37', expected_object: 'a car', condition_aspects: ['paint'] }],
    [{ expected_info: { subject: { person: { external_ref: 'P-1' } } }, expires_in_seconds: 7_200 }],
    [
      {
        steps: [
          { key: 'dent', min: 1, max: 1 },
          { key: 'plate', type: 'text' },
        ],
      },
    ],
  ])('works under the account’s defaults: %j', async body => {
    const made = await create(key, body);
    expect(made.status, made.text).toBe(201);
    expect(made.text).not.toContain('desk@acme.example');
    const { config } = await asAccount(made.body.id);
    expect(config.signals_required).toEqual(expect.arrayContaining(['screen', 'ai', 'reverse']));
    expect(config.notify_email).toBe('desk@acme.example');
  });

  it.each([
    ['fewer checks', { signals_required: ['ai'] }, 'signals_required'],
    ['another mode', { mode: 'audit' }, 'mode'],
    ['a receiver', { webhook_url: 'https://hooks.example/in' }, 'webhook_url'],
    ['an address', { notify_email: null }, 'notify_email'],
    ['a brand', { brand_slug: 'acme' }, 'brand_slug'],
    ['another policy', { depth_policy: 'lenient' }, 'depth_policy'],
    ['a context', { context: { kind: 'x', summary: 'y' } }, 'context'],
    ['no seal', { seal: false }, 'seal'],
    ['uploads', { steps: [{ key: 'a', type: 'upload', min: 1, max: 1 }] }, 'steps.0.type'],
    ['words for the page', { steps: [{ key: 'a', min: 1, max: 1, description: 'Call me' }] }, 'steps.0.description'],
    [
      'words for the page in another language',
      { steps: [{ key: 'a', min: 1, max: 1, descriptions: { de: 'Ruf mich an' } }] },
      'steps.0.descriptions',
    ],
    [
      'a picture on the page',
      { steps: [{ key: 'a', min: 1, max: 1, example_picture: 'a'.repeat(64) }] },
      'steps.0.example_picture',
    ],
    ['a forced outcome', { metadata: { test_outcome: 'verified' } }, 'metadata.test_outcome'],
  ])('may not ask for %s', async (_, body, path) => {
    expect(refusedPaths(await create(key, body))).toEqual([403, 'forbidden', [path]]);
  });
});

describe('a webhook of a verification made with a key for apps', () => {
  it('goes to the receiver of the template', async () => {
    const hooks = await receiveWebhooks();
    try {
      const key = await appKey({ ...TEMPLATE, webhook_url: hooks.url });
      const made = await create(key);
      expect(made.text).not.toContain(hooks.url);
      await expect.poll(() => hooks.of(made.body.id).length, { timeout: 20_000 }).toBeGreaterThan(0);
    } finally {
      await hooks.close();
    }
  });
});
