import {
  ERROR_MEANINGS,
  ERROR_STATUS,
  type ErrorCode,
  ErrorResponse,
  FAULT_CODES,
} from '@firsthand/contract/base/errors.ts';
import { type FaultCode, fault } from '@firsthand/contract/base/fault.ts';
import { EXAMPLES } from '@firsthand/contract/examples.ts';
import { webhookExample } from '@firsthand/contract/verification/examples.ts';
import {
  TestEvent,
  VerificationEvent,
  WEBHOOK_EVENTS,
  WEBHOOK_SUMMARIES,
  type WebhookEventType,
} from '@firsthand/contract/webhooks/webhooks.ts';
import type { TSchema } from 'typebox';
import { Components } from './components.ts';
import type { Endpoint } from './endpoint.ts';
import { isOpen } from './principal.ts';
import { docUrl } from './problem.ts';
import { SECURITY_SCHEMES, securityOf } from './security.ts';
import { TAGS, type Tag } from './tags.ts';

type Json = Record<string, unknown>;

const paramsOf = (code: FaultCode): string => {
  const params = Object.entries(FAULT_CODES[code].params).map(([name, meaning]) => `\`${name}\` (${meaning})`);
  return params.length === 0 ? '' : ` Parameters: ${params.join(', ')}.`;
};

/** Lists instead of tables: the column of the API reference is too narrow for those. */
const INTRODUCTION = `Firsthand asks people for photos and tells whether they are first-hand: not a photo of a screen, not
generated, not found elsewhere.

1. **Create** a verification with the photos you need. The answer holds a \`capture_url\`.
2. **Send** that link to the person with the camera. The hosted page takes the photos and uploads them.
3. **Read** the verdict: \`GET /v1/verifications/{id}\`, or the webhook \`verification.completed\`.

Send a key as \`Authorization: Bearer …\`. Keys that begin with \`pk_test_\` create test verifications, in which
\`metadata.test_outcome\` forces an outcome. Errors have one shape, and clients branch on \`error.code\`. A body may be compressed:
\`Content-Encoding\` takes \`gzip\`, \`deflate\`, \`br\` and \`zstd\`, and the limits count what comes out.

## Errors

${(Object.keys(ERROR_STATUS) as ErrorCode[]).map(code => `- \`${code}\` (${ERROR_STATUS[code]}): ${ERROR_MEANINGS[code]}`).join('\n')}

### Faults of a request

\`error.fields\` names every fault: its \`path\`, its \`code\` and, in \`params\`, what the code needs to be told in words.

${(Object.keys(FAULT_CODES) as FaultCode[]).map(code => `- \`${code}\`: ${FAULT_CODES[code].meaning}${paramsOf(code)}`).join('\n')}

## Events

