import type { Fault } from '@firsthand/contract/errors.ts';
import { Ajv, type ErrorObject } from 'ajv';
import ajvFormats from 'ajv-formats';
import type { TSchema } from 'typebox';
import { isRecord } from '../lib/ask-json.ts';
import { addUnions, typeNames, withUnions } from './union.ts';

// Bodies are checked strictly: nothing is coerced, nothing removed, every fault is reported.
const options = { allErrors: true, strict: false, useDefaults: false, verbose: false } as const;
const addFormats = ajvFormats.default;
const strict = addFormats(new Ajv(options), ['date-time', 'email', 'uri']);
addUnions(strict);
// Query strings are text by nature: they alone may be coerced.
const coercing = addFormats(new Ajv({ ...options, coerceTypes: true, useDefaults: true }), ['date-time']);

/** Faults that one answer names, at most. */
export const MAX_FAULTS = 100;
/** Characters of a fault's path: part of it may be a name that the sender chose. */
const MAX_PATH = 100;
/** What a list or a map without a limit of its own may hold before {@link FULL_TIMES} counts. */
const DEFAULT_LIMIT = 100;
/** A list or a map with so many times its limit is refused at once. */
const FULL_TIMES = 10;

export interface Validator {
  /** The first list or map that holds far more than it may; no other fault is worth finding then. */
  overfull(value: unknown): Fault | null;
  /** Every fault with its dotted path, the first {@link MAX_FAULTS} of them. */
  faults(value: unknown): Fault[];
}

/** Compiles a schema. `more` tells the faults that the schema cannot say. */
export function compileBody(schema: TSchema, more: (value: unknown) => Fault[] = () => []): Validator {
  const validate = strict.compile(withUnions(schema) as object);
  return {
    overfull: value => findOverfull(schema as Schema, value, []),
    faults(value) {
      const found = new Faults(textFaults(value));
      if (!validate(value)) found.addNew(faultsOf(validate.errors ?? []));
      // What is wrong by its own shape is not also reported as wrong beside others.
      found.addNew(more(value));
      return found.list;
    },
  };
}

/** The same for a query string; coerces in place. */
export function compileQuery(schema: TSchema): (value: unknown) => Fault[] {
  const validate = coercing.compile(schema);
  return value => (validate(value) ? textFaults(value) : faultsOf(validate.errors ?? []));
}

/** Faults as they are gathered: bounded, and a path that has one takes none from the next group. */
export class Faults {
  readonly list: Fault[];
  constructor(list: readonly Fault[] = []) {
    this.list = list.slice(0, MAX_FAULTS);
  }

  /** Adds those whose path no earlier group named. */
  addNew(faults: readonly Fault[]): void {
    const known = new Set(this.list.map(fault => fault.path));
    for (const fault of faults) {
      if (this.list.length === MAX_FAULTS) return;
      const path = shown(fault.path);
      if (!known.has(path)) this.list.push({ path, message: fault.message });
    }
  }
}

/** A path as it is told: storable text that echoes little of what was sent. */
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
  for (const error of errors) {
    // What is wrong with a name is told once, by the keyword that asks for names.
    if (error.propertyName !== undefined) continue;
    const fault = faultOf(error);
    const key = `${fault.path}\0${fault.message}`;
    if (known.has(key)) continue;
    known.add(key);
    faults.push(fault);
    if (faults.length === MAX_FAULTS) break;
  }
  return faults;
}

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  'date-time': 'a date and time such as 2026-11-21T09:30:00Z',
  email: 'an e-mail address',
  uri: 'a URL',
};

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

function faultOf(error: ErrorObject): Fault {
  const { keyword, instancePath, params } = error;
  const at = (message: string): Fault => ({ path: pathOf(instancePath), message });
  switch (keyword) {
    case 'required':
      return { path: pathOf(instancePath, params.missingProperty), message: 'is required' };
    case 'additionalProperties':
      return { path: pathOf(instancePath, params.additionalProperty), message: 'is not a known property' };
    case 'propertyNames':
      return { path: pathOf(instancePath, params.propertyName), message: 'has a name that is empty or too long' };
    case 'enum':
      return at(`must be one of ${params.allowedValues.join(', ')}`);
    case 'const':
      return at(`must be ${JSON.stringify(params.allowedValue)}`);
    case 'type':
      return at(`must be ${typeNames([params.type].flat())}`);
    case 'format':
      return at(`must be ${FORMAT_NAMES[params.format] ?? params.format}`);
    case 'pattern':
      return at(`must match the pattern ${params.pattern}`);
    case 'minLength':
      return at(params.limit === 1 ? 'must not be empty' : `must have at least ${count(params.limit, 'character')}`);
    case 'maxLength':
      return at(`must have at most ${count(params.limit, 'character')}`);
    case 'minimum':
      return at(`must be at least ${params.limit}`);
    case 'maximum':
      return at(`must be at most ${params.limit}`);
    case 'minItems':
      return at(`must have at least ${count(params.limit, 'item')}`);
    case 'maxItems':
      return at(`must have at most ${count(params.limit, 'item')}`);
    case 'minProperties':
      return at(`must have at least ${count(params.limit, 'member')}`);
    case 'maxProperties':
      return at(`must have at most ${count(params.limit, 'member')}`);
    default:
      return at(error.message ?? 'is not valid');
  }
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
    return { path: path.join('.'), message };
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
    for (const [name, inner] of Object.entries((schema.properties ?? {}) as Record<string, unknown>)) {
      const deeper = Object.hasOwn(value, name) ? inside(inner, name, value[name]) : null;
      if (deeper) return deeper;
    }
  }
  return null;
}

/** PostgreSQL stores no U+0000, and lone surrogates have no UTF-8: text with either is refused wherever it stands. */
function textFaults(root: unknown): Fault[] {
  const faults: Fault[] = [];
  const add = (path: string, message: string) => faults.push({ path: shown(path), message });
  const open: { value: unknown; path: string }[] = [{ value: root, path: '' }];
  for (let node = open.pop(); node && faults.length < MAX_FAULTS; node = open.pop()) {
    const { value, path } = node;
    if (typeof value === 'string') {
      if (value.includes('\0')) add(path, 'must not contain U+0000');
      else if (!value.isWellFormed()) add(path, 'must be well-formed Unicode');
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) {
        const at = path ? `${path}.${key}` : key;
        if (key === '__proto__' || key.includes('\0') || !key.isWellFormed()) add(at, 'is not a usable name');
        else open.push({ value: item, path: at });
      }
    }
  }
  return faults.slice(0, MAX_FAULTS);
}
