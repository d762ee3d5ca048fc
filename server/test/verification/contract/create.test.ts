import { ERROR_STATUS } from '@firsthand/contract/base/errors.ts';
import type { Verification } from '@firsthand/contract/verification/verification.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { codeOf, type Failure, pathsOf } from '../../support/failure.ts';
import { ask, createVerification } from '../../support/harness.ts';
import { plain } from '../../support/pictures.ts';
import { serviceOfSuite } from '../../support/suite.ts';

const service = serviceOfSuite({ worker: false });

describe('POST /v1/verifications', () => {
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
    ['coercible numbers', { steps: [{ key: 'a', min: '1', max: 1.5 }] }, ['steps.0.max', 'steps.0.min']],
    ['an unknown type', { steps: [{ type: 'video', key: 'a', min: 1, max: 1 }] }, ['steps.0.type']],
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
    ['a body that is no object', [], ['body']],
    ['null for a string', { expected_object: null }, ['expected_object']],
    ['U+0000', { metadata: { a: 'x\u0000' } }, ['metadata.a']],
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

const x = (length: number) => 'x'.repeat(length);
const keys = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, 'v']));
const photo = { key: 'p', min: 1, max: 1 };
const step = (more: object) => ({ steps: [{ ...photo, ...more }] });
const text = (more: object) => ({ steps: [photo, { type: 'text', key: 't', ...more }] });
const upload = (more: object) => ({ steps: [{ type: 'upload', key: 'u', min: 0, max: 1, ...more }] });
const person = (more: object) => ({ expected_info: { subject: { person: more } } });
const email = (length: number) => `${x(64)}@${x(63)}.${x(63)}.${x(length - 64 - 1 - 64 * 2 - 3)}.ab`;

