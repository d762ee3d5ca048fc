import { isEmailAddress } from '@firsthand/contract/base/email-address.ts';
import { type Fault, type FaultParams, fault, required } from '@firsthand/contract/base/fault.ts';
import { PHONE, wordsOfPattern } from '@firsthand/contract/base/patterns.ts';
import { webUrlOf } from '@firsthand/contract/base/web-url.ts';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { isRecord } from '../lib/ask-json.ts';
import { addUnions, typeNames, withUnions } from './union.ts';

// Checks bodies strictly: coerces nothing, removes nothing and reports every fault.
const options = { allErrors: true, strict: false, useDefaults: false, verbose: false } as const;
const addFormats = ajvFormats.default;
const strict = addFormats(new Ajv(options), ['date-time'])
  .addFormat('idn-email', isEmailAddress)
  // Every URL that a body may hold is fetched later, by what parses it here.
  .addFormat('iri', text => webUrlOf(text) !== null);
addUnions(strict);
// Coerces only query strings, because all their values are text.
const coercing = addFormats(new Ajv({ ...options, coerceTypes: true, useDefaults: true }), ['date-time']);

/** The most faults in one answer. */
export const MAX_FAULTS = 100;
/** The most characters in a fault's path: the sender may have chosen part of it. */
const MAX_PATH = 100;
/** The limit that {@link FULL_TIMES} multiplies for a list or a map without its own. */
const DEFAULT_LIMIT = 100;
/** A list or a map with this many times its limit is refused at once. */
const FULL_TIMES = 10;

export interface Validator {
  /** Returns the first list or map that far exceeds its limit. No other fault then matters. */
  overfull(value: unknown): Fault | null;
  /** Returns the first {@link MAX_FAULTS} faults, each with its dotted path. */
  faults(value: unknown): Fault[];
}

// Compiling all schemas takes a second: each is compiled for its first request, once for all services of a process.
const compiled = new WeakMap<TSchema, ValidateFunction>();
function strictly(schema: TSchema): ValidateFunction {
  const known = compiled.get(schema) ?? strict.compile(withUnions(schema) as object);
  compiled.set(schema, known);
  return known;
}

/** Compiles a schema. `more` finds faults that the schema cannot express. */
export function compileBody(schema: TSchema, more: (value: unknown) => Fault[] = () => []): Validator {
  return {
    overfull: value => findOverfull(schema as Schema, value, []),
    faults(value) {
      const found = new Faults(textFaults(value));
      const validate = strictly(schema);
      if (!validate(value)) found.addNew(faultsOf(validate.errors ?? []));
      // A path with a fault in its own shape gets no second fault from the checks that span fields.
      found.addNew(more(value));
      return found.list;
    },
  };
}

// In a query string a raw + means a space. None of these may hold one.
const DATE_WITH_SPACE = /T\S* \d\d:\d\d$/;
const PHONE_WITH_SPACE = /^ \d+$/;

/** Compiles the schema of a query string. The validator coerces in place and splits lists at their commas. */
export function compileQuery(schema: TSchema): (value: unknown) => Fault[] {
  let validate: ValidateFunction | undefined;
  const properties = Object.entries((schema as { properties?: Record<string, Schema> }).properties ?? {});
  const lists = properties.flatMap(([name, { type }]) => (type === 'array' ? [name] : []));
  const plusses = properties.flatMap(([name, { format, pattern }]) => {
    const spaced = format === 'date-time' ? DATE_WITH_SPACE : pattern === PHONE ? PHONE_WITH_SPACE : null;
    return spaced ? [{ name, spaced }] : [];
  });
  return value => {
    const query = value as Record<string, unknown>;
    for (const { name, spaced } of plusses) {
      const text = query[name];
      if (typeof text === 'string' && spaced.test(text)) query[name] = text.replace(/ (?=[\d:]+$)/, '+');
    }
    for (const name of lists) {
      if (query[name] !== undefined) query[name] = [query[name]].flat().flatMap(text => String(text).split(','));
    }
    validate ??= coercing.compile(schema);
    if (validate(value)) return textFaults(value);
    // The sender wrote one parameter, whatever item of it is at fault.
    return faultsOf(validate.errors ?? []).map(found => ({
      ...found,
      path: lists.find(name => found.path.startsWith(`${name}.`)) ?? found.path,
    }));
  };
}

