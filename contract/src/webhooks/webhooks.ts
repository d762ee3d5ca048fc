import { type Static, Type } from 'typebox';
import { DateTime, IdSchema } from '../base/ids.ts';
import { ENDPOINT_DESCRIPTION_MAX, URL_MAX } from '../base/limits.ts';
import { MapOf } from '../base/map.ts';
import { Verification } from '../verification/verification.ts';

const closed = { additionalProperties: false } as const;

/** Every event that webhooks deliver. Nothing is sent when a claimant leaves (`abandoned`). */
export const WEBHOOK_EVENTS = [
  'verification.created',
  'verification.capture_received',
  'verification.completed',
  'verification.expired',
  'verification.failed',
  'verification.case_completed',
  'verification.redacted',
  'verification.reviewed',
  'webhook.test',
] as const;
export const WebhookEventType = Type.Enum([...WEBHOOK_EVENTS], { title: 'WebhookEventType' });
export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** One line about each event, for the OpenAPI document. */
export const WEBHOOK_SUMMARIES: Readonly<Record<WebhookEventType, string>> = {
  'verification.created': 'A verification was created',
  'verification.capture_received': 'A photo or file arrived and is stored',
  'verification.completed': 'The verdict is there',
  'verification.expired': 'The time ended, or the verification was cancelled, before everything arrived',
  'verification.failed': 'A required photo could not be analysed',
  'verification.case_completed': 'The case analysis is there',
  'verification.redacted': 'The photos and answers were erased',
  'verification.reviewed': 'A person decided, or withdrew a decision',
  'webhook.test': 'You asked for a test event',
};

/** Those about a verification, which an endpoint of the account chooses from. */
export const VERIFICATION_EVENTS = WEBHOOK_EVENTS.filter(type => type !== 'webhook.test');

/** The body of a webhook about a verification: the verification at the moment of the event, without image URLs. */
export const VerificationEvent = Type.Object(
  {
    type: Type.Enum(VERIFICATION_EVENTS, { title: 'VerificationEventType' }),
    timestamp: DateTime,
    data: Type.Object(
      {
        ...Verification.properties,
        sequence: Type.Integer({
          minimum: 1,
          description: 'counts the events of one verification: 1, 2, 3… They may arrive in another order',
        }),
        metadata: MapOf(Type.String()),
      },
      { ...closed, title: 'VerificationEventData' },
    ),
  },
  { ...closed, title: 'VerificationEvent' },
);
export type VerificationEvent = Static<typeof VerificationEvent>;

/** The body of the webhook that `POST /v1/webhooks/test` sends. */
export const TestEvent = Type.Object(
  {
    type: Type.Literal('webhook.test'),
    timestamp: DateTime,
    data: Type.Object({ message: Type.String(), livemode: Type.Boolean() }, { ...closed, title: 'TestEventData' }),
  },
  { ...closed, title: 'TestEvent' },
);
export type TestEvent = Static<typeof TestEvent>;

export type WebhookEvent = VerificationEvent | TestEvent;

export const DELIVERY_STATUSES = ['pending', 'succeeded', 'failed', 'cancelled'] as const;
export const DeliveryStatus = Type.Enum([...DELIVERY_STATUSES], { title: 'DeliveryStatus' });
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Reasons why an attempt failed. `status` and `gone` come with the receiver's status code. */
export const ATTEMPT_ERRORS = {
  timeout: 'no complete answer within 15 seconds',
  status: 'answered with a status that is not 2xx',
  redirect: 'answered with a redirect, which is never followed',
  gone: 'answered 410: the delivery ends',
  invalid_url: 'not an address that can be posted to',
  forbidden_address: 'resolves to a loopback, private, link-local or metadata address',
  no_secret: 'nothing was sent: the secret that signs cannot be read at the moment',
  dns: 'the host name did not resolve',
  connection_refused: 'nothing listens there',
  connection_closed: 'the connection was closed before the answer was complete',
  unreachable: 'no route to the host',
  tls: 'the certificate or the handshake was not acceptable',
  protocol: 'the answer was not HTTP',
  answer_too_large: 'only in attempts of earlier versions: the answer was larger than 1 MB',
  failed: 'anything else',
} as const;
export type AttemptError = keyof typeof ATTEMPT_ERRORS;