${WEBHOOK_EVENTS.map(type => `- \`${type}\`: ${WEBHOOK_SUMMARIES[type]}`).join('\n')}`;

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  id: 'The id of the object, with its prefix',
  token: 'The verification id from the capture link: whoever has it may capture',
  provider: 'The name of the identity provider, as `GET /v1/auth/methods` lists it',
  verification_id: 'The id of the verification',
  capture_id: 'The id of the photo (cap_…)',
  review_id: 'The id of the review',
  slug: 'The short name of the brand: lowercase letters, digits and hyphens',
  sha256: 'The SHA-256 of the example picture, in lowercase hex',
  name: 'The file name from `logo_url` of a brand or `url` of an example picture',
};

const IDEMPOTENCY =
  'Any string of your own. A request with the same key and body within 24 hours gets the first answer and makes nothing twice.';

const MESSAGE: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The request is not valid. See "fields" for each fault.',
  unknown_step: 'There is no image or upload step "roof".',
  unauthorized: 'The request has no valid credential. Send "Authorization: Bearer <API key>".',
  forbidden: 'This credential does not allow that.',
  reauthentication_required: 'Sign in again. This needs a sign-in within the last 15 minutes.',
  not_found: 'Nothing was found at this address.',
  idempotency_in_progress: 'The first request with this Idempotency-Key is still running.',
  idempotency_key_used: 'This Idempotency-Key was used before. Send a new random UUID.',
  step_full: 'The step "front" is full.',
  steps_incomplete: 'Required photos or answers are still missing.',
  already_finalized: 'The verification has already been finalized.',
  verification_closed: 'The verification is closed and accepts no more changes.',
  template_revoked: 'The link template was revoked. Create a new one.',
  last_owner: 'An account needs at least one owner.',
  already_member: 'This person is already a member of the account.',
  mode_changed: 'This session is in test mode now. Nothing was changed.',
  not_configured: 'To sign in by e-mail, set SMTP_URL and MAIL_FROM.',
  not_reviewable: 'Only a completed or failed verification can be reviewed.',
  claimed: 'Another person has this case at the moment.',
  already_decided: 'This case is decided.',
  review_changed: 'Somebody else worked on this case since you read it.',
  own_photo: 'You sent a photo of this verification. Another person must review it.',
  undo_expired: 'You can undo a review within 10 minutes only.',
  not_completed: 'Evidence exists once the verification has ended and holds a photo.',
  on_hold: 'A legal hold is in place. Lift it before you redact the verification.',
  expired: 'The verification has expired. Ask for a new link.',
  redacted: 'The verification was redacted: its photos and personal data were deleted.',
  idempotency_conflict: 'This Idempotency-Key was already used with a different request.',
  too_many_requests: 'Too many requests. Try again after the time in Retry-After.',
  internal_error: 'Something went wrong on the server. The log has the details under this Request-Id.',
  storage_unavailable: 'The database cannot be reached. Try again shortly.',
};

export const exampleKey = (endpoint: Pick<Endpoint, 'method' | 'path'>): string =>
  `${endpoint.method} ${endpoint.path}`;

/** Returns every error code that an endpoint may answer with. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const open = isOpen(endpoint.credentials);
  const codes: ErrorCode[] = ['invalid_request', 'too_many_requests', 'internal_error', 'storage_unavailable'];
  if (!open) codes.push('unauthorized', 'forbidden');
  if (endpoint.credentials.includes('sign_in')) codes.push('forbidden');
  if (endpoint.asClaimant) codes.push('forbidden');
  if (endpoint.credentials.includes('session') && endpoint.method !== 'GET') codes.push('mode_changed');
  if (endpoint.recent || endpoint.recentFor) codes.push('reauthentication_required');
  if (endpoint.path.includes(':')) codes.push('not_found');
  // `redacted`: the answer to replay was erased.
  if (!open && endpoint.method === 'POST') codes.push('idempotency_in_progress', 'idempotency_conflict', 'redacted');
  return [...new Set([...codes, ...(endpoint.errors ?? [])])];
}

/** Builds the OpenAPI 3.1 document from the schemas that validate requests. */
export function openapiDocument(endpoints: readonly Endpoint[]): Json {
  const components = new Components();
  components.add(ErrorResponse);
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, components) };
  }
  const used = new Set(endpoints.map(endpoint => endpoint.tag));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Firsthand',
      version: '0.1.0',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service' }],
    tags: TAGS.filter(({ name }) => used.has(name)),
    paths,
    webhooks: Object.fromEntries(WEBHOOK_EVENTS.map(type => [type, { post: webhook(type, components) }])),
    components: {
      schemas: Object.fromEntries(Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function operation(endpoint: Endpoint, components: Components): Json {
  const request = EXAMPLES[exampleKey(endpoint)]?.request;
  // Insomnia reads only the example of a schema, everything else only that of a body.
  const requestExample = request ? { example: request } : {};
  return {
    summary: endpoint.summary,
    operationId: endpoint.operationId,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    tags: [endpoint.tag],
    security: securityOf(endpoint.credentials, endpoint.scope),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint, components), ...headerParameters(endpoint)],
    ...(endpoint.body
      ? {
          requestBody: {
            required: !endpoint.bodyOptional,
            content: {
              'application/json': {
                schema: { ...components.add(endpoint.body), ...requestExample },
                ...requestExample,
              },
              ...Object.fromEntries((endpoint.bodyTypes ?? []).map(type => [type, { schema: { type: 'string' } }])),
            },
          },
        }
      : {}),
    responses: { ...successes(endpoint, components), ...failures(endpoint) },
  };
}

const WEBHOOK_HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'The id of the event, the same at every attempt',
  'webhook-timestamp': 'The time of this attempt, in seconds since 1970',
  'webhook-signature': 'One or more `v1,<base64>` signatures (Standard Webhooks 1.0), separated by spaces',
};

/** Describes the POST that a receiver gets for one type of event. */
function webhook(type: WebhookEventType, components: Components): Json {
  const words = type.split(/[._]/);
  return {
    summary: WEBHOOK_SUMMARIES[type],
    operationId: `on${words.map(word => word.slice(0, 1).toUpperCase() + word.slice(1)).join('')}`,
    tags: ['Webhooks' satisfies Tag],
    security: [],
    parameters: Object.entries(WEBHOOK_HEADERS).map(([name, description]) => ({
      name,
      in: 'header',
      required: true,
      schema: { type: 'string' },
      description,
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: components.add(type === 'webhook.test' ? TestEvent : VerificationEvent),
          example: webhookExample(type),
        },
      },
    },
    responses: {
      '2XX': { description: 'Accepted. The service reads at most 1 MB of the answer and waits 15 seconds for it.' },
      '410': { description: 'Ends this delivery. Any other status is retried.' },
    },
  };
}

const pathParameters = (endpoint: Endpoint): Json[] =>
  [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: PATH_PARAMETERS[name!] ?? '',
  }));

function queryParameters(endpoint: Endpoint, components: Components): Json[] {
  const { properties = {}, required = [] } = (endpoint.query ?? {}) as unknown as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name) && !('default' in schema),
    // Several values stand in one parameter, between commas.
    ...((schema as Json).type === 'array' ? { style: 'form', explode: false } : {}),
    schema: components.add(schema),
  }));
}

function headerParameters(endpoint: Endpoint): Json[] {
  if (endpoint.method !== 'POST') return [];
  const schema = { type: 'string', minLength: 1, maxLength: 255 };
  return [{ name: 'Idempotency-Key', in: 'header', required: false, schema, description: IDEMPOTENCY }];
}

const HEADERS = {
  'Request-Id': { schema: { type: 'string' }, description: 'ULID of the request. The logs carry it too.' },
  'Firsthand-Version': {
    schema: { type: 'string' },
    description: 'The version that answered, with its commit if known: `0.1.0+<commit>`.',
  },
};

function successes(endpoint: Endpoint, components: Components): Json {
  const example = EXAMPLES[exampleKey(endpoint)];
  return Object.fromEntries(
    Object.entries(endpoint.responses).map(([status, schema]) => [
      status,
      {
        description: status === '204' ? 'Done. The response has no body.' : 'Success',
        headers: HEADERS,
        ...(schema
          ? {
              content: Object.fromEntries(
                [endpoint.mediaType ?? 'application/json'].flat().map(type => [
                  type,
                  {
                    schema: components.add(schema),
                    ...(example?.responses?.[Number(status)] ? { example: example.responses[Number(status)] } : {}),
                  },
                ]),
              ),
            }
          : {}),
      },
    ]),
  );
}

function failures(endpoint: Endpoint): Json {
  const byStatus = Map.groupBy(errorsOf(endpoint), code => ERROR_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map(code => `\`${code}\`: ${ERROR_MEANINGS[code]}`).join('\n\n'),
        headers: {
          ...HEADERS,
          ...(status === 429 || status === 503 ? { 'Retry-After': { schema: { type: 'integer' } } } : {}),
        },
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/ErrorResponse' },
            examples: Object.fromEntries(codes.map(code => [code, { value: errorExample(code) }])),
          },
        },
      },
    ]),
  );
}

export const errorExample = (code: ErrorCode): ErrorResponse => ({
  error: {
    code,
    message: MESSAGE[code],
    doc_url: docUrl('http://localhost:8080', code),
    ...(code === 'invalid_request'
      ? { fields: [fault('steps.0.max', 'too_small', 'must be at least 1', { min: 1 })] }
      : {}),
  },
});
