import { ERROR_STATUS, ErrorResponse, FAULT_CODES } from '@firsthand/contract/base/errors.ts';
import { Ajv, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import { ENDPOINTS } from '../../src/app.ts';
import type { Endpoint } from '../../src/platform/http/endpoint.ts';
import { errorsOf } from '../../src/platform/http/openapi.ts';

const ajv = ajvFormats
  .default(new Ajv({ strict: false, allErrors: true }))
  .addFormat('iri', URL.canParse)
  .addFormat('idn-email', /^[^\s@]+@[^\s@]+$/);
const compiled = new Map<object, ValidateFunction>();
const compile = (schema: object): ValidateFunction => {
  const known = compiled.get(schema) ?? ajv.compile(schema);
  compiled.set(schema, known);
  return known;
};

const matchers = ENDPOINTS.map(endpoint => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`),
  literals: endpoint.path.split('/').filter(part => !part.startsWith(':')).length,
})).sort((a, b) => b.literals - a.literals);

export const endpointOf = (method: string, path: string): Endpoint | undefined =>
  matchers.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path.split('?')[0]!))?.endpoint;

/** Whether a fault has a code of the list, and no parameters but those of its code. */
function isKnown(code: string, params: object = {}): boolean {
  if (!Object.hasOwn(FAULT_CODES, code)) return false;
  const named = FAULT_CODES[code as keyof typeof FAULT_CODES].params;
  return Object.keys(params).every(name => Object.hasOwn(named, name));
}

/** Faults of an answer against the interface description. Null if the answer is described, or if the operation is not part of the API. */
export function undescribed(method: string, path: string, status: number, body: unknown): string | null {
  const endpoint = endpointOf(method, path);
  if (!endpoint) return null;
  const where = `${method} ${path} → ${status}`;
  const schema = endpoint.responses[status];
  if (schema === null) return body === '' ? null : `${where}: a body where none is described`;
  if (schema) return faults(where, compile(schema), body);
  const wrong = faults(where, compile(ErrorResponse), body);
  if (wrong) return wrong;
  const { code, fields = [] } = (body as ErrorResponse).error;
  const unknown = fields.find(fault => !isKnown(fault.code, fault.params));
  if (unknown) return `${where}: the fault ${JSON.stringify(unknown)} is not described`;
  if (ERROR_STATUS[code] !== status) return `${where}: ${code} belongs to ${ERROR_STATUS[code]}`;
  return errorsOf(endpoint).includes(code) ? null : `${where}: ${code} is not described`;
}

function faults(where: string, validate: ValidateFunction, body: unknown): string | null {
  if (validate(body)) return null;
  return `${where}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)?.slice(0, 2_000)}`;
}