export const WebhookAttempt = Type.Object(
  {
    at: DateTime,
    status_code: Type.Optional(Type.Integer()),
    error: Type.Optional(Type.Enum(Object.keys(ATTEMPT_ERRORS) as AttemptError[], { title: 'AttemptError' })),
    latency_ms: Type.Integer({ minimum: 0 }),
    response_excerpt: Type.Optional(Type.String({ description: 'the first 1 kB of the response' })),
  },
  { ...closed, title: 'WebhookAttempt' },
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;

export const WebhookDelivery = Type.Object(
  {
    id: IdSchema('whd'),
    event_id: Type.String({ description: 'the webhook-id header of every attempt' }),
    type: WebhookEventType,
    verification_id: Type.Optional(IdSchema('vfy')),
    verification_name: Type.Optional(Type.String({ description: 'what its request says of its case' })),
    url: Type.String(),
    status: DeliveryStatus,
    attempts: Type.Array(WebhookAttempt),
    next_attempt_at: Type.Optional(DateTime),
    created_at: DateTime,
  },
  { ...closed, title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const EndpointEvents = Type.Array(Type.Enum(VERIFICATION_EVENTS, { title: 'VerificationEventType' }), {
  minItems: 1,
  maxItems: VERIFICATION_EVENTS.length,
  uniqueItems: true,
  description: 'the events that are sent there; absent: all',
});
const EndpointDescription = Type.String({ maxLength: ENDPOINT_DESCRIPTION_MAX });

/** Body of POST /v1/webhook-endpoints. */
export const WebhookEndpointInput = Type.Object(
  {
    url: Type.String({ format: 'iri', maxLength: URL_MAX }),
    events: Type.Optional(EndpointEvents),
    livemode: Type.Boolean(),
    description: Type.Optional(EndpointDescription),
  },
  { ...closed, title: 'WebhookEndpointInput' },
);
export type WebhookEndpointInput = Static<typeof WebhookEndpointInput>;

/** Body of PATCH /v1/webhook-endpoints/:id. */
export const WebhookEndpointPatch = Type.Object(
  {
    events: Type.Optional(Type.Union([EndpointEvents, Type.Null()], { description: 'null: all' })),
    description: Type.Optional(Type.Union([EndpointDescription, Type.Null()])),
  },
  { ...closed, title: 'WebhookEndpointPatch' },
);
export type WebhookEndpointPatch = Static<typeof WebhookEndpointPatch>;

export const WebhookEndpoint = Type.Object(
  {
    id: IdSchema('whe'),
    url: Type.String(),
    livemode: Type.Boolean(),
    status: Type.Enum(['enabled', 'disabled'], { title: 'EndpointStatus' }),
    registered: Type.Optional(
      Type.Boolean({ description: 'the account registered it, for the events of all verifications of this mode' }),
    ),
    events: Type.Optional(EndpointEvents),
    description: Type.Optional(Type.String()),
    failing_since: Type.Optional(DateTime),
    disabled_at: Type.Optional(DateTime),
    created_at: DateTime,
  },
  { ...closed, title: 'WebhookEndpoint' },
);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const WebhookSecret = Type.Object(
  {
    secret: Type.String({ description: '`whsec_`, followed by base64' }),
    previous: Type.Optional(
      Type.Object({ secret: Type.String(), expires_at: DateTime }, { ...closed, title: 'PreviousWebhookSecret' }),
    ),
  },
  { ...closed, title: 'WebhookSecret' },
);
export type WebhookSecret = Static<typeof WebhookSecret>;
