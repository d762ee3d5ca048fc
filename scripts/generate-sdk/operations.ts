// The operations, schemas and errors of the API, as the generators of every client language need them.
import { ERROR_MEANINGS, ERROR_STATUS, type ErrorCode, FaultParam } from '@firsthand/contract/base/errors.ts';
import { ENDPOINTS } from '../../server/src/app.ts';
import { openapiDocument } from '../../server/src/platform/http/openapi.ts';
import { METHODS } from './methods.ts';

export type Schema = Record<string, unknown>;
interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
  description?: string;
}
interface RawOperation {
  operationId: string;
  summary: string;
  description?: string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

/** How the client treats the answer: `p` a page of a list, `d` a download, `e` a stream of events, `j` JSON, `n` nothing. */
type Kind = 'p' | 'd' | 'e' | 'j' | 'n';

interface Answer {
  kind: Kind;
  /** The schemas of JSON answers; of a page, its own. */
  names: string[];
  /** The schema of a page's items. */
  item?: string;
  /** A JSON answer may be missing (204). */
  mayBeEmpty: boolean;
  /** Every success sends a browser elsewhere. */
  redirects: boolean;
}

export interface Operation {
  id: string;
  resource: string;
  name: string;
  summary: string;
  verb: string;
  path: string;
  pathParameters: string[];
  query: Parameter[];
  /** `text`: the body may be CSV in place of the object. */
  body: { schema: string; required: boolean; text: boolean } | null;
  /** It takes `metadata[KEY]=value` too: a filter with the key inside its name, which OpenAPI cannot say. */
  metadataFilter: boolean;
  answer: Answer;
}

const document = JSON.parse(JSON.stringify(openapiDocument(ENDPOINTS))) as {
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, Schema> };
};

export const SCHEMAS: Readonly<Record<string, Schema>> = {
  ...document.components.schemas,
  FaultParam: { ...FaultParam },
};

export const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
export const refOf = (schema: Schema | undefined) =>
  typeof schema?.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : undefined;

export const OPERATIONS: readonly Operation[] = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => read(path, verb, operation)),
);

const stale = Object.keys(METHODS).filter(id => !OPERATIONS.some(operation => operation.id === id));
if (stale.length > 0)
  throw new Error(`scripts/generate-sdk/methods.ts names what is no operation: ${stale.join(', ')}`);

/** The error codes, each with the class that the clients have for it. */
export const ERRORS = (Object.keys(ERROR_STATUS) as ErrorCode[]).map(code => ({
  code,
  status: ERROR_STATUS[code],
  meaning: ERROR_MEANINGS[code],
  name: `${code.split('_').map(capital).join('')}Error`.replace('ErrorError', 'Error'),
}));

function read(path: string, verb: string, operation: RawOperation): Operation {
  const named = METHODS[operation.operationId];
  if (!named) throw new Error(`scripts/generate-sdk/methods.ts has no name for ${operation.operationId}`);
  const [resource, name] = named.split('.') as [string, string];
  const { requestBody } = operation;
  return {
    id: operation.operationId,
    resource,
    name,
    summary: [operation.summary, operation.description].filter(Boolean).join('.\n'),
    verb: verb.toUpperCase(),
    path,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter!),
    query: operation.parameters.filter(parameter => parameter.in === 'query'),
    body: requestBody
      ? {
          schema: refOf(requestBody.content['application/json']?.schema)!,
          required: requestBody.required,
          text: Object.keys(requestBody.content).length > 1,
        }
      : null,
    metadataFilter: operation.description?.includes('metadata[') ?? false,
    answer: answerOf(operation.responses),
  };
}

function answerOf(responses: RawOperation['responses']): Answer {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const contents = successes.flatMap(([, { content }]) => Object.entries(content ?? {}));
  const none = { names: [], mayBeEmpty: false, redirects: successes.length === 0 };
  if (contents.length === 0) return { kind: 'n', ...none };
  const [mediaType] = contents[0]!;
  if (mediaType === 'text/event-stream') return { kind: 'e', ...none };
  if (mediaType !== 'application/json') return { kind: 'd', ...none };
  const names = [...new Set(contents.map(([, { schema }]) => refOf(schema)!))];
  const { properties } = SCHEMAS[names[0]!] as { properties?: { data?: { items?: Schema }; next_cursor?: Schema } };
  const item = refOf(properties?.data?.items);
  if (item && properties?.next_cursor) return { kind: 'p', ...none, names, item };
  return { kind: 'j', names, mayBeEmpty: successes.some(([, { content }]) => !content), redirects: false };
}