/** Collects a bounded number of faults. A path that has one takes none from the next group. */
export class Faults {
  readonly list: Fault[];
  constructor(list: readonly Fault[] = []) {
    this.list = list.slice(0, MAX_FAULTS);
  }

  /** Adds the faults whose path no earlier group named. */
  addNew(faults: readonly Fault[]): void {
    const known = new Set(this.list.map(({ path }) => path));
    for (const found of faults) {
      if (this.list.length === MAX_FAULTS) return;
      const path = shown(found.path);
      if (!known.has(path)) this.list.push({ ...found, path });
    }
  }
}

/** Makes a path safe to show: storable text that repeats little of the request. */
function shown(path: string): string {
  const text = path.replaceAll('\0', '\\u0000');
  return (text.length > MAX_PATH ? `${text.slice(0, MAX_PATH - 1)}…` : text).toWellFormed();
}

function pathOf(pointer: string, property?: string): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (property !== undefined) parts.push(property);
  return shown(parts.join('.'));
}

function faultsOf(errors: readonly ErrorObject[]): Fault[] {
  const faults: Fault[] = [];
  const known = new Set<string>();
  // Reports a fault of a name once, by the keyword that constrains names; the errors before it have the bound.
  let bound: FaultParams['invalid_name'] = {};
  for (const error of errors) {
    if (error.propertyName !== undefined) {
      bound = { [error.keyword in UPPER ? 'max' : 'min']: error.params.limit };
      continue;
    }
    const found = faultOf(error, bound);
    const key = `${found.path}\0${found.message}`;
    if (known.has(key)) continue;
    known.add(key);
    faults.push(found);
    if (faults.length === MAX_FAULTS) break;
  }
  return faults;
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  'date-time': 'a date and time such as 2026-11-21T09:30:00Z',
  'idn-email': 'an e-mail address',
  iri: 'an http or https URL',
};

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** The codes of keywords that set a bound. */
const LOWER = { minLength: 'too_short', minimum: 'too_small', minItems: 'too_few', minProperties: 'too_few' } as const;
const UPPER = { maxLength: 'too_long', maximum: 'too_large', maxItems: 'too_many', maxProperties: 'too_many' } as const;
const NOUNS: Readonly<Record<string, string>> = {
  minLength: 'character',
  maxLength: 'character',
  minItems: 'item',
  maxItems: 'item',
  minProperties: 'member',
  maxProperties: 'member',
};

/** `bound`: of the name of a member. */
function faultOf(error: ErrorObject, bound: FaultParams['invalid_name']): Fault {
  const { keyword, instancePath, params } = error;
  const path = pathOf(instancePath);
  if (keyword in LOWER || keyword in UPPER) return boundFault(path, keyword, params.limit as number);
  switch (keyword) {
    case 'required':
      return required(pathOf(instancePath, params.missingProperty));
    case 'additionalProperties':
      return fault(pathOf(instancePath, params.additionalProperty), 'unknown_property', 'is not a known property');
    case 'propertyNames': {
      const at = pathOf(instancePath, params.propertyName);
      return fault(at, 'invalid_name', 'has a name that is empty or too long', bound);
    }
    case 'enum':
      return fault(path, 'enum', `must be one of ${params.allowedValues.join(', ')}`, {
        allowed: params.allowedValues.map(String),
      });
    case 'const':
      return fault(path, 'enum', `must be ${JSON.stringify(params.allowedValue)}`, {
        allowed: [String(params.allowedValue)],
      });
    case 'type': {
      const expected: string[] = [params.type].flat();
      return fault(path, 'type', `must be ${typeNames(expected)}`, { expected });
    }
    case 'format':
      return fault(path, 'format', `must be ${FORMAT_NAMES[params.format] ?? params.format}`, {
        format: params.format,
      });
    case 'pattern':
      return fault(path, 'pattern', wordsOfPattern(params.pattern), { pattern: params.pattern });
    case 'uniqueItems':
      return fault(path, 'duplicate', error.message ?? 'must hold nothing twice');
    default:
      return fault(path, 'invalid', error.message ?? 'is not valid');
  }
}