/** Field, the values at its bounds, and the values just outside with the path that names them. */
const BOUNDS: [string, object[], [object, string][]][] = [
  [
    'max_captures',
    [{ max_captures: 1 }, { max_captures: 20 }],
    [
      [{ max_captures: 0 }, 'max_captures'],
      [{ max_captures: 21 }, 'max_captures'],
      [{ max_captures: 1.5 }, 'max_captures'],
      [{ max_captures: '1' }, 'max_captures'],
      [{ max_captures: null }, 'max_captures'],
    ],
  ],
  [
    'expires_in_seconds',
    [{ expires_in_seconds: 60 }, { expires_in_seconds: 86_400 }],
    [
      [{ expires_in_seconds: 59 }, 'expires_in_seconds'],
      [{ expires_in_seconds: 86_401 }, 'expires_in_seconds'],
      [{ expires_in_seconds: '3600' }, 'expires_in_seconds'],
    ],
  ],
  [
    'signals_required',
    [{ signals_required: ['depth'] }, { signals_required: ['screen', 'ai', 'reverse', 'context', 'depth'] }],
    [
      [{ signals_required: [] }, 'signals_required'],
      [{ signals_required: ['sound'] }, 'signals_required.0'],
    ],
  ],
  ['seal', [{ seal: true }, { seal: false }], [[{ seal: 'true' }, 'seal']]],
  ['mode', [{ mode: 'verification' }, { mode: 'audit' }], [[{ mode: 'live' }, 'mode']]],
  [
    'context',
    [{ context: { kind: x(64), summary: x(500) } }, { context: { kind: 'k', summary: 's', attributes: {} } }],
    [
      [{ context: { kind: x(65), summary: 's' } }, 'context.kind'],
      [{ context: { kind: '', summary: 's' } }, 'context.kind'],
      [{ context: { kind: 'k', summary: x(501) } }, 'context.summary'],
      [{ context: { kind: 'k', summary: '' } }, 'context.summary'],
      [{ context: { summary: 's' } }, 'context.kind'],
      [{ context: { kind: 'k' } }, 'context.summary'],
      [{ context: { kind: 'k', summary: 's', attributes: { a: null } } }, 'context.attributes.a'],
      [{ context: { kind: 'k', summary: 's', attributes: { a: ['x'] } } }, 'context.attributes.a'],
      [{ context: { kind: 'k', summary: 's', more: 1 } }, 'context.more'],
    ],
  ],
  [
    'webhook_url',
    [{ webhook_url: 'https://example.org/in' }],
    [
      [{ webhook_url: '/in' }, 'webhook_url'],
      [{ webhook_url: '' }, 'webhook_url'],
      [{ webhook_url: 'javascript:alert(1)' }, 'webhook_url'],
    ],
  ],
  [
    'notify_email',
    [{ notify_email: email(254) }, { notify_email: null }],
    [
      [{ notify_email: email(255) }, 'notify_email'],
      [{ notify_email: 'nobody' }, 'notify_email'],
      [{ notify_email: '' }, 'notify_email'],
    ],
  ],
  [
    'metadata',
    [{ metadata: { k: x(500), [x(40)]: '', 'a\nb': 'v', constructor: 'v' } }, { metadata: {} }, { metadata: keys(50) }],
    [
      [{ metadata: keys(51) }, 'metadata'],
      [{ metadata: { '': 'v' } }, 'metadata.'],
      [{ metadata: { [x(41)]: 'v' } }, `metadata.${x(41)}`],
      [{ metadata: { k: x(501) } }, 'metadata.k'],
      [{ metadata: { k: 1 } }, 'metadata.k'],
      [{ metadata: { 'a\nb': 1 } }, 'metadata.a\nb'],
      [{ metadata: { k: null } }, 'metadata.k'],
      [{ metadata: [] }, 'metadata'],
    ],
  ],
  [
    'expected_location',
    [{ expected_location: x(300) }, { expected_location: 'x' }],
    [
      [{ expected_location: x(301) }, 'expected_location'],
      [{ expected_location: '' }, 'expected_location'],
    ],
  ],
  [
    'expected_object',
    [{ expected_object: x(200) }, { expected_object: '\u{1F697}'.repeat(200) }],
    [
      [{ expected_object: x(201) }, 'expected_object'],
      [{ expected_object: '' }, 'expected_object'],
    ],
  ],
  [
    'condition_aspects',
    [{ condition_aspects: [x(40)] }, { condition_aspects: ['1', '2', '3', '4', '5', '6'] }],
    [
      [{ condition_aspects: [] }, 'condition_aspects'],
      [{ condition_aspects: ['1', '2', '3', '4', '5', '6', '7'] }, 'condition_aspects'],
      [{ condition_aspects: ['ok', x(41)] }, 'condition_aspects.1'],
      [{ condition_aspects: [''] }, 'condition_aspects.0'],
    ],
  ],
  [
    'brand_slug',
    [{ brand_slug: 'ab' }, { brand_slug: x(40) }, { brand_slug: 'a-1-b' }],
    [
      [{ brand_slug: 'a' }, 'brand_slug'],
      [{ brand_slug: x(41) }, 'brand_slug'],
      [{ brand_slug: 'a--b' }, 'brand_slug'],
      [{ brand_slug: 'aB' }, 'brand_slug'],
      [{ brand_slug: 'ab\n' }, 'brand_slug'],
    ],
  ],
  [
    'expected_info',
    [
      {},
      { expected_info: {} },
      { expected_info: { source: 'individual' } },
      { expected_info: { source: 'csv', shared: { ocr_type: x(40) }, subject: { asset_ref: x(120) } } },
    ],
    [
      [{ expected_info: { source: 'excel' } }, 'expected_info.source'],
      [{ expected_info: { more: 1 } }, 'expected_info.more'],
      [{ expected_info: { shared: { expected_location: x(301) } } }, 'expected_info.shared.expected_location'],
      [{ expected_info: { shared: { expected_object: '' } } }, 'expected_info.shared.expected_object'],
      [{ expected_info: { shared: { condition_aspects: [] } } }, 'expected_info.shared.condition_aspects'],
      [{ expected_info: { shared: { ocr_type: x(41) } } }, 'expected_info.shared.ocr_type'],
      [{ expected_info: { shared: { ocr_type: '' } } }, 'expected_info.shared.ocr_type'],
      [{ expected_info: { shared: { asset_ref: 'a' } } }, 'expected_info.shared.asset_ref'],
      [{ expected_info: { shared: { person: {} } } }, 'expected_info.shared.person'],
      [{ expected_info: { subject: { expected_location: '' } } }, 'expected_info.subject.expected_location'],
      [{ expected_info: { subject: { expected_object: x(201) } } }, 'expected_info.subject.expected_object'],
      [{ expected_info: { subject: { condition_aspects: [''] } } }, 'expected_info.subject.condition_aspects.0'],
      [{ expected_info: { subject: { asset_ref: x(121) } } }, 'expected_info.subject.asset_ref'],
      [{ expected_info: { subject: { asset_ref: '' } } }, 'expected_info.subject.asset_ref'],
      [{ expected_info: { subject: { more: 1 } } }, 'expected_info.subject.more'],
    ],
  ],
  [
    'person',
    [
      person({}),
      person({ name: x(120), email: email(254), phone_e164: '+1234567', external_ref: x(120) }),
      person({ phone_e164: '+123456789012345' }),
    ],
    [
      [person({ name: '' }), 'expected_info.subject.person.name'],
      [person({ name: x(121) }), 'expected_info.subject.person.name'],
      [person({ email: email(255) }), 'expected_info.subject.person.email'],
      [person({ phone_e164: '+123456' }), 'expected_info.subject.person.phone_e164'],
      [person({ phone_e164: '+1234567890123456' }), 'expected_info.subject.person.phone_e164'],
      [person({ phone_e164: '+0234567' }), 'expected_info.subject.person.phone_e164'],
      [person({ phone_e164: '1234567' }), 'expected_info.subject.person.phone_e164'],
      [person({ external_ref: x(121) }), 'expected_info.subject.person.external_ref'],
      [person({ external_ref: '' }), 'expected_info.subject.person.external_ref'],
      [person({ more: 1 }), 'expected_info.subject.person.more'],
    ],
  ],
  [
    'a step',
    [
      step({ key: x(64) }),
      step({ key: '0_-' }),
      step({ description: x(500) }),
      step({ type: 'image', min: 0, max: 20 }),
    ],
    [
      [step({ key: '' }), 'steps.0.key'],
      [step({ key: x(65) }), 'steps.0.key'],
      [step({ key: '_a' }), 'steps.0.key'],
      [step({ key: 'A' }), 'steps.0.key'],
      [step({ key: undefined }), 'steps.0.key'],
      [step({ description: x(501) }), 'steps.0.description'],
      [step({ min: -1 }), 'steps.0.min'],
      [step({ min: undefined }), 'steps.0.min'],
      [step({ min: 0, max: 0 }), 'steps.0.max'],
      [step({ max: undefined }), 'steps.0.max'],
      [step({ max: 21 }), 'steps'],
      [step({ required: true }), 'steps.0.required'],
      [step({ validation: {} }), 'steps.0.validation'],
      [step({ max_size_bytes: 1 }), 'steps.0.max_size_bytes'],
      [{ steps: [5] }, 'steps.0'],
      [{ steps: {} }, 'steps'],
    ],
  ],
  [
    'a text step',
    [
      text({ required: false, validation: { min_length: 0, max_length: 1, format: 'free_text' } }),
      text({ validation: { min_length: 2_000, max_length: 2_000, format: 'numeric_id' } }),
      text({ description: x(500), validation: { format: 'alphanumeric_id' } }),
    ],
    [
      [text({ min: 1 }), 'steps.1.min'],
      [text({ max: 1 }), 'steps.1.max'],
      [text({ required: 'yes' }), 'steps.1.required'],
      [text({ description: x(501) }), 'steps.1.description'],
      [text({ validation: { min_length: -1 } }), 'steps.1.validation.min_length'],
      [text({ validation: { min_length: 2_001 } }), 'steps.1.validation.min_length'],
      [text({ validation: { max_length: 0 } }), 'steps.1.validation.max_length'],
      [text({ validation: { max_length: 2_001 } }), 'steps.1.validation.max_length'],
      [text({ validation: { format: 'email' } }), 'steps.1.validation.format'],
      [text({ validation: { regex: '.*' } }), 'steps.1.validation.regex'],
    ],
  ],
  [
    'an upload step',
    [
      upload({ max_size_bytes: 1 }),
      upload({ max_size_bytes: 26_214_400 }),
      upload({ accept: ['image/heif'] }),
      upload({ accept: ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif'] }),
    ],
    [
      [upload({ max_size_bytes: 0 }), 'steps.0.max_size_bytes'],
      [upload({ max_size_bytes: 26_214_401 }), 'steps.0.max_size_bytes'],
      [upload({ accept: [] }), 'steps.0.accept'],
      [upload({ accept: ['image/avif'] }), 'steps.0.accept.0'],
      [upload({ accept: 'image/png' }), 'steps.0.accept'],
      [upload({ min: undefined }), 'steps.0.min'],
      [upload({ max: undefined }), 'steps.0.max'],
      [upload({ validation: {} }), 'steps.0.validation'],
    ],
  ],
];

describe('POST /v1/verifications, bounds', () => {
  it.each(BOUNDS)('accepts %s at its bounds and refuses it beyond them, naming the path', async (_field, good, bad) => {
    const send = (body: object) => ask<Failure>(service, '/v1/verifications', { key: service.tenant.pk_test, body });
    for (const body of good) {
      const reply = await send(body);
      expect([reply.status, reply.text], JSON.stringify(body).slice(0, 200)).toEqual([201, reply.text]);
    }
    for (const [body, path] of bad) {
      const { status, body: answer } = await send(body);
      const where = JSON.stringify(body).slice(0, 200);
      expect([status, answer.error?.code], where).toEqual([400, 'invalid_request']);
      expect([...new Set(answer.error.fields?.map(field => field.path))], where).toEqual([path]);
    }
  });

  it('reports tenant_id together with every other fault', async () => {
    const body = { tenant_id: 'tnt_x', max_captures: 0, surprise: 1 };
    const reply = await ask<Failure>(service, '/v1/verifications', { key: service.tenant.pk_test, body });
    expect(reply.body.error.fields?.map(field => field.path).sort()).toEqual(['max_captures', 'surprise', 'tenant_id']);
  });

  it('refuses text that is not UTF-8, and over-long or malformed header keys', async () => {
    const send = (body: Uint8Array, headers: Record<string, string> = {}) =>
      fetch(`${service.url}/v1/verifications`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.tenant.pk_test}`, 'content-type': 'application/json', ...headers },
        body: new Uint8Array(body),
      });
    const latin1 = await send(Buffer.from('{"expected_object":"M\xfcller"}', 'latin1'));
    expect([latin1.status, await latin1.json()]).toMatchObject([400, { error: { fields: [{ path: 'body' }] } }]);
    const key = await send(Buffer.from('{"seal":1}'), { 'idempotency-key': 'k'.repeat(256) });
    expect(await key.json()).toMatchObject({ error: { fields: [{ path: 'Idempotency-Key' }, { path: 'seal' }] } });
    expect((await send(Buffer.from('{}'), { 'idempotency-key': 'k'.repeat(255) })).status).toBe(201);
  });

  it('has all required members and well-formed ids in every response', async () => {
    const made = await createVerification(service);
    for (const member of ['id', 'status', 'capture_url', 'created_at', 'expires_at', 'captures_count', 'config']) {
      expect(made).toHaveProperty(member);
    }
    expect(made.id).toMatch(/^vfy_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(service.tenant.tenant_id).toMatch(/^tnt_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(made.config).not.toHaveProperty('mode');
    expect(made.created_at).toBe(new Date(made.created_at).toISOString());
    for (const absent of ['answers', 'record_seal', 'verdict', 'narrative', 'case_analysis', 'progress'])
      expect(made).not.toHaveProperty(absent);
  });

  it('uses the error codes and statuses of the contract', () => {
    expect(ERROR_STATUS).toMatchObject({
      invalid_request: 400,
      unauthorized: 401,
      not_found: 404,
      unknown_step: 400,
      step_full: 409,
      too_many_requests: 429,
      expired: 410,
      steps_incomplete: 409,
      already_finalized: 409,
      storage_unavailable: 503,
      internal_error: 500,
      verification_closed: 409,
      idempotency_conflict: 422,
      idempotency_in_progress: 409,
      forbidden: 403,
    });
  });
});

describe('capture routes, bounds', () => {
  let id: string;
  let image_base64: string;
  beforeAll(async () => {
    image_base64 = (await plain()).toString('base64');
    ({ id } = await createVerification(service, {
      steps: [
        { key: 'p', min: 1, max: 20 },
        { type: 'text', key: 't' },
      ],
    }));
  });

  const send = (route: string, body: unknown) => ask<Failure>(service, `/v1/verifications/${id}/${route}`, { body });
  const pathsIn = (reply: { body: unknown }) => [...new Set(pathsOf(reply))].sort();
  const at = { latitude: 0, longitude: 0 };

  it('accepts every field of a capture at its bounds', async () => {
    for (const more of [
      { surface: x(40), client_captured_at: '2026-01-01T00:00:00+14:00' },
      { surface: '' },
      { location: { latitude: -90, longitude: -180, accuracy_m: 0, simulated: false } },
      { location: { latitude: 90, longitude: 180 } },
      { attestation_token: x(20_000) },
      { motion_frame_base64: image_base64 },
    ]) {
      const reply = await send('captures', { image_base64, ...more });
      expect([reply.status, reply.text]).toEqual([201, reply.text]);
    }
  });

  it.each([
    ['surface: 41 characters', { surface: x(41) }, 'surface'],
    ['client_captured_at: 2026-02-30T00:00:00Z', { client_captured_at: '2026-02-30T00:00:00Z' }, 'client_captured_at'],
    ['client_captured_at: 2026-01-01', { client_captured_at: '2026-01-01' }, 'client_captured_at'],
    ['location: { ...at, latitude: 90.1', { location: { ...at, latitude: 90.1 } }, 'location.latitude'],
    ['location: { ...at, longitude: -180.1', { location: { ...at, longitude: -180.1 } }, 'location.longitude'],
    ['location: { ...at, accuracy_m: -1', { location: { ...at, accuracy_m: -1 } }, 'location.accuracy_m'],
    ['location: { ...at, simulated: no', { location: { ...at, simulated: 'no' } }, 'location.simulated'],
    ['location: { ...at, altitude: 5', { location: { ...at, altitude: 5 } }, 'location.altitude'],
    ['location: { latitude: 0', { location: { latitude: 0 } }, 'location.longitude'],
    ['attestation_token: x(20_001)', { attestation_token: x(20_001) }, 'attestation_token'],
    ['step_key: 5', { step_key: 5 }, 'step_key'],
    ['image_sha256: 64 characters', { image_sha256: x(64) }, 'image_sha256'],
    ['motion_frame_base64: %', { motion_frame_base64: '%' }, 'motion_frame_base64'],
    ['motion_frame_key: captures/x', { motion_frame_key: 'captures/x' }, 'motion_frame_key'],
    ['surprise: 1', { surprise: 1 }, 'surprise'],
  ])('refuses a capture with %s', async (_name, more, path) => {
    const reply = await send('captures', { image_base64, ...more });
    expect(reply.status).toBe(400);
    expect(pathsIn(reply)).toContain(path);
    expect(reply.body.error.code).toBe('invalid_request');
  });

  it('accepts an inline picture of at most 6 × 1,048,576 decoded bytes', async () => {
    const padded = (size: number) => Buffer.concat([Buffer.from(image_base64, 'base64'), Buffer.alloc(size)]);
    const exact = padded(6 * 1_048_576 - Buffer.from(image_base64, 'base64').length);
    expect((await send('captures', { image_base64: exact.toString('base64') })).status).toBe(201);
    const over = Buffer.concat([exact, Buffer.alloc(1)]);
    const reply = await send('captures', { image_base64: over.toString('base64') });
    expect([reply.status, pathsIn(reply)]).toEqual([400, ['image_base64']]);
  });

  it('accepts well-formed progress and refuses anything else with all faults at once', async () => {
    const snapshot = { schema_version: 1, step: 'landing', elapsed_ms: 0 };
    for (const good of [
      snapshot,
      {
        ...snapshot,
        updated_at: '2020-01-01T00:00:00Z',
        step_index: 0,
        camera_permission: 'unknown',
        abandoned: false,
      },
      ...['ready', 'capturing', 'reviewing', 'uploading', 'camera_blocked', 'success'].map(s => ({
        ...snapshot,
        step: s,
      })),
      ...['granted', 'denied', 'unavailable'].map(camera_permission => ({ ...snapshot, camera_permission })),
    ]) {
      expect((await send('progress', good)).status).toBe(204);
    }
    const stored = await ask<Verification>(service, `/v1/verifications/${id}`, { key: service.tenant.pk_test });
    expect(Date.parse(stored.body.progress!.updated_at)).toBeGreaterThan(Date.parse('2026-01-01'));
    const bad = await send('progress', {
      schema_version: 2,
      step: 'gone',
      elapsed_ms: -1,
      step_index: -1,
      camera_permission: 'maybe',
      abandoned: 'yes',
      updated_at: 'now',
      more: 1,
    });
    expect(pathsIn(bad)).toEqual(
      [
        'schema_version',
        'step',
        'elapsed_ms',
        'step_index',
        'camera_permission',
        'abandoned',
        'updated_at',
        'more',
      ].sort(),
    );
    expect(pathsIn(await send('progress', {}))).toEqual(['elapsed_ms', 'schema_version', 'step']);
  });

  it('counts the length of an answer in code points and reports unknown keys with the other faults', async () => {
    const car = '\u{1F697}';
    expect((await send('answers', { answers: { t: car.repeat(2_000) } })).status).toBe(200);
    expect(pathsIn(await send('answers', { answers: { t: car.repeat(2_001) } }))).toEqual(['answers.t']);
    expect(pathsIn(await send('answers', { answers: { t: '', nope: 'x', p: 5 }, more: 1 }))).toEqual(
      ['answers.t', 'answers.nope', 'answers.p', 'more'].sort(),
    );
    expect(pathsIn(await send('answers', { answers: {} }))).toEqual(['answers']);
    expect(pathsIn(await send('answers', {}))).toEqual(['answers']);
    expect(pathsIn(await send('answers', { answers: { 't\n': 1 } }))).toEqual(['answers.t\n']);
  });

  it('refuses malformed upload-url requests', async () => {
    const cases: [object, string[]][] = [
      [{ contentType: 5, size_bytes: 0 }, ['contentType', 'size_bytes']],
      [{ contentType: 'image/jpeg', size_bytes: 1.5 }, ['size_bytes']],
      [{ contentType: 'image/jpeg', size_bytes: 26_214_401 }, ['size_bytes']],
      [{ contentType: 'image/jpeg', content_type: 'image/png' }, ['content_type']],
      [{ contentType: 'image/jpeg', more: 1 }, ['more']],
      [{ contentType: 'text/html' }, ['contentType']],
    ];
    for (const [body, paths] of cases) expect(pathsIn(await send('captures/upload-url', body))).toEqual(paths);
    for (const step_key of ['t', 'nope', 'constructor']) {
      const reply = await send('captures/upload-url', { contentType: 'image/jpeg', step_key });
      expect([reply.status, reply.body.error.code]).toEqual([400, 'unknown_step']);
    }
    for (const contentType of ['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif', 'image/avif']) {
      expect((await send('captures/upload-url', { contentType })).status).toBe(201);
    }
  });
});
