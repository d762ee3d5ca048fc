// The SDK's types, resources and errors, made from the OpenAPI document.
import { ERROR_MEANINGS, ERROR_STATUS, type ErrorCode } from '@firsthand/contract/base/errors.ts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { ENDPOINTS } from '../../server/src/app.ts';
import { openapiDocument } from '../../server/src/platform/http/openapi.ts';
import { METHODS } from './methods.ts';

type Json = Record<string, unknown>;
interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: Json;
  description?: string;
}
interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

const HEAD = '// Written by scripts/generate-sdk.ts from the OpenAPI document; do not edit.\n\n';
const document = JSON.parse(JSON.stringify(openapiDocument(ENDPOINTS))) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
};

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);
const refOf = (schema: Json | undefined) =>
  typeof schema?.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : undefined;

/** How the client treats the answer: `p` a page of a list, `d` a download, `e` a stream of events, `j` JSON, `n` nothing. */
type Kind = 'p' | 'd' | 'e' | 'j' | 'n';

interface Method {
  resource: string;
  name: string;
  summary: string;
  signature: string;
  /** What the client knows at run time: `METHOD path kind`, with `b` for a body and `q` for a query. */
  entry: string;
}

const schemas: Record<string, Json> = { ...document.components.schemas };
const used = new Set<string>();
const type = (name: string) => {
  used.add(name);
  return name;
};

function methodOf(path: string, verb: string, operation: Operation): Method {
  const named = METHODS[operation.operationId];
  if (!named) throw new Error(`scripts/generate-sdk/methods.ts has no name for ${operation.operationId}`);
  const [resource, name] = named.split('.') as [string, string];
  const parameters: string[] = [...path.matchAll(/\{(\w+)\}/g)].map(
    ([, parameter]) => `${parameter!.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}: string`,
  );
  const query = operation.parameters.filter(parameter => parameter.in === 'query');
  let flags = '';
  if (operation.requestBody) {
    flags += 'b';
    const { 'application/json': json, ...others } = operation.requestBody.content;
    const body = type(refOf(json?.schema)!);
    const mark = operation.requestBody.required ? '' : '?';
    // Text in place of the object: a list as CSV.
    parameters.push(`body${mark}: ${Object.keys(others).length > 0 ? `${body} | string` : body}`);
  }
  if (query.length > 0) {
    flags += 'q';
    const queryName = `${capital(operation.operationId)}Query`;
    schemas[queryName] = {
      type: 'object',
      properties: Object.fromEntries(
        query.map(({ name, schema, description }) => {
          const { default: _default, ...rest } = schema;
          return [name, description ? { ...rest, description } : rest];
        }),
      ),
      required: query.filter(parameter => parameter.required).map(parameter => parameter.name),
    };
    const required = query.some(parameter => parameter.required);
    // One filter has the key inside its name, which OpenAPI cannot say.
    const more = operation.description?.includes('metadata[') ? ' & MetadataFilter' : '';
    parameters.push(`query${required ? '' : '?'}: ${type(queryName)}${more}`);
  }
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const contents = successes.flatMap(([, { content }]) => Object.entries(content ?? {}));
  const [kind, answer] = kindOf(
    contents,
    successes.some(([, { content }]) => !content),
  );
  parameters.push('options?: RequestOptions');
  return {
    resource,
    name,
    summary: [operation.summary, operation.description].filter(Boolean).join('.\n'),
    signature: `${name}(${parameters.join(', ')}): ${answer}`,
    entry: `${verb.toUpperCase()} ${path} ${kind}${flags}`,
  };
}

function kindOf(contents: [string, { schema: Json }][], mayBeEmpty: boolean): [Kind, string] {
  if (contents.length === 0) return ['n', 'Promise<void>'];
  const [mediaType] = contents[0]!;
  if (mediaType === 'text/event-stream') return ['e', 'AsyncIterable<ServerSentEvent>'];
  if (mediaType !== 'application/json') return ['d', 'Promise<Download>'];
  const names = [...new Set(contents.map(([, { schema }]) => refOf(schema)!))];
  const { properties } = schemas[names[0]!] as { properties?: { data?: { items?: Json }; next_cursor?: Json } };
  const item = refOf(properties?.data?.items);
  if (item && properties?.next_cursor) return ['p', `List<${type(item)}, ${type(names[0]!)}>`];
  return ['j', `Promise<${[...names.map(type), ...(mayBeEmpty ? ['null'] : [])].join(' | ')}>`];
}

const methods = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => methodOf(path, verb, operation)),
);
const stale = Object.keys(METHODS).filter(
  id =>
    !Object.values(document.paths).some(verbs => Object.values(verbs).some(({ operationId }) => operationId === id)),
);
if (stale.length > 0)
  throw new Error(`scripts/generate-sdk/methods.ts names what is no operation: ${stale.join(', ')}`);

const comment = (text: string, indent = '') => {
  const lines = text.replaceAll('*/', '* /').split('\n');
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map(line => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
};

const resources = Map.groupBy(methods, ({ resource }) => resource);
const interfaces = [...resources].map(
  ([resource, members]) =>
    `export interface ${capital(resource)}Resource {\n${members
      .map(({ summary, signature }) => `${comment(summary, '  ')}  ${signature};`)
      .join('\n')}\n}\n`,
);
const table = [...resources].map(
  ([resource, members]) =>
    `  ${resource}: {\n${members.map(({ name, entry }) => `    ${name}: '${entry}',`).join('\n')}\n  },`,
);

const types = astToString(
  await openapiTypescript(
    { openapi: '3.1.0', info: { title: 'Firsthand', version: '1' }, paths: {}, components: { schemas } } as never,
    { rootTypes: true, rootTypesNoSchemaPrefix: true, defaultNonNullable: false },
  ),
);

const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
const className = (code: ErrorCode) => `${code.split('_').map(capital).join('')}Error`.replace('ErrorError', 'Error');
const errors = `${HEAD}import { ApiError } from './errors.ts';

${codes
  .map(
    code =>
      `${comment(`${ERROR_STATUS[code]} \`${code}\`. ${ERROR_MEANINGS[code]}`)}export class ${className(code)} extends ApiError {}\n`,
  )
  .join('\n')}
export const ERRORS: Readonly<Record<string, typeof ApiError>> = {
${codes.map(code => `  ${code}: ${className(code)},`).join('\n')}
};
`;

/** The generated files of the SDK, by their paths. */
export const SDK_FILES: Readonly<Record<string, string>> = {
  'sdk/src/api.generated.ts': HEAD + types,
  'sdk/src/client/errors.generated.ts': errors,
  'sdk/src/client/resources.generated.ts': `${HEAD}import type {\n${[...used]
    .sort()
    .map(name => `  ${name},`)
    .join('\n')}\n} from '../api.generated.ts';
import type { Download, List, MetadataFilter, RequestOptions, ServerSentEvent } from './request.ts';

${interfaces.join('\n')}
/** Every resource, as the constructor gets it. */
export interface Resources {
${[...resources.keys()].map(resource => `  ${resource}: ${capital(resource)}Resource;`).join('\n')}
}

/** The API by resource. */
export class Api {
${[...resources.keys()].map(resource => `  declare readonly ${resource}: ${capital(resource)}Resource;`).join('\n')}

  constructor(resources: Resources) {
    Object.assign(this, resources);
  }
}

/** Each method as \`METHOD path kind\`; see scripts/generate-sdk.ts. */
export const OPERATIONS: Readonly<Record<keyof Resources, Readonly<Record<string, string>>>> = {
${table.join('\n')}
};
`,
};
