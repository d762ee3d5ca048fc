import type { Ajv, ErrorObject } from 'ajv';

type Schema = Record<string, unknown>;

/** The keyword that replaces `anyOf` in compiled schemas. */
const KEYWORD = 'union';

/** Names of the JSON types for people. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};
export const typeNames = (types: readonly string[]): string => types.map(type => TYPE_NAMES[type] ?? type).join(' or ');

/** Returns a schema whose unions {@link addUnions} checks. */
export function withUnions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withUnions);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key === 'anyOf' ? KEYWORD : key, withUnions(value)]),
  );
}

/**
 * Checks a union only against the branch that the sender meant. It finds the branch of an object by its `type` member,
 * and of a scalar by the type of its value. `anyOf` reports the faults of every branch, and cannot distinguish those of
 * two items of an array.
 */
export function addUnions(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: KEYWORD,
    schemaType: 'array',
    errors: 'full',
    compile(branches: Schema[]) {
      const choose = branches.every(isTagged) ? byTag(branches) : byType(branches);
      const compiled = branches.map(branch => ajv.compile(branch));
      const validate = (data: unknown, context?: { instancePath: string }): boolean => {
        const at = context?.instancePath ?? '';
        const chosen = choose(data);
        if (typeof chosen !== 'number') {
          const { path = '', ...error } = { path: '', ...chosen };
          validate.errors = [{ ...error, instancePath: `${at}${path}`, schemaPath: '' }];
          return false;
        }
        const branch = compiled[chosen]!;
        if (branch(data)) return true;
        validate.errors = (branch.errors ?? []).map(error => ({
          ...error,
          instancePath: `${at}${error.instancePath}`,
        }));
        return false;
      };
      validate.errors = [] as Partial<ErrorObject>[];
      return validate;
    },
  });
}

/** Returns the index of the intended branch, or what was expected, as the keyword that says so. */
type Choose = (data: unknown) => number | Expected;
type Expected =
  | { keyword: 'type'; params: { type: string | string[] } }
  | { keyword: 'enum'; params: { allowedValues: unknown[] }; path: string };

const propertiesOf = (branch: Schema) => (branch.properties ?? {}) as Record<string, Schema | undefined>;
const isTagged = (branch: Schema): boolean => branch.type === 'object' && 'const' in (propertiesOf(branch).type ?? {});

function byTag(branches: Schema[]): Choose {
  const tags = branches.map(branch => propertiesOf(branch).type!.const);
  const untagged = branches.findIndex(({ required = [] }) => !(required as string[]).includes('type'));
  return data => {
    if (typeof data !== 'object' || data === null || Array.isArray(data)) {
      return { keyword: 'type', params: { type: 'object' } };
    }
    const { type } = data as { type?: unknown };
    const chosen = type === undefined ? untagged : tags.indexOf(type);
    return chosen >= 0 ? chosen : { keyword: 'enum', params: { allowedValues: tags }, path: '/type' };
  };
}

function byType(branches: Schema[]): Choose {
  const types = branches.map(({ type }) => {
    if (typeof type !== 'string') throw new Error('a branch of a union needs a type');
    return type;
  });
  return data => {
    const given = data === null ? 'null' : Array.isArray(data) ? 'array' : typeof data;
    const chosen = types.findIndex(type => type === given || (type === 'integer' && given === 'number'));
    return chosen >= 0 ? chosen : { keyword: 'type', params: { type: types } };
  };
}
