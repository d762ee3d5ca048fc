// The SDK's types, resources and errors, made from the OpenAPI document.
import { capital, ERRORS, OPERATIONS, type Operation, SCHEMAS, type Schema } from './operations.ts';

const HEAD = '// Written by scripts/generate.ts from the OpenAPI document; do not edit.\n\n';

interface Method {
  resource: string;
  name: string;
  summary: string;
  signature: string;
  /** What the client knows at run time: `METHOD path kind`, with `b` for a body and `q` for a query. */
  entry: string;
}

const schemas: Record<string, Schema> = { ...SCHEMAS };
const used = new Set<string>();
const type = (name: string) => {
  used.add(name);
  return name;
};

function methodOf(operation: Operation): Method {
  const { resource, name, summary, query, body } = operation;
  const parameters: string[] = operation.pathParameters.map(
    parameter => `${parameter.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}: string`,
  );
  let flags = '';
  if (body) {
    flags += 'b';
    parameters.push(`body${body.required ? '' : '?'}: ${type(body.schema)}${body.text ? ' | string' : ''}`);
  }
  if (query.length > 0) {
    flags += 'q';
    const queryName = `${capital(operation.id)}Query`;
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
    const more = operation.metadataFilter ? ' & MetadataFilter' : '';
    parameters.push(`query${required ? '' : '?'}: ${type(queryName)}${more}`);
  }
  parameters.push('options?: RequestOptions');
  return {
    resource,
    name,
    summary,
    signature: `${name}(${parameters.join(', ')}): ${answerOf(operation)}`,
    entry: `${operation.verb} ${operation.path} ${operation.answer.kind}${flags}`,
  };
}

function answerOf({ answer: { kind, names, item, mayBeEmpty } }: Operation): string {
  if (kind === 'n') return 'Promise<void>';
  if (kind === 'e') return 'AsyncIterable<ServerSentEvent>';
  if (kind === 'd') return 'Promise<Download>';
  if (kind === 'p') return `List<${type(item!)}, ${type(names[0]!)}>`;
  return `Promise<${[...names.map(type), ...(mayBeEmpty ? ['null'] : [])].join(' | ')}>`;
}

const methods = OPERATIONS.map(methodOf);

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

/**
 * The types of the API. They are erased before anything runs, so an installation without development packages does without.
 */
async function apiTypes(): Promise<string | null> {
  const generator = await import('openapi-typescript').catch(() => null);
  if (!generator) return null;
  const document = { openapi: '3.1.0', info: { title: 'Firsthand', version: '1' }, paths: {}, components: { schemas } };
  return (
    HEAD +
    generator.astToString(
      await generator.default(document as never, {
        rootTypes: true,
        rootTypesNoSchemaPrefix: true,
        defaultNonNullable: false,
      }),
    )
  );
}

const errors = `${HEAD}import { ApiError } from './errors.ts';

${ERRORS.map(({ name, status, code, meaning }) => `${comment(`${status} \`${code}\`. ${meaning}`)}export class ${name} extends ApiError {}\n`).join('\n')}
export const ERRORS: Readonly<Record<string, typeof ApiError>> = {
${ERRORS.map(({ code, name }) => `  ${code}: ${name},`).join('\n')}
};
`;

/** The generated files of the SDK, by their paths. */
export const SDK_FILES: Readonly<Record<string, string | null>> = {
  'sdk/src/api.generated.ts': await apiTypes(),
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

/** Each method as \`METHOD path kind\`; see scripts/generate-sdk/files.ts. */
export const OPERATIONS: Readonly<Record<keyof Resources, Readonly<Record<string, string>>>> = {
${table.join('\n')}
};
`,
};
