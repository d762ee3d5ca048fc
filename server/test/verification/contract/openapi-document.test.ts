import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TestEvent, VerificationEvent, WEBHOOK_EVENTS } from '@firsthand/contract/webhooks/webhooks.ts';
import openapiTypescript, { astToString } from 'openapi-typescript';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TSC } from '../../../../scripts/typescript.ts';
import { ENDPOINTS } from '../../../src/app.ts';
import { Components } from '../../../src/platform/http/components.ts';
import { openapiDocument } from '../../../src/platform/http/openapi.ts';

const require = createRequire(import.meta.url);
const document = JSON.parse(JSON.stringify(openapiDocument(ENDPOINTS)));
type Node = Record<string, unknown>;
const operations = Object.entries(document.paths as Record<string, Record<string, Node>>).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
);

/** Every object schema with members, by its place in the document. */
function objectSchemas(node: unknown, path = ''): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = 'properties' in node && typeof node.properties === 'object' ? [path] : [];
  return [
    ...own,
    ...Object.entries(node).flatMap(([key, value]) =>
      key === 'example' || key === 'examples' ? [] : objectSchemas(value, `${path}/${key}`),
    ),
  ];
}

/** Every list of allowed values outside a named schema, by its place in the document. */
function inlineEnums(node: unknown, path = ''): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const own = 'enum' in node && Array.isArray(node.enum) && !/^\/components\/schemas\/\w+$/.test(path) ? [path] : [];
  return [
    ...own,
    ...Object.entries(node).flatMap(([key, value]) =>
      key === 'example' || key === 'examples' ? [] : inlineEnums(value, `${path}/${key}`),
    ),
  ];
}

describe('OpenAPI document', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fh-openapi-'));
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(operations)('names $name with a verb, a described tag, a summary and a described answer', ({ operation }) => {
    expect(operation.operationId).toMatch(
      /^(add|announce|cancel|claim|create|delete|enable|end|export|finalize|finish|get|invite|lift|list|place|put|recover|redact|redeem|release|remove|replay|report|request|resend|retry|revoke|rotate|send|sign|start|stream|submit|switch|undo|update)[A-Z][A-Za-z]+$/,
    );
    const described = new Map(
      (document.tags as { name: string; description: string }[]).map(tag => [tag.name, tag.description]),
    );
    for (const tag of operation.tags as string[]) expect(described.get(tag)?.length).toBeGreaterThan(20);
    expect(String(operation.summary).length).toBeGreaterThan(5);
    for (const parameter of operation.parameters as Node[]) {
      if (parameter.in === 'path') expect(parameter.description, String(parameter.name)).toBeTruthy();
    }
  });

  it.each(WEBHOOK_EVENTS)('describes the webhook %s, with a valid example', type => {
    const { post } = document.webhooks[type];
    const { schema, example } = post.requestBody.content['application/json'];
    const [name, body] = type === 'webhook.test' ? ['TestEvent', TestEvent] : ['VerificationEvent', VerificationEvent];
    expect(schema).toEqual({ $ref: `#/components/schemas/${name}` });
    expect([example.type, [...Value.Errors(body as TSchema, example)]]).toEqual([type, []]);
  });

  it('names every enum in components', () => {
    expect(inlineEnums(document)).toEqual([]);
  });

  it('names every object schema in components', () => {
    const inline = objectSchemas(document).filter(path => !/^\/components\/schemas\/\w+$/.test(path));
    expect(inline).toEqual([]);
  });

  it('has no names that generators of Go or Java write twice', () => {
    const names = Object.keys(document.components.schemas);
    // In Go, `NewThing` makes a `Thing`. In Java, `System` hides `java.lang.System`.
    expect(names.filter(name => /^New/.test(name) && names.includes(name.slice(3)))).toEqual([]);
    expect(names).not.toContain('System');
    const squeezed = (list: string[]) => list.map(name => name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase());
    const members = names.map(name => Object.keys(document.components.schemas[name].properties ?? {}));
    for (const list of [names, ...members]) expect(squeezed(list)).toEqual([...new Set(squeezed(list))]);
  });

  it('has no union with a list of values, which generators of Java cannot compile', () => {
    const unions = [...JSON.stringify(document).matchAll(/"anyOf":(\[.*?\}\])/g)].map(([, union]) => union!);
    expect(unions.length).toBeGreaterThan(20);
    expect(unions.filter(union => /^\[\{"type":"(?!array)/.test(union) && union.includes('"type":"array"'))).toEqual(
      [],
    );
  });

  it('has no dangling reference and no unused schema', () => {
    const referred = new Set(
      [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(match => match[1]),
    );
    expect([...referred].sort()).toEqual(Object.keys(document.components.schemas).sort());
  });

  it('refuses two schemas with the same name', () => {
    const components = new Components();
    components.add({ title: 'Thing', type: 'string', description: 'one use' });
    expect(components.add({ title: 'Thing', type: 'string', description: 'another use' })).toEqual({
      $ref: '#/components/schemas/Thing',
      description: 'another use',
    });
    expect(() => components.add({ title: 'Thing', type: 'number' })).toThrow('two schemas are named Thing');
  });

  it('passes redocly lint without a warning', () => {
    const program = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin', 'cli.js');
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        program,
        'lint',
        join(folder, 'openapi.json'),
        `--config=${join(import.meta.dirname, '../../../../redocly.yaml')}`,
        '--format=json',
        '--max-problems=50',
      ],
      {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    );
    expect(JSON.parse(stdout.slice(stdout.indexOf('{'))), stderr).toMatchObject({
      totals: { errors: 0, warnings: 0 },
      problems: [],
    });
    expect(status).toBe(0);
  });

  it('gives openapi-typescript named types that a client compiles with', async () => {
    // `--default-non-nullable false`: a member of a request that has a default may be left out.
    await writeFile(join(folder, 'api.d.ts'), astToString(await openapiTypescript(document, {})));
    const client = (id: string) => `
      import type { components, operations } from './api.d.ts';
      type Verification = components['schemas']['Verification'];
      type Create = operations['createVerification']['requestBody']['content']['application/json'];
      export const body: Create = { steps: [{ key: 'front', min: 1, max: 2 }], signals_required: ['screen', 'ai'] };
      export const read = (one: Verification) => one.verdict?.reason_code === 'screen_detected' && one.captures[0]?.signals?.screen_detection;
      export const verdict: components['schemas']['Verdict'] = { label: 'verified', score: 0.9, signals: {} };
      export const error: components['schemas']['ErrorResponse'] = { error: { code: 'not_found', message: 'There is nothing here.', doc_url: 'https://photos.example.com/docs/errors#not_found' } };
      export const list = (page: components['schemas']['VerificationSummaryList']) => page.data[0]?.${id};
    `;
    await writeFile(join(folder, 'right.ts'), client('status'));
    await writeFile(join(folder, 'wrong.ts'), client('not_a_member'));
    const compile = (file: string) =>
      spawnSync(
        process.execPath,
        [
          TSC,
          '--noEmit',
          '--strict',
          '--ignoreConfig',
          '--module',
          'nodenext',
          '--target',
          'es2024',
          '--allowImportingTsExtensions',
          '--verbatimModuleSyntax',
          join(folder, file),
        ],
        { encoding: 'utf8', cwd: folder },
      );
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const right = compile('right.ts');
    expect(right.stdout).toBe('');
    expect(right.status).toBe(0);
    expect(compile('wrong.ts').stdout).toContain("Property 'not_a_member' does not exist");
  });
});
