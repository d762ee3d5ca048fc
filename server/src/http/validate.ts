import type { Fault } from '@firsthand/contract/errors.ts';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import type { TSchema } from 'typebox';

// Bodies are checked strictly: nothing is coerced, nothing removed, every fault is reported.
const options = { allErrors: true, strict: false, useDefaults: false, verbose: false } as const;
const addFormats = ajvFormats.default;
const strict = addFormats(new Ajv(options), ['date-time', 'email', 'uri']);
// Query strings are text by nature: they alone may be coerced.
const coercing = addFormats(new Ajv({ ...options, coerceTypes: true, useDefaults: true }), ['date-time']);

export type Validator = (value: unknown) => Fault[];

/** Compiles a schema to a function that lists every fault with its dotted path. */
export function compileBody(schema: TSchema, more: (value: unknown) => Fault[] = () => []): Validator {
  const validate = strict.compile(schema);
  return value => {
    const unstorable = textFaults(value);
    if (unstorable.length > 0) return unstorable;
    const faults = validate(value) ? [] : faultsOf(validate, value);
    for (const fault of more(value)) {
      // What is wrong by its own shape is not also reported as wrong beside others.
      if (!faults.some(known => known.path === fault.path)) faults.push(fault);
    }
    return faults;
  };
}

/** The same for a query string; coerces in place. */
export function compileQuery(schema: TSchema): Validator {
  const validate = coercing.compile(schema);
  return value => (validate(value) ? textFaults(value) : faultsOf(validate, value));
}

const pathOf = (pointer: string, property?: string): string => {
  const parts = pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (property !== undefined) parts.push(property);
  return parts.join('.');
};

function faultsOf(validate: ValidateFunction, value: unknown): Fault[] {
  const faults: Fault[] = [];
  for (const error of withoutUnchosenBranches(validate.errors ?? [], value)) {
    const fault = faultOf(error);
    if (!faults.some(known => known.path === fault.path && known.message === fault.message)) faults.push(fault);
  }
  return faults;
}

function faultOf(error: ErrorObject): Fault {
  const { keyword, instancePath, params } = error;
  switch (keyword) {
    case 'required':
      return { path: pathOf(instancePath, params.missingProperty), message: 'is required' };
    case 'additionalProperties':
      return { path: pathOf(instancePath, params.additionalProperty), message: 'is not a known property' };
    case 'enum':
      return { path: pathOf(instancePath), message: `must be one of ${params.allowedValues.join(', ')}` };
    case 'const':
      return { path: pathOf(instancePath), message: `must be ${JSON.stringify(params.allowedValue)}` };
    default:
      return { path: pathOf(instancePath), message: error.message ?? 'is not valid' };
  }
}

/**
 * A failed union reports the faults of every branch. Keeps those of the branch that was meant: the one whose `type`
 * member (or, for scalars, whose JSON type) fits the value; when none fits, says what would.
 */
function withoutUnchosenBranches(errors: ErrorObject[], root: unknown): ErrorObject[] {
  const unions = errors.filter(error => error.keyword === 'anyOf');
  let kept = errors;
  for (const union of unions) {
    if (!kept.includes(union)) continue;
    const inBranch = kept.filter(error => error !== union && error.schemaPath.startsWith(`${union.schemaPath}/`));
    const branches = Map.groupBy(inBranch, error => error.schemaPath.slice(union.schemaPath.length + 1).split('/')[0]);
    const isChoice = (error: ErrorObject) =>
      (error.instancePath === union.instancePath && error.keyword === 'type') ||
      (error.instancePath === `${union.instancePath}/type` && ['const', 'enum', 'type'].includes(error.keyword)) ||
      (error.instancePath === union.instancePath &&
        error.keyword === 'required' &&
        error.params.missingProperty === 'type');
    const chosen = [...branches.values()].find(branch => !branch.some(isChoice));
    kept = kept.filter(error => error !== union && !inBranch.includes(error));
    kept.push(...(chosen ?? [unmatched(union, inBranch, root)]));
  }
  return kept;
}

function unmatched(union: ErrorObject, inBranch: ErrorObject[], root: unknown): ErrorObject {
  const value = union.instancePath
    .split('/')
    .slice(1)
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], root);
  const literals = inBranch.flatMap(error =>
    error.instancePath === `${union.instancePath}/type` && error.keyword === 'const' ? [error.params.allowedValue] : [],
  );
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && literals.length > 0) {
    return {
      ...union,
      keyword: 'union',
      instancePath: `${union.instancePath}/type`,
      message: `must be one of ${literals.join(', ')}`,
    };
  }
  const types = inBranch.flatMap(error =>
    error.instancePath === union.instancePath && error.keyword === 'type' ? [error.params.type] : [],
  );
  return { ...union, keyword: 'union', message: `must be ${[...new Set(types)].join(' or ')}` };
}

/** PostgreSQL stores no U+0000, and lone surrogates have no UTF-8: text with either is refused wherever it stands. */
function textFaults(root: unknown): Fault[] {
  const faults: Fault[] = [];
  const open: { value: unknown; path: string }[] = [{ value: root, path: '' }];
  for (let node = open.pop(); node; node = open.pop()) {
    const { value, path } = node;
    if (typeof value === 'string') {
      if (value.includes('\0')) faults.push({ path, message: 'must not contain U+0000' });
      else if (!value.isWellFormed()) faults.push({ path, message: 'must be well-formed Unicode' });
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        open.push({ value: item, path: path ? `${path}.${index}` : `${index}` });
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        const at = path ? `${path}.${key}` : key;
        if (key === '__proto__' || key.includes('\0') || !key.isWellFormed()) {
          faults.push({ path: at.replaceAll('\0', '\\u0000').toWellFormed(), message: 'is not a usable name' });
        } else open.push({ value: item, path: at });
      }
    }
  }
  return faults;
}
