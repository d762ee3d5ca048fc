import type { EndpointExamples } from '../base/endpoint-examples.ts';

const id = 'vfy_01JD3V6Z8Q4M2N7R5T9W1X3Y6Z';

const delivery = {
  id: 'whd_01JD3V7C3E5F7G9H1J3K5M7N9P',
  event_id: 'evt_01JD3V7B9D1F3H5K7N9Q1S3V5X',
  type: 'verification.completed',
  verification_id: id,
  verification_name: 'claim C-1042',
  url: 'https://example.com/hooks/firsthand',
  status: 'succeeded',
  attempts: [
    {
      at: '2026-11-21T09:31:12.020Z',
      status_code: 503,
      error: 'status',
      latency_ms: 85,
      response_excerpt: 'Service Unavailable',
    },
    { at: '2026-11-21T09:31:17.110Z', status_code: 204, latency_ms: 41 },
  ],
  created_at: '2026-11-21T09:31:12.008Z',
};

const pendingDelivery = {
  ...delivery,
  status: 'pending',
  attempts: delivery.attempts.slice(0, 1),
  next_attempt_at: '2026-11-21T09:31:17.100Z',
};

const endpoint = {
  id: 'whe_01JD3V7C2A4C6E8G0J2M4P6R8T',
  url: delivery.url,
  livemode: true,
  status: 'disabled',
  failing_since: '2026-11-16T08:00:00.000Z',
  disabled_at: '2026-11-21T08:12:00.000Z',
  created_at: '2026-10-01T12:00:00.000Z',
};

const registered = {
  id: 'whe_01JD3V7D4F6H8K0M2P4R6T8V0W',
  url: 'https://example.com/hooks/all',
  livemode: true,
  status: 'enabled',
  registered: true,
  events: ['verification.completed', 'verification.failed'],
  description: 'Claims back office',
  created_at: '2026-11-20T08:00:00.000Z',
};

const webhookSecret = {
  secret: 'whsec_bmV3IHNlY3JldCBuZXcgc2VjcmV0IG5ldyBzZWNyZXQ=',
  previous: {
    secret: 'whsec_b2xkIHNlY3JldCBvbGQgc2VjcmV0IG9sZCBzZWNyZXQ=',
    expires_at: '2026-11-22T09:30:00.000Z',
  },
};

export const WEBHOOK_EXAMPLES: Readonly<Record<string, EndpointExamples>> = {
  'GET /v1/webhook-deliveries': { responses: { 200: { data: [delivery] } } },
  'POST /v1/webhook-deliveries/:id/retry': { responses: { 202: pendingDelivery } },
  'POST /v1/webhook-deliveries/recover': {
    request: { since: '2026-11-16T00:00:00Z' },
    responses: { 202: { recovered: 42 } },
  },
  'GET /v1/webhook-endpoints': { responses: { 200: { data: [registered, endpoint] } } },
  'POST /v1/webhook-endpoints': {
    request: { url: registered.url, events: registered.events, livemode: true, description: registered.description },
    responses: { 201: registered },
  },
  'PATCH /v1/webhook-endpoints/:id': {
    request: { events: ['verification.completed'] },
    responses: { 200: { ...registered, events: ['verification.completed'] } },
  },
  'POST /v1/webhook-endpoints/:id/test': { responses: { 202: { delivery_id: delivery.id } } },
  'POST /v1/webhook-endpoints/:id/enable': {
    responses: {
      200: { id: endpoint.id, url: endpoint.url, livemode: true, status: 'enabled', created_at: endpoint.created_at },
    },
  },
  'POST /v1/webhooks/test': {
    request: { url: delivery.url },
    responses: { 202: { delivery_id: delivery.id } },
  },
  'POST /v1/events/:id/resend': { request: { url: delivery.url }, responses: { 202: { data: [pendingDelivery] } } },
  'GET /v1/events/stream': {
    responses: {
      200: 'event: event\nid: ODIxOmV2dF8\ndata: {"id":"evt_01JD3V7B9D1F3H5K7N9Q1S3V5X","type":"verification.completed","livemode":true,"body":"{…}"}\n\n',
    },
  },
  'GET /v1/webhook-secret': { responses: { 200: webhookSecret } },
  'POST /v1/webhook-secret/rotate': { request: { overlap_seconds: 86_400 }, responses: { 200: webhookSecret } },
};
