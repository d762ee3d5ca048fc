import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeOf, type Failure, pathsOf } from '../../support/failure.ts';
import { ask, createVerification, startTestService, type TestService } from '../../support/harness.ts';

describe('POST /v1/verifications', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
  });
  afterAll(() => service?.stop());

  const faultsOf = async (body: unknown) => {
    const reply = await ask<Failure>(service, '/v1/verifications', { key: service.tenant.pk_test, body });
    expect(codeOf(reply)).toEqual([400, 'invalid_request']);
    return pathsOf(reply)?.sort();
  };

  it('fills in every default', async () => {
    const { config, ...rest } = await createVerification(service);
    expect(config).toEqual({
      max_captures: 1,
      steps: [{ type: 'image', key: 'capture_1', description: '', min: 1, max: 1 }],
      signals_required: ['screen', 'ai'],
    });
    expect(rest).toMatchObject({ status: 'pending', captures_count: 0, livemode: false });
    expect(rest.capture_url).toBe(`${service.url}/v/${rest.id}`);
    expect(Date.parse(rest.expires_at) - Date.parse(rest.created_at)).toBe(3_600_000);
    expect(rest).not.toHaveProperty('verdict');
  });

  it('stores max_captures as one step that needs them all', async () => {
    const { config } = await createVerification(service, { max_captures: 4 });
    expect(config.steps).toEqual([{ type: 'image', key: 'capture_1', description: '', min: 4, max: 4 }]);
    expect(config.max_captures).toBe(4);
  });

  it('normalises steps so that each has all of its fields', async () => {
    const { config } = await createVerification(service, {
      steps: [
        { key: 'front', min: 1, max: 2 },
        { type: 'text', key: 'serial', validation: { min_length: 3 } },
        { type: 'upload', key: 'receipt', min: 0, max: 1 },
      ],
    });
    expect(config.max_captures).toBe(3);
    expect(config.steps).toEqual([
      { type: 'image', key: 'front', description: '', min: 1, max: 2 },
      {
        type: 'text',
        key: 'serial',
        description: '',
        required: true,
        validation: { min_length: 3, max_length: 2000, format: 'free_text' },
      },
      {
        type: 'upload',
        key: 'receipt',
        description: '',
        min: 0,
        max: 1,
        accept: ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif'],
        max_size_bytes: 10_485_760,
      },
    ]);
  });

  it('accepts every field at its bounds and echoes the configuration', async () => {
    const body = {
      max_captures: 20,
      expires_in_seconds: 86_400,
      signals_required: ['screen', 'ai', 'reverse', 'context', 'depth'],
      seal: false,
      mode: 'audit',
      context: { kind: 'k'.repeat(64), summary: 's'.repeat(500), attributes: { a: 'x', b: 1.5, c: true } },
      webhook_url: 'https://hooks.example/in?x=1',
      notify_email: `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.ab`,
      metadata: { k: 'v'.repeat(500) },
      expected_location: 'l'.repeat(300),
      expected_object: 'o'.repeat(200),
      condition_aspects: Array.from({ length: 6 }, (_, i) => `${i}`.padEnd(40, 'x')),
      brand_slug: 'a-b-9',
    };
    const { config } = await createVerification(service, body);
    expect(config).toMatchObject({
      max_captures: 20,
      signals_required: body.signals_required,
      mode: 'audit',
      context: body.context,
      webhook_url: body.webhook_url,
      notify_email: body.notify_email,
      metadata: body.metadata,
      expected_location: body.expected_location,
      expected_object: body.expected_object,
      condition_aspects: body.condition_aspects,
    });
  });

  it('merges expected_info: top level, else subject, else shared', async () => {
    const { config } = await createVerification(service, {
      expected_object: 'top',
      expected_info: {
        source: 'csv',
        shared: {
          expected_object: 'shared',
          expected_location: 'shared',
          condition_aspects: ['shared'],
          ocr_type: 'vin',
        },
        subject: {
          expected_object: 'subject',
          expected_location: 'subject',
          asset_ref: 'A-1',
          person: { name: 'N', email: 'n@example.org', phone_e164: '+4915112345678', external_ref: 'ref' },
        },
      },
    });
    expect(config).toMatchObject({
      expected_object: 'top',
      expected_location: 'subject',
      condition_aspects: ['shared'],
    });
    expect(JSON.stringify(config)).not.toContain('n@example.org');
  });

  it('follows the notify-email rules: account default, explicit address, explicit null', async () => {
    const other = await service.newTenant();
    await service.deps.db.query(`update tenants set notify_email = 'account@example.org' where id = $1`, [
      other.tenant_id,
    ]);
    const emailOf = async (body: object) =>
      (await createVerification(service, body, other.pk_test)).config.notify_email;
    expect(await emailOf({})).toBe('account@example.org');
    expect(await emailOf({ notify_email: 'own@example.org' })).toBe('own@example.org');
    expect(await emailOf({ notify_email: null })).toBeNull();
    const before = await createVerification(service, {}, other.pk_test);
    await service.deps.db.query(`update tenants set notify_email = 'new@example.org' where id = $1`, [other.tenant_id]);
    const after = await ask<Verification>(service, `/v1/verifications/${before.id}`, { key: other.pk_test });
    expect(after.body.config.notify_email).toBe('account@example.org');
    expect((await createVerification(service)).config).not.toHaveProperty('notify_email');
  });

  it('reports every fault at once, with dotted paths', async () => {
    expect(
      await faultsOf({
        max_captures: 0,
        expires_in_seconds: 59,
        signals_required: [],
        seal: 'yes',
        mode: 'other',
        context: { kind: '', extra: 1 },
        webhook_url: 'not a url',
        notify_email: 'nobody',
        metadata: { k: 'x'.repeat(501), n: 5 },
        expected_location: '',
        condition_aspects: ['x'.repeat(41)],
        expected_info: { subject: { person: { email: 'x', phone_e164: '12' } }, other: 1 },
        brand_slug: 'A',
        surprise: true,
      }),
    ).toEqual(
      [
        'max_captures',
        'expires_in_seconds',
        'signals_required',
        'seal',
        'mode',
        'context.kind',
        'context.summary',
        'context.extra',
        'webhook_url',
        'notify_email',
        'metadata.k',
        'metadata.n',
        'expected_location',
        'condition_aspects.0',
        'expected_info.subject.person.email',
        'expected_info.subject.person.phone_e164',
        'expected_info.other',
        'brand_slug',
        'brand_slug',
        'surprise',
      ].sort(),
    );
  });

  const stepFaults: [string, unknown, string[]][] = [
    ['both capture specs', { max_captures: 1, steps: [{ key: 'a', min: 1, max: 1 }] }, ['max_captures']],
    ['no steps', { steps: [] }, ['steps']],
    ['a missing min', { steps: [{ key: 'a', max: 1 }] }, ['steps.0.min']],
    ['a max of 0', { steps: [{ key: 'a', min: 0, max: 0 }] }, ['steps.0.max']],
    ['coercible numbers', { steps: [{ key: 'a', min: '1', max: 1.5 }] }, ['steps.0.max', 'steps.0.min']],
    ['a bad key', { steps: [{ key: '-A', min: 1, max: 1 }] }, ['steps.0.key']],
    ['an unknown type', { steps: [{ type: 'video', key: 'a', min: 1, max: 1 }] }, ['steps.0.type']],
    ['a foreign field', { steps: [{ key: 'a', min: 1, max: 1, accept: ['image/png'] }] }, ['steps.0.accept']],
    ['min above max', { steps: [{ key: 'a', min: 3, max: 2 }] }, ['steps.0.min']],
    [
      'duplicate keys',
      {
        steps: [
          { key: 'a', min: 1, max: 1 },
          { key: 'a', min: 1, max: 1 },
        ],
      },
      ['steps.1.key'],
    ],
    ['only text', { steps: [{ type: 'text', key: 'a' }] }, ['steps']],
    [
      'too much in all',
      {
        steps: [
          { key: 'a', min: 1, max: 11 },
          { key: 'b', min: 1, max: 10 },
        ],
      },
      ['steps'],
    ],
    [
      'a text range turned round',
      {
        steps: [
          { key: 'p', min: 1, max: 1 },
          { type: 'text', key: 'a', validation: { min_length: 9, max_length: 3 } },
        ],
      },
      ['steps.1.validation.min_length'],
    ],
    [
      'an arbitrary regex',
      {
        steps: [
          { key: 'p', min: 1, max: 1 },
          { type: 'text', key: 'a', validation: { pattern: '.*' } },
        ],
      },
      ['steps.1.validation.pattern'],
    ],
    [
      'upload bounds',
      { steps: [{ type: 'upload', key: 'a', min: 0, max: 1, accept: ['image/gif'], max_size_bytes: 26_214_401 }] },
      ['steps.0.accept.0', 'steps.0.max_size_bytes'],
    ],
    ['a body that is no object', [], ['body']],
    ['null for a string', { expected_object: null }, ['expected_object']],
    ['U+0000', { metadata: { a: 'x\u0000' } }, ['metadata.a']],
    ['a webhook that is not http', { webhook_url: 'ftp://example.org/x' }, ['webhook_url']],
    ['tenant_id without the bot', { tenant_id: 'tnt_x' }, ['tenant_id']],
  ];
  it.each(stepFaults)('refuses %s', async (_name, body, paths) => {
    expect(await faultsOf(body)).toEqual(paths);
  });

  it('answers malformed JSON, a wrong content type and an over-long body with the error envelope', async () => {
    const raw = (body: string, type = 'application/json') =>
      fetch(`${service.url}/v1/verifications`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.tenant.pk_test}`, 'content-type': type },
        body,
      });
    for (const reply of [
      await raw('{'),
      await raw('{}', 'text/plain'),
      await raw(`{"a":"${'x'.repeat(2_000_000)}"}`),
    ]) {
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({ error: { code: 'invalid_request', fields: [{ path: 'body' }] } });
      expect(reply.headers.get('request-id')).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    }
  });

  it('answers an unknown route, method and malformed URL as not found', async () => {
    const key = { authorization: `Bearer ${service.tenant.pk_test}` };
    const unknown = await fetch(`${service.url}/v1/verifications/vfy_nope`, { headers: key }).then(r => r.text());
    for (const [method, path] of [
      ['GET', '/v1/nothing'],
      ['DELETE', '/v1/verifications'],
      ['GET', '/v1/verifications/%zz'],
      ['GET', `/v1/verifications/${'x'.repeat(400)}`],
    ] as const) {
      const reply = await fetch(`${service.url}${path}`, { method, headers: key });
      expect([path, reply.status, await reply.text()]).toEqual([path, 404, unknown]);
    }
  });

  it('replays the answer for the same Idempotency-Key and refuses another request under it', async () => {
    const create = (key: string, body: object) =>
      ask<Verification>(service, '/v1/verifications', {
        key: service.tenant.pk_test,
        body,
        headers: { 'idempotency-key': key },
      });
    const first = await create('k-1', { max_captures: 2 });
    const second = await create('k-1', { max_captures: 2 });
    expect([second.status, second.body, second.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true']);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const conflict = await create('k-1', { max_captures: 3 });
    expect([conflict.status, conflict.body]).toMatchObject([422, { error: { code: 'idempotency_conflict' } }]);
    const race = await Promise.all(Array.from({ length: 8 }, () => create('k-2', {})));
    const made = new Set(race.filter(reply => reply.status === 201).map(reply => reply.body.id));
    expect(made.size).toBe(1);
    expect(race.every(reply => reply.status === 201 || reply.status === 409)).toBe(true);
    const again = await Promise.all([createVerification(service), createVerification(service)]);
    expect(again[0].id).not.toBe(again[1].id);
  });
});
