import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { ERROR_STATUS, type ErrorCode, ErrorResponse } from '@firsthand/contract/errors.ts';
import { EXAMPLES } from '@firsthand/contract/examples.ts';
import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import type { Endpoint } from './endpoint.ts';
import { isOpen } from './principal.ts';
import { SECURITY_SCHEMES, securityOf } from './security.ts';

type Json = Record<string, unknown>;

const MESSAGE: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The request is not valid. See "fields" for each fault.',
  unknown_step: 'There is no image or upload step "roof".',
  unauthorized: 'The request has no valid credential. Send "Authorization: Bearer <API key>".',
  forbidden: 'This credential does not allow that.',
  reauthentication_required: 'Sign in again. This needs a sign-in within the last 15 minutes.',
  not_found: 'Nothing was found at this address.',
  idempotency_in_progress: 'The first request with this Idempotency-Key is still running.',
  step_full: 'The step "front" is full.',
  steps_incomplete: 'Required photos or answers are still missing.',
  already_finalized: 'The verification has already been finalized.',
  verification_closed: 'The verification is closed and accepts no more changes.',
  template_revoked: 'The link template was revoked. Create a new one.',
  last_owner: 'An account needs at least one owner.',
  already_member: 'This person is already a member of the account.',
  not_configured: 'To sign in by e-mail, set SMTP_URL and MAIL_FROM.',
  not_completed: 'There is no evidence before the verification has ended with a photo.',
  expired: 'The verification has expired. Ask for a new link.',
  redacted: 'The verification was redacted; nothing of its evidence is kept.',
  idempotency_conflict: 'This Idempotency-Key was already used with a different request.',
  too_many_requests: 'Too many requests. Try again after the time in Retry-After.',
  internal_error: 'Something went wrong on the server. The log has the details under this Request-Id.',
  storage_unavailable: 'The database cannot be reached. Try again shortly.',
};

export const exampleKey = (endpoint: Pick<Endpoint, 'method' | 'path'>): string =>
  `${endpoint.method} ${endpoint.path}`;

/** Every error code that an endpoint may answer with. */
export function errorsOf(endpoint: Endpoint): ErrorCode[] {
  const open = isOpen(endpoint.credentials);
  const codes: ErrorCode[] = ['invalid_request', 'too_many_requests', 'internal_error', 'storage_unavailable'];
  if (!open) codes.push('unauthorized', 'forbidden');
  if (endpoint.credentials.includes('sign_in')) codes.push('forbidden');
  if (endpoint.recent) codes.push('reauthentication_required');
  if (endpoint.path.includes(':')) codes.push('not_found');
  if (!open && endpoint.method === 'POST') codes.push('idempotency_in_progress', 'idempotency_conflict');
  return [...new Set([...codes, ...(endpoint.errors ?? [])])];
}

/** The OpenAPI 3.1 document, made from the very schemas that validate. */
export function openapiDocument(endpoints: readonly Endpoint[]): Json {
  const paths: Record<string, Json> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Firsthand',
      version: '0.1.0',
      description:
        'Create a verification, send its capture link, and get a verdict on whether the photos are first-hand.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(endpoints.map(endpoint => endpoint.tag))].map(name => ({ name })),
    paths,
    components: {
      schemas: { ErrorResponse },
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function operation(endpoint: Endpoint): Json {
  const example = EXAMPLES[exampleKey(endpoint)];
  return {
    summary: endpoint.summary,
    operationId: operationId(endpoint),
    ...(endpoint.description ? { description: endpoint.description } : {}),
    tags: [endpoint.tag],
    security: securityOf(endpoint.credentials),
    parameters: [...pathParameters(endpoint), ...queryParameters(endpoint), ...headerParameters(endpoint)],
    ...(endpoint.body
      ? {
          requestBody: {
            required: !endpoint.bodyOptional,
            content: {
              'application/json': { schema: endpoint.body, ...(example?.request ? { example: example.request } : {}) },
            },
          },
        }
      : {}),
    responses: { ...successes(endpoint), ...failures(endpoint) },
  };
}

const operationId = ({ method, path }: Endpoint): string =>
  `${method.toLowerCase()}${path
    .replace(/^\/v1/, '')
    .split(/[/:-]+/)
    .filter(part => part !== '')
    .map(part => part[0]!.toUpperCase() + part.slice(1))
    .join('')}`;

const pathParameters = (endpoint: Endpoint): Json[] =>
  [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

function queryParameters(endpoint: Endpoint): Json[] {
  const { properties = {}, required = [] } = (endpoint.query ?? {}) as unknown as {
    properties?: Record<string, TSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name) && !('default' in schema),
    schema,
  }));
}

function headerParameters(endpoint: Endpoint): Json[] {
  if (endpoint.method !== 'POST') return [];
  const schema = { type: 'string', minLength: 1, maxLength: 255 };
  return [{ name: 'Idempotency-Key', in: 'header', required: false, schema }];
}

const HEADERS = {
  'Request-Id': { schema: { type: 'string' }, description: 'ULID of the request. The logs carry it too.' },
};

function successes(endpoint: Endpoint): Json {
  const example = EXAMPLES[exampleKey(endpoint)];
  return Object.fromEntries(
    Object.entries(endpoint.responses).map(([status, schema]) => [
      status,
      {
        description: status === '204' ? 'Done. The response has no body.' : 'Success',
        headers: HEADERS,
        ...(schema
          ? {
              content: {
                [endpoint.mediaType ?? 'application/json']: {
                  schema,
                  ...(example?.responses?.[Number(status)] ? { example: example.responses[Number(status)] } : {}),
                },
              },
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
        description: codes.join(', '),
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
    ...(code === 'invalid_request' ? { fields: [{ path: 'steps.0.max', message: 'must be at least 1' }] } : {}),
  },
});

/** Serves the document at /v1/openapi.json and a page that shows it at /docs. */
export async function registerOpenapi(app: FastifyInstance, endpoints: readonly Endpoint[]): Promise<void> {
  const document = openapiDocument(endpoints);
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    uiConfig: { docExpansion: 'list', deepLinking: true },
  });
  app.get('/v1/openapi.json', { schema: { hide: true } as object }, async () => document);
}
