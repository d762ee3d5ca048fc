import { ERROR_STATUS } from '@firsthand/contract/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Failure } from '../../support/failure.ts';
import { ask, createVerification, startTestService, type TestService } from '../../support/harness.ts';

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
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ worker: false });
  });
  afterAll(() => service?.stop());

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