function boundFault(path: string, keyword: string, limit: number): Fault {
  const noun = NOUNS[keyword];
  const bound = noun === undefined ? `${limit}` : count(limit, noun);
  const verb = noun === undefined ? 'be' : 'have';
  if (keyword in UPPER) {
    return fault(path, UPPER[keyword as keyof typeof UPPER], `must ${verb} at most ${bound}`, { max: limit });
  }
  const message = keyword === 'minLength' && limit === 1 ? 'must not be empty' : `must ${verb} at least ${bound}`;
  return fault(path, LOWER[keyword as keyof typeof LOWER], message, { min: limit });
}

type Schema = Record<string, unknown>;

function findOverfull(schema: Schema, value: unknown, path: string[]): Fault | null {
  const inside = (inner: unknown, part: string, item: unknown) =>
    isRecord(inner) ? findOverfull(inner, item, [...path, part]) : null;
  const refused = (held: number, limit: unknown, noun: string): Fault | null => {
    const most = typeof limit === 'number' ? limit : DEFAULT_LIMIT;
    if (held <= most * FULL_TIMES) return null;
    const message =
      typeof limit === 'number' ? `must have at most ${count(limit, noun)}` : `has far too many ${noun}s: ${held}`;
    return fault(path.join('.'), 'too_many', message, {
      max: typeof limit === 'number' ? limit : DEFAULT_LIMIT * FULL_TIMES,
    });
  };
  for (const branch of (schema.anyOf ?? []) as Schema[]) {
    const found = findOverfull(branch, value, path);
    if (found) return found;
  }
  if (schema.type === 'array' && Array.isArray(value)) {
    const found = refused(value.length, schema.maxItems, 'item');
    if (found) return found;
    for (const [index, item] of value.entries()) {
      const deeper = inside(schema.items, `${index}`, item);
      if (deeper) return deeper;
    }
  }
  if (schema.type === 'object' && isRecord(value)) {
    if (isRecord(schema.additionalProperties)) {
      return refused(Object.keys(value).length, schema.maxProperties, 'member');
    }
    const names = Object.keys(value).length;
    // A form of a few members is checked member by member; thousands of strange ones are one fault.
    if (names > DEFAULT_LIMIT * FULL_TIMES) return refused(names, undefined, 'member');
    for (const [name, inner] of Object.entries((schema.properties ?? {}) as Record<string, unknown>)) {
      const deeper = Object.hasOwn(value, name) ? inside(inner, name, value[name]) : null;
      if (deeper) return deeper;
    }
  }
  return null;
}

/**
 * Refuses text with U+0000, which PostgreSQL cannot store, or with a lone surrogate, which has no UTF-8 form, anywhere
 * in the body.
 */
function textFaults(root: unknown): Fault[] {
  const faults: Fault[] = [];
  const unusable = (path: string, message: string) => faults.push(fault(shown(path), 'unusable_text', message));
  const open: { value: unknown; path: string }[] = [{ value: root, path: '' }];
  for (let node = open.pop(); node && faults.length < MAX_FAULTS; node = open.pop()) {
    const { value, path } = node;
    if (typeof value === 'string') {
      if (value.includes('\0')) unusable(path, 'must not contain U+0000');
      else if (!value.isWellFormed()) unusable(path, 'must be well-formed Unicode');
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        const at = path ? `${path}.${key}` : key;
        if (key === '__proto__' || key.includes('\0') || !key.isWellFormed())
          faults.push(fault(shown(at), 'invalid_name', 'is not a usable name'));
        else open.push({ value: item, path: at });
      }
    }
  }
  return faults.slice(0, MAX_FAULTS);
}
