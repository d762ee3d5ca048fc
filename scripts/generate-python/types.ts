// The schemas as Python types: an object is a TypedDict, everything else an alias.
import { refOf, SCHEMAS, type Schema } from '../generate-sdk/operations.ts';
import { docstring, HEAD, isIdentifier } from './text.ts';

interface Known {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  patternProperties?: Record<string, Schema>;
  description?: string;
}

const literal = (value: unknown) =>
  value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : JSON.stringify(value);

const PLAIN: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** The type of a schema. `prefix` stands before the names of schemas, `array` is what a list is. */
export function typeOf(schema: Schema, prefix = '', array = 'list'): string {
  const ref = refOf(schema);
  if (ref) return prefix + ref;
  const { type, enum: values, const: value, anyOf, items, additionalProperties, patternProperties } = schema as Known;
  if (value !== undefined) return `Literal[${literal(value)}]`;
  if (values) return `Literal[${values.map(literal).join(', ')}]`;
  if (anyOf) return `Union[${[...new Set(anyOf.map(one => typeOf(one, prefix, array)))].join(', ')}]`;
  if (type === 'array') return `${array}[${items ? typeOf(items, prefix, array) : 'Any'}]`;
  if (type === 'object') {
    const values =
      typeof additionalProperties === 'object' ? additionalProperties : Object.values(patternProperties ?? {})[0];
    return `dict[str, ${values ? typeOf(values, prefix, array) : 'Any'}]`;
  }
  return (type && PLAIN[type]) ?? 'Any';
}

/** Without a property and open to any, it is a dict. */
const isRecord = ({ properties, additionalProperties }: Known): boolean =>
  properties !== undefined && (Object.keys(properties).length > 0 || additionalProperties === false);

function recordOf(name: string, { properties, required = [], description }: Known): string {
  const fields = Object.entries(properties ?? {}).map(([field, schema]) => {
    const type = typeOf(schema);
    return {
      field,
      type: required.includes(field) ? type : `NotRequired[${type}]`,
      description: (schema as Known).description,
    };
  });
  // A field with the name of a keyword stands only in a dict.
  if (fields.some(({ field }) => !isIdentifier(field))) {
    const entries = fields.map(({ field, type }) => `        "${field}": "${type}",\n`).join('');
    return `${name} = TypedDict(\n    "${name}",\n    {\n${entries}    },\n)\n`;
  }
  const lines = fields.map(
    ({ field, type, description: words }) => `    ${field}: ${type}\n${words ? docstring(words, '    ') : ''}`,
  );
  return `class ${name}(TypedDict):\n${description ? docstring(description, '    ') : ''}${lines.join('') || '    pass\n'}`;
}

/** Aliases are evaluated when the module is loaded, so each follows those it names. */
function inOrder(aliases: [string, Schema][]): [string, Schema][] {
  const left = new Map(aliases);
  const sorted: [string, Schema][] = [];
  const take = (name: string) => {
    const schema = left.get(name);
    if (!schema) return;
    left.delete(name);
    for (const [, ref] of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g)) take(ref!);
    sorted.push([name, schema]);
  };
  for (const [name] of aliases) take(name);
  return sorted;
}

export function typesModule(): string {
  const entries = Object.entries(SCHEMAS);
  const aliases = inOrder(entries.filter(([, schema]) => !isRecord(schema as Known))).map(([name, schema]) => {
    const { description } = schema as Known;
    return `${name}: TypeAlias = ${typeOf(schema)}\n${description ? docstring(description, '') : ''}`;
  });
  const records = entries
    .filter(([, schema]) => isRecord(schema as Known))
    .map(([name, schema]) => recordOf(name, schema as Known));
  return `${HEAD}"""The bodies of requests and answers, as dicts."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict, Union

from ._typing import NotRequired

${records.map(text => `\n${text}`).join('\n')}

${aliases.join('\n')}`;
}
