import type { EndpointExamples } from '../base/endpoint-examples.ts';

const created_at = '2026-11-21T09:00:00.000Z';
const updated_at = '2026-11-21T09:20:00.000Z';
const keyId = 'key_01JD3V5Q7R9S1T3V5W7X9Y1Z3A';
const templateId = 'tpl_01JD3V5B2C4D6E8F0G1H3J5K7M';

const key = {
  id: keyId,
  name: 'Claims backend',
  kind: 'publishable',
  livemode: true,
  prefix: 'pk_live_01JD3V5Q7R',
  created_at,
};
const page = (item: object) => ({ data: [item], next_cursor: 'YWZ0ZXI6ZXhhbXBsZQ' });

const settings = {
  name: 'Acme Insurance',
  notify_email: 'claims@acme.example',
  retention_days: 90,
  review_policy: 'one',
  review_sample: 0.02,
  depth_policy: 'lenient',
  signals_required: ['screen', 'ai', 'reverse'],
  allowed_origins: ['https://claims.acme.example'],
  public_verdict: 'decided',
};
const brandInput = {
  name: 'Acme Insurance',
  colors: { accent: '#ffb000', background: '#ffffff' },
  allowed_origins: ['https://shop.acme.example'],
  return_url: 'https://claims.acme.example/photos/done',
};
const brand = {
  slug: 'acme',
  ...brandInput,
  worn_colors: { accent: '#9e6b00', background: '#ffffff' },
  logo_url: 'http://localhost:8080/brand-logos/01JD3V5F6G8H1J3K5M7N9P1Q3R.png',
  created_at,
  updated_at,
};

const request = {
  steps: [{ type: 'image', key: 'front', description: 'The whole front of the car', min: 1, max: 2 }],
  metadata: { campaign: 'winter-check' },
};
const templateInput = { name: 'Winter check', request, return_url: 'https://claims.acme.example/winter/done' };
const template = {
  id: templateId,
  ...templateInput,
  version: 2,
  status: 'active',
  url: `http://localhost:8080/t/${templateId}`,
  livemode: true,
  created_at,
  updated_at,
};
const first = { ...template, version: 1, updated_at: created_at };

const id = 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z';
const trial = {
  id,
  status: 'pending',
  capture_url: `http://localhost:8080/v/${id}`,
  created_at: '2026-11-21T09:30:00.000Z',
  expires_at: '2026-11-21T09:40:00.000Z',
  livemode: false as const,
  captures_count: 0,
  config: {
    max_captures: 1,
    steps: [{ type: 'image', key: 'capture_1', description: '', min: 1, max: 1 }],
    signals_required: ['screen', 'ai'],
  },
  captures: [],
};
const signals = {
  screen_detection: { screen_detected: false, confidence: 0.98 },
  ai_detection: { label: 'unknown', confidence: 0.5 },
};

/** Examples of the management and trial endpoints. */
const auditEntry = {
  id: 'aud_01JD3V5Q8A1B3C5D7E9F1G3H5J',
  action: 'api_key.created',
  actor: { kind: 'secret', id: 'key_01JD3V4A1B3C5D7E9F1G3H5J7K' },
  target: keyId,
  detail: { name: 'Claims backend', mode: 'live', prefix: 'pk_live_01JD3V5Q7R' },
  request_id: '01JD3V5Q8B2C4D6E8F0G1H3J5K',
  created_at,
};

/** A one-pixel PNG, the smallest picture a client can send. */
export const ONE_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const picture = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

