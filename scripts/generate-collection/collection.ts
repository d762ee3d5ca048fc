// The Postman collection of the API, made from the OpenAPI document.
import { ENDPOINTS } from '../../server/src/app.ts';
import { openapiDocument } from '../../server/src/platform/http/openapi.ts';

type Json = Record<string, unknown>;
interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: { default?: unknown };
  description?: string;
}
type Content = Record<string, { example?: unknown }>;
interface Operation {
  summary: string;
  description?: string;
  operationId: string;
  tags: [string];
  security: Record<string, unknown>[];
  parameters: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}
interface Document {
  info: { title: string; version: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
}

const document = JSON.parse(JSON.stringify(openapiDocument(ENDPOINTS))) as Document;

/** Variables that hold a reader's own values. The first request fills `verification_id`. */
const VARIABLES = {
  base_url: 'http://localhost:8080',
  key: '',
  secret_key: '',
  verification_id: '',
};

/** What stands for a path parameter: the verification at hand, or nothing yet. */
const placeholderOf = (path: string, name: string): string =>
  name === 'token' || name === 'verification_id' || (name === 'id' && path.startsWith('/v1/verifications/'))
    ? '{{verification_id}}'
    : '';

const bearer = (variable: string): Json => ({
  type: 'bearer',
  bearer: [{ key: 'token', value: `{{${variable}}}`, type: 'string' }],
});

/** The least credential that opens the operation. A session's cookie and a bot's signature are not the collection's to send. */
function authOf(security: Operation['security']): Json {
  const opens = (name: string) => security.some(scheme => name in scheme);
  if (opens('publishable_key')) return bearer('key');
  return opens('secret_key') ? bearer('secret_key') : { type: 'noauth' };
}

const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);

function requestOf(path: string, method: string, operation: Operation): Json {
  const of = (place: string) => operation.parameters.filter(parameter => parameter.in === place);
  const query = of('query').map(({ name, required, schema, description }) => ({
    key: name,
    value: schema.default === undefined ? '' : String(schema.default),
    ...(description ? { description } : {}),
    disabled: !required,
  }));
  const variable = of('path').map(({ name, description }) => ({
    key: name,
    value: placeholderOf(path, name),
    ...(description ? { description } : {}),
  }));
  const address = path.replace(/\{(\w+)\}/g, ':$1');
  const shown = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`);
  const example = operation.requestBody?.content['application/json']?.example;
  return {
    method: method.toUpperCase(),
    auth: authOf(operation.security),
    header: [
      ...(operation.requestBody ? [{ key: 'Content-Type', value: 'application/json' }] : []),
      ...(method === 'post' ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
    ],
    url: {
      raw: `{{base_url}}${address}${shown.length > 0 ? `?${shown.join('&')}` : ''}`,
      host: ['{{base_url}}'],
      path: address.slice(1).split('/'),
      ...(query.length > 0 ? { query } : {}),
      ...(variable.length > 0 ? { variable } : {}),
    },
    ...(operation.requestBody
      ? { body: { mode: 'raw', raw: jsonText(example ?? {}), options: { raw: { language: 'json' } } } }
      : {}),
    ...(operation.description ? { description: operation.description } : {}),
  };
}

/** Examples of answers, as far as the document has them. */
const answersOf = (operation: Operation, originalRequest: Json): Json[] =>
  Object.entries(operation.responses).flatMap(([status, { content }]) => {
    const example = content?.['application/json']?.example;
    if (example === undefined) return [];
    return {
      name: `${status}`,
      originalRequest,
      code: Number(status),
      _postman_previewlanguage: 'json',
      header: [{ key: 'Content-Type', value: 'application/json' }],
      body: jsonText(example),
    };
  });

const KEEP_ID = ["if (pm.response.code === 201) pm.collectionVariables.set('verification_id', pm.response.json().id);"];

function itemOf(path: string, method: string, operation: Operation): Json {
  const request = requestOf(path, method, operation);
  return {
    name: operation.summary,
    ...(operation.operationId === 'createVerification'
      ? { event: [{ listen: 'test', script: { type: 'text/javascript', exec: KEEP_ID } }] }
      : {}),
    request,
    response: answersOf(operation, request),
  };
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

const collection = {
  info: {
    name: document.info.title,
    description:
      'Made from the OpenAPI document by `node scripts/generate-collection.ts`. Set `key` to a `pk_test_…` key and `secret_key` to the ' +
      '`rk_secret_…` key, then send "Create a verification": the requests about one verification use its id.',
    version: document.info.version,
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  variable: Object.entries(VARIABLES).map(([key, value]) => ({ key, value })),
  item: document.tags.map(({ name, description }) => ({
    name,
    description,
    item: operations
      .filter(({ operation }) => operation.tags[0] === name)
      .map(({ path, method, operation }) => itemOf(path, method, operation)),
  })),
};

/** The collection's file, by its path. */
export const COLLECTION_FILE = 'examples/postman/firsthand.postman_collection.json';
export const collectionText = (): string => `${JSON.stringify(collection, null, 1)}\n`;