export const MANAGEMENT_EXAMPLES: Readonly<Record<string, EndpointExamples>> = {
  'POST /v1/api-keys': {
    request: { name: 'Claims app', mode: 'live', scopes: ['create', 'capture'] },
    responses: {
      201: { ...key, name: 'Claims app', scopes: ['create', 'capture'], key: 'pk_live_01JD3V5Q7RZZZZZZZZZZZZZZZZ' },
    },
  },
  'GET /v1/api-keys': { responses: { 200: page({ ...key, last_used_at: updated_at }) } },
  'GET /v1/api-keys/:id': { responses: { 200: key } },
  'GET /v1/settings': { responses: { 200: { ...settings, rate_limit_per_minute: 600, link_channels: ['email'] } } },
  'PATCH /v1/settings': {
    request: { retention_days: 90, allowed_origins: ['https://claims.acme.example'] },
    responses: { 200: { ...settings, rate_limit_per_minute: 600, link_channels: ['email'] } },
  },
  'GET /v1/chat-webhook': {
    responses: { 200: { configured: true, host: 'hooks.slack.com', updated_at } },
  },
  'PUT /v1/chat-webhook': {
    request: { url: 'https://hooks.slack.com/services/T00/B00/XXXX' },
    responses: { 200: { configured: true, host: 'hooks.slack.com', updated_at } },
  },
  'POST /v1/chat-webhook/test': { responses: { 200: { delivered: true, status_code: 200, answer: 'ok' } } },
  'PUT /v1/brands/:slug': { request: brandInput, responses: { 200: brand } },
  'GET /v1/brands/:slug': { responses: { 200: brand } },
  'GET /brand-logos/:name': { responses: { 200: '\u0089PNG…' } },
  'GET /v1/brands': { responses: { 200: page(brand) } },
  'POST /v1/link-templates': { request: templateInput, responses: { 201: first } },
  'PUT /v1/link-templates/:id': { request: templateInput, responses: { 200: template } },
  'POST /v1/link-templates/:id/revoke': { responses: { 200: { ...template, status: 'revoked' } } },
  'GET /v1/link-templates/:id': {
    responses: {
      200: {
        ...template,
        versions: [
          { version: 2, ...templateInput, published_at: updated_at },
          { version: 1, ...templateInput, published_at: created_at },
        ],
      },
    },
  },
  'GET /v1/link-templates': { responses: { 200: page(template) } },
  'POST /v1/example-pictures': {
    request: { image_base64: ONE_PIXEL },
    responses: {
      201: {
        sha256: picture,
        url: `http://localhost:8080/example-pictures/${picture}.jpg`,
        size_bytes: 84_211,
        created_at,
      },
    },
  },
  'GET /example-pictures/:name': { responses: { 200: '\u00ff\u00d8\u00ff…' } },
  'GET /v1/audit-log': { responses: { 200: page({ ...auditEntry, target_name: 'Claims backend' }) } },
  'GET /v1/audit-log/export': {
    responses: {
      200: `created_at,id,action,actor_kind,actor_id,actor_via,target,address,device,request_id,detail\r\n${created_at},aud_01JD3V5Q8A1B3C5D7E9F1G3H5J,api_key.created,secret,key_01JD3V4A1B3C5D7E9F1G3H5J7K,,${keyId},,,01JD3V5Q8B2C4D6E8F0G1H3J5K,"{""name"":""Claims backend"",""mode"":""live"",""prefix"":""pk_live_01JD3V5Q7R""}"\r\n`,
    },
  },
  'GET /v1/audit-log/feed': {
    responses: { 200: { data: [auditEntry], cursor: 'NzQyOmF1ZF8wMUpEM1Y1UThBMUIzQzVEN0U5RjFHM0g1Sg' } },
  },
  'GET /v1/system': {
    responses: {
      200: {
        version: '0.1.0',
        commit: '018a187f6c2f4d5e8b7a90c1d2e3f40516273849',
        findings: [
          { part: 'node', state: 'ok', what: 'Node.js 24.11.1' },
          { part: 'database', state: 'ok', what: 'PostgreSQL 18.1 (embedded)' },
          {
            part: 'time_stamps',
            state: 'missing',
            what: 'Time stamps: not configured',
            advice: 'Bundles carry none. Set TSA_URL to an RFC 3161 authority.',
          },
        ],
      },
    },
  },
  'POST /v1/trial/verifications': { request: { max_captures: 1 }, responses: { 201: trial } },
  'GET /v1/trial/verifications/:id': {
    responses: {
      200: {
        ...trial,
        status: 'completed',
        captures_count: 1,
        completed_at: '2026-11-21T09:31:15.000Z',
        verdict: { label: 'verified', score: 0.98, signals },
        captures: [
          {
            id: 'cap_01JD3V7B2C4D6E8F0G1H3J5K7M',
            step_key: 'capture_1',
            source: 'live',
            content_type: 'image/jpeg',
            width: 4032,
            height: 3024,
            created_at: '2026-11-21T09:31:10.000Z',
            signals,
          },
        ],
      },
    },
  },
};
